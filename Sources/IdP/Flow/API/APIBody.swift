import HTTPTypes
package import Hummingbird
import SSOShared
import SSOWeb

/// The body of a request: one JSON object, read strictly. Unknown members are ignored, so that an app can be newer than the
/// server; a member that is given twice is refused.
package struct APIBody: Sendable {
    /// Far more than three short texts need.
    static let maximumBytes = 8192

    private let object: JSONNode

    /// - Throws: ``APIError`` 415, 413 or 400.
    package init(_ request: Request) async throws {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/json" else {
            throw APIError.wrongType
        }
        let bytes: [UInt8]
        do { bytes = try await request.boundedBody(Self.maximumBytes) } catch let error as PublicError
            where error.status == .contentTooLarge
        {
            throw APIError.tooLarge
        }
        object = try Self.reading { () throws(VerifyBodyError) in try JSONNode.object(bytes) }
    }

    package func text(_ name: String) throws -> String {
        try Self.reading { () throws(VerifyBodyError) in try object.text(name) }
    }

    /// Nil when the member is missing. `null` is a wrong type.
    package func optionalText(_ name: String) throws -> String? {
        try Self.reading { () throws(VerifyBodyError) in try object.optionalText(name) }
    }

    private static func reading<Value>(_ read: () throws(VerifyBodyError) -> Value) throws -> Value {
        do throws(VerifyBodyError) { return try read() } catch {
            throw APIError.badRequest("\(error)", cause: "body")
        }
    }
}
