import Hummingbird
import SSOWeb

extension OIDCPath {
    /// Leads a form of another site to the same parameters by GET: such a form comes without the session's cookie (SameSite=Lax).
    ///
    /// - Throws: ``PublicError`` for a body that is no form, or too long for an address.
    static func again(_ request: Request, _ path: String) async throws -> Response {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/x-www-form-urlencoded"
        else { throw PublicError.unsupportedType }
        guard let address = address(path, Array(try await request.boundedBody(16 << 10))) else {
            throw PublicError.badRequest(cause: "form_as_address")
        }
        return .redirect(to: address)
    }

    /// The address with a form as its query. Nil for one that would be refused as too long, and for bytes that no form of a browser
    /// has: it goes into a header.
    static func address(_ path: String, _ form: [UInt8]) -> String? {
        guard path.utf8.count + 1 + form.count <= RequestLimits.target,
            form.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
        else { return nil }
        return path + "?" + String(decoding: form, as: UTF8.self)
    }
}
