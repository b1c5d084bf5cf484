import HTTPTypes
public import Hummingbird

/// Adds the security headers to every response. A route that needs another value sets it, and that value stays.
public struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    private let fields: SecurityFields
    private let pathsWithTokens: Set<String>

    /// - Parameter pathsWithTokens: paths whose URL contains a token. Their responses, error pages included, keep the URL out
    ///   of the Referer of later requests.
    public init(origin: PublicOrigin, pathsWithTokens: Set<String> = []) {
        self.pathsWithTokens = pathsWithTokens
        fields = SecurityFields(origin: origin)
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if pathsWithTokens.contains(request.uri.path) { response.headers[.referrerPolicy] = "no-referrer" }
        fields.add(to: &response.headers)
        return response
    }
}

/// Content security policies: what a page may load and where its forms may go.
public enum ContentPolicy {
    /// For pages with forms, which go to this origin only.
    public static let forms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// For pages that contain a token: no forms.
    public static let noForms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'"
}

/// The security headers of every response for one public origin.
struct SecurityFields: Sendable {
    private let fixed: [(HTTPField.Name, String)]

    init(origin: PublicOrigin) {
        var fields: [(HTTPField.Name, String)] = [
            (.contentSecurityPolicy, ContentPolicy.forms),
            (.xContentTypeOptions, "nosniff"),
            (.referrerPolicy, "same-origin"),
            (.crossOriginOpenerPolicy, "same-origin"),
            (.crossOriginResourcePolicy, "same-origin"),
            (.frameOptions, "DENY"),
            (.permissionsPolicy, "camera=(), geolocation=(), microphone=()"),
            // The default for personal pages. Public responses set their own value.
            (.cacheControl, "no-store"),
        ]
        if origin.isHTTPS {
            let scope = origin.includesSubdomains ? "; includeSubDomains" : ""
            fields.append((.strictTransportSecurity, "max-age=31536000\(scope)"))
        }
        fixed = fields
    }

    /// Adds the headers that the response does not have yet.
    func add(to headers: inout HTTPFields) {
        for (name, value) in fixed where headers[name] == nil { headers[name] = value }
    }
}
