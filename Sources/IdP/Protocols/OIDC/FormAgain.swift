import Hummingbird
import SSOWeb

extension OIDCPath {
    /// Leads a form of another site to the same parameters by GET: such a form comes without the session's cookie (SameSite=Lax).
    ///
    /// - Throws: ``PublicError`` for a body that is no form, or too long for an address.
    static func again(_ request: Request, _ path: String) async throws -> Response {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/x-www-form-urlencoded"
        else { throw PublicError.unsupportedType }
        let body = try await request.boundedBody(16 << 10)
        let address = path + "?"
        // It goes into a header: nothing but what a form of a browser has.
        guard address.utf8.count + body.count <= RequestLimits.target,
            body.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
        else { throw PublicError.badRequest(cause: "form_as_address") }
        return .redirect(to: address + String(decoding: body, as: UTF8.self))
    }
}
