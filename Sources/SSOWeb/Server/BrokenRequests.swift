import HTTPTypes
public import Logging
import NIOCore
import NIOHTTP1

/// Answers what never became a request: unknown methods, endless heads, broken chunks. The same page, headers and line
/// in the log as any other refusal, and the end of the connection, since nobody knows where the next request begins.
public struct BrokenRequests: Sendable {
    /// What is known of one.
    struct Refusal {
        let fault: HTTPParserError
        /// Where it was going, if its head was understood.
        let path: String?
        /// How many bytes its first line has, as far as it came.
        let line: Int
        /// The other end of the connection: what a proxy says of a client behind it cannot be believed here.
        let peer: String?
    }

    private let pages: Pages
    private let fields: SecurityFields
    private let jsonPaths: Set<String>
    private let logger: Logger

    /// - Parameters:
    ///   - origin: the program's public address, for the headers that depend on it.
    ///   - jsonPaths: where programs ask, not people: the answer is `{"error":"CODE"}` there.
    public init(pages: Pages, origin: PublicOrigin, jsonPaths: Set<String> = [], logger: Logger) {
        self.pages = pages
        self.jsonPaths = jsonPaths
        self.logger = logger
        fields = SecurityFields(origin: origin)
    }

    func answer(_ refusal: Refusal) -> (HTTPResponse, ByteBuffer) {
        let (failure, reference) = (Self.failure(for: refusal), RequestReference())
        logger.notice(
            "request refused",
            metadata: [
                "status": "\(failure.status.code)", "code": "\(failure.code)", "cause": "\(refusal.fault)",
                "reference": "\(reference)", "client_address": "\(refusal.peer ?? "-")",
            ])
        let isJSON = refusal.path.map(jsonPaths.contains) ?? false
        let text = isJSON ? failure.json : pages.failureText(failure, reference: reference)
        var headers: HTTPFields = [
            .contentType: isJSON ? "application/json" : "text/html; charset=utf-8",
            .contentLength: "\(text.utf8.count)", .connection: "close",
            // Where it came from is as unclear as what it is.
            .referrerPolicy: "no-referrer",
        ]
        fields.add(to: &headers)
        return (HTTPResponse(status: failure.status, headerFields: headers), ByteBuffer(string: text))
    }

    private static func failure(for refusal: Refusal) -> PublicFailure {
        guard case .headerOverflow = refusal.fault else {
            return .badRequest("It is not HTTP as this service speaks it.")
        }
        return refusal.line > RequestLimits.target ? .addressTooLong : .headTooLarge
    }
}
