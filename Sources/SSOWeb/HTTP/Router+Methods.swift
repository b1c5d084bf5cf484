public import HTTPTypes
public import Hummingbird

extension RouterMethods {
    /// Serves a path with the given methods and answers all other methods with 405 and `Allow` (RFC 9110 15.5.6).
    ///
    /// Does not derive HEAD from GET, unlike ``page(at:use:)``: a link checker's HEAD must not issue a token.
    ///
    /// - Parameter refusal: another 405 response, for a path that does not serve HTML.
    @discardableResult public func only(
        _ methods: [HTTPRequest.Method], at path: RouterPath,
        refusing refusal: @Sendable @escaping ([HTTPRequest.Method]) throws -> Response = { allowed in
            throw PublicError.methodNotAllowed(allowed)
        },
        use handler: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        for method in methods { on(path, method: method, use: handler) }
        return refuseOthers(than: methods, at: path, with: refusal)
    }

    /// Serves a page with GET, and HEAD as GET: ``RoutedMethods`` drops the body and the cookies.
    ///
    /// - Parameter handler: must not change anything for a HEAD.
    @discardableResult public func page(
        at path: RouterPath, use handler: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        on(path, method: .get, use: handler)
        on(path, method: .head, use: handler)
        return refuseOthers(than: [.get, .head], at: path) { throw PublicError.methodNotAllowed($0) }
    }

    /// Serves a page and accepts its form: GET, HEAD and POST of one path.
    ///
    /// - Parameter show: must not change anything for a HEAD.
    @discardableResult public func form(
        at path: RouterPath,
        show: @Sendable @escaping (Request, Context) async throws -> Response,
        submit: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        on(path, method: .get, use: show)
        on(path, method: .head, use: show)
        on(path, method: .post, use: submit)
        return refuseOthers(than: [.get, .head, .post], at: path) { throw PublicError.methodNotAllowed($0) }
    }

    private func refuseOthers(
        than allowed: [HTTPRequest.Method], at path: RouterPath,
        with refusal: @Sendable @escaping ([HTTPRequest.Method]) throws -> Response
    ) -> Self {
        // ``RoutedMethods`` routes all others as TRACE.
        for method in HTTPRequest.Method.served + [.trace] where !allowed.contains(method) {
            on(path, method: method) { (_, _) -> Response in try refusal(allowed) }
        }
        return self
    }
}
