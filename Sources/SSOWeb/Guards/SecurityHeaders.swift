import HTTPTypes
public import Hummingbird

/// The headers of every answer (contract 7). A route that needs another value sets it first and keeps it.
public struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    private let fixed: [(HTTPField.Name, String)]
    private let pathsWithTokens: Set<String>

    /// - Parameter pathsWithTokens: where the address itself holds a token. No answer there, error pages of whatever
    ///   kind included, lets it into a Referer.
    public init(origin: PublicOrigin, pathsWithTokens: Set<String> = []) {
        self.pathsWithTokens = pathsWithTokens
        var fields: [(HTTPField.Name, String)] = [
            (.contentSecurityPolicy, ContentPolicy.forms),
            (.xContentTypeOptions, "nosniff"),
            (.referrerPolicy, "same-origin"),
            (.crossOriginOpenerPolicy, "same-origin"),
            (.crossOriginResourcePolicy, "same-origin"),
            (.frameOptions, "DENY"),
            (.permissionsPolicy, "camera=(), geolocation=(), microphone=()"),
            // What is public says so itself; everything else is personal until shown otherwise.
            (.cacheControl, "no-store"),
        ]
        if origin.isHTTPS { fields.append((.strictTransportSecurity, "max-age=31536000; includeSubDomains")) }
        fixed = fields
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if pathsWithTokens.contains(request.uri.path) { response.headers[.referrerPolicy] = "no-referrer" }
        for (name, value) in fixed where response.headers[name] == nil { response.headers[name] = value }
        return response
    }
}

/// What a page may load and where its forms may go.
public enum ContentPolicy {
    public static let forms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// For pages that hold a token: no form at all.
    public static let noForms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'"
}
