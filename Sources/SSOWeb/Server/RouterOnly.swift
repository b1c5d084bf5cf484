public import HTTPTypes
public import Hummingbird

extension RouterMethods {
    /// Serves a path with some methods and answers every other known one with 405 and `Allow` (RFC 9110 15.5.6).
    ///
    /// - Parameter refusing: another answer with 405, for an address that speaks no HTML.
    ///
    /// HEAD is never made from GET by itself: a link checker's HEAD must not issue a token.
    @discardableResult public func only(
        _ methods: [HTTPRequest.Method], at path: RouterPath,
        refusing refusal: @Sendable @escaping ([HTTPRequest.Method]) throws -> Response = { allowed in
            throw PublicFailure.methodNotAllowed(allowed)
        },
        use handler: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        for method in methods { on(path, method: method, use: handler) }
        return refuseOthers(than: methods, at: path, with: refusal)
    }

    /// Serves GET and POST of one path.
    @discardableResult public func form(
        at path: RouterPath,
        show: @Sendable @escaping (Request, Context) async throws -> Response,
        submit: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        on(path, method: .get, use: show)
        on(path, method: .post, use: submit)
        return refuseOthers(than: [.get, .post], at: path) { throw PublicFailure.methodNotAllowed($0) }
    }

    private func refuseOthers(
        than allowed: [HTTPRequest.Method], at path: RouterPath,
        with refusal: @Sendable @escaping ([HTTPRequest.Method]) throws -> Response
    ) -> Self {
        let all: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]
        for method in all where !allowed.contains(method) {
            on(path, method: method) { (_, _) -> Response in try refusal(allowed) }
        }
        return self
    }
}
