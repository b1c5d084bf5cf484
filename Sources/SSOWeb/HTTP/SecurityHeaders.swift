import HTTPTypes
public import Hummingbird

/// The headers of every answer (contract 7). A route that needs another value sets it first and keeps it.
public struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    private let fields: SecurityFields
    private let pathsWithTokens: Set<String>

    /// - Parameter pathsWithTokens: where the address itself holds a token. No answer there, error pages of whatever
    ///   kind included, lets it into a Referer.
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

/// What a page may load and where its forms may go.
public enum ContentPolicy {
    /// For pages with forms, which go to this origin alone.
    public static let forms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// For pages that hold a token: no form at all.
    public static let noForms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'"
}

/// The headers of every answer, as they are under one public address.
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
            // What is public says so itself; everything else is personal until shown otherwise.
            (.cacheControl, "no-store"),
        ]
        if origin.isHTTPS {
            let scope = origin.includesSubdomains ? "; includeSubDomains" : ""
            fields.append((.strictTransportSecurity, "max-age=31536000\(scope)"))
        }
        fixed = fields
    }

    /// Adds those that are not there yet.
    func add(to headers: inout HTTPFields) {
        for (name, value) in fixed where headers[name] == nil { headers[name] = value }
    }
}
