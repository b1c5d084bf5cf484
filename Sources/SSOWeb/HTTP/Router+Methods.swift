public import HTTPTypes
public import Hummingbird

extension RouterMethods {
    /// Serves a path with some methods and answers every other known one with 405 and `Allow` (RFC 9110 15.5.6).
    ///
    /// - Parameter refusing: another answer with 405, for an address that speaks no HTML.
    ///
    /// HEAD is not made from GET here: for addresses whose GET does what cannot be looked at without doing it. A link
    /// checker's HEAD must not issue a token. See ``page(at:use:)``.
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

    /// Serves a page: GET, and HEAD as GET without the body (RFC 9110 9.3.2).
    ///
    /// - Parameter handler: changes nothing for a HEAD.
    @discardableResult public func page(
        at path: RouterPath, use handler: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        on(path, method: .get, use: handler)
        on(path, method: .head) { try await Self.head($0, $1, handler) }
        return refuseOthers(than: [.get, .head], at: path) { throw PublicError.methodNotAllowed($0) }
    }

    /// Serves a page and takes the form on it: GET, HEAD and POST of one path.
    ///
    /// - Parameter show: changes nothing for a HEAD.
    @discardableResult public func form(
        at path: RouterPath,
        show: @Sendable @escaping (Request, Context) async throws -> Response,
        submit: @Sendable @escaping (Request, Context) async throws -> Response
    ) -> Self {
        on(path, method: .get, use: show)
        on(path, method: .head) { try await Self.head($0, $1, show) }
        on(path, method: .post, use: submit)
        return refuseOthers(than: [.get, .head, .post], at: path) { throw PublicError.methodNotAllowed($0) }
    }

    /// A cookie is part of what GET would have done.
    private static func head(
        _ request: Request, _ context: Context, _ show: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await show(request, context)
        response.headers[.setCookie] = nil
        return response.createHeadResponse()
    }

    private func refuseOthers(
        than allowed: [HTTPRequest.Method], at path: RouterPath,
        with refusal: @Sendable @escaping ([HTTPRequest.Method]) throws -> Response
    ) -> Self {
        for method in HTTPRequest.Method.parsed where !allowed.contains(method) {
            on(path, method: method) { (_, _) -> Response in try refusal(allowed) }
        }
        return self
    }
}

extension HTTPRequest.Method {
    /// Those that the server's parser lets through; what has another name never becomes a request.
    fileprivate static let parsed: [HTTPRequest.Method] = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "ACL", "BIND", "CHECKOUT",
        "COPY",
        "LINK", "LOCK", "M-SEARCH", "MSEARCH", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MOVE", "NOTIFY",
        "PROPFIND",
        "PROPPATCH", "PURGE", "QUERY", "REBIND", "REPORT", "SEARCH", "SOURCE", "SUBSCRIBE", "UNBIND", "UNLINK",
        "UNLOCK", "UNSUBSCRIBE",
    ].compactMap(HTTPRequest.Method.init(rawValue:))
}
