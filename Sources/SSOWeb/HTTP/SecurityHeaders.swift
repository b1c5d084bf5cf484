public import HTTPTypes
public import Hummingbird

/// Adds the security headers to every response. A route that needs another value sets it, and that value stays.
public struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    private let fields, fieldsOfOthers: SecurityFields
    private let pathsWithTokens, otherHosts: PathPatterns

    /// - Parameters:
    ///   - pathsWithTokens: paths whose URL contains a token; one that ends with a slash stands for all below it, and
    ///     `*` for one part of a path.
    ///     Their responses, error pages included, keep the URL out of the Referer of later requests.
    ///   - otherHosts: paths that are answered on the host of another service, written alike. What this program wants of the hosts
    ///     below its own (`includeSubDomains`) is not for those below that one.
    public init(origin: PublicOrigin, pathsWithTokens: Set<String> = [], otherHosts: Set<String> = []) {
        (self.pathsWithTokens, self.otherHosts) = (PathPatterns(pathsWithTokens), PathPatterns(otherHosts))
        fields = SecurityFields(origin: origin)
        var other = origin
        other.includesSubdomains = false
        fieldsOfOthers = SecurityFields(origin: other)
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let path = request.uri.path
        if pathsWithTokens.contain(path) { response.headers[.referrerPolicy] = "no-referrer" }
        (otherHosts.contain(path) ? fieldsOfOthers : fields).add(to: &response.headers)
        if request.isFromNativeShell { allowFetch(&response.headers) }
        return response
    }

    /// Hotwire Native opens the next page with fetch from this one. Without this directive every visit fails.
    private func allowFetch(_ headers: inout HTTPFields) {
        guard let policy = headers[.contentSecurityPolicy], policy.contains("script-src 'self'"),
            !policy.contains("connect-src")
        else { return }
        headers[.contentSecurityPolicy] = policy + "; connect-src 'self'"
    }
}

/// Content security policies: what a page may load and where its forms may go.
public enum ContentPolicy {
    /// For pages with forms, which go to this origin only.
    public static let forms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// For pages with forms that also receive events from this origin.
    public static let formsAndEvents = forms + "; connect-src 'self'"

    /// For pages with forms that also show documents of this origin in frames.
    public static let formsAndFrames = forms + "; frame-src 'self'"

    /// For an email in a frame of this origin: the styles and images that are part of it, and links that open tabs.
    public static let framedEmail =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
        + "sandbox allow-popups allow-popups-to-escape-sandbox"

    /// For a page whose form leads on to a client. Browsers apply `form-action` also to the redirects after the POST, which are the
    /// client's, so it names none. The page has no other form.
    public static let formsToClients = forms.replacing("form-action 'self'; ", with: "")

    /// For pages that contain a token: no forms.
    public static let noForms =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'"
}

extension ContentPolicy {
    /// For images that come from outside, such as a logo: nothing in them runs or loads.
    public static let image = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
}

extension HTTPFields {
    /// The headers of a page that goes on to an address which holds a token, a code or a state.
    package static let goingOn: HTTPFields = [
        .contentSecurityPolicy: ContentPolicy.noForms, .referrerPolicy: "no-referrer", .cacheControl: "no-store",
    ]
}

/// The security headers of every response for one public origin.
struct SecurityFields: Sendable {
    private let fixed: [HTTPField]

    init(origin: PublicOrigin) {
        var fields: [(HTTPField.Name, String)] = [
            (.contentSecurityPolicy, ContentPolicy.forms),
            (.xContentTypeOptions, "nosniff"),
            (.referrerPolicy, "same-origin"),
            (.crossOriginOpenerPolicy, "same-origin"),
            (.crossOriginResourcePolicy, "same-origin"),
            (.frameOptions, "DENY"),
            (
                .permissionsPolicy,
                "camera=(), geolocation=(), microphone=(), publickey-credentials-get=(self), publickey-credentials-create=(self)"
            ),
            // The default for personal pages. Public responses set their own value.
            (.cacheControl, "no-store"),
        ]
        if origin.isHTTPS {
            let scope = origin.includesSubdomains ? "; includeSubDomains" : ""
            fields.append((.strictTransportSecurity, "max-age=31536000\(scope)"))
        }
        fixed = fields.map { HTTPField(name: $0.0, value: $0.1) }
    }

    /// Adds the headers that the response does not have yet.
    func add(to headers: inout HTTPFields) {
        headers.reserveCapacity(headers.count + fixed.count)
        for field in fixed where !headers.contains(field.name) { headers.append(field) }
    }
}

extension HTTPField.Name {
    // Each literal is a valid field name (RFC 9110 5.1). The fallback is never used and avoids a force unwrap.
    private static func field(_ name: String) -> Self { Self(name) ?? .contentType }

    /// Fetch Metadata (W3C): the relation to the site that made the request.
    public static let secFetchSite = field("Sec-Fetch-Site")
    /// Fetch Metadata: `navigate` when the user opens a page.
    public static let secFetchMode = field("Sec-Fetch-Mode")
    /// Fetch Metadata: `document` for a page, `iframe`, `image` and so on for its parts.
    public static let secFetchDest = field("Sec-Fetch-Dest")
    /// `prefetch` when the browser loads a page before a click.
    public static let secPurpose = field("Sec-Purpose")
    /// The older name of ``secPurpose``.
    public static let purpose = field("Purpose")
    /// The name that Turbo gives ``secPurpose``: scripts cannot set the real one.
    public static let xSecPurpose = field("X-Sec-Purpose")
    /// The client's address as a proxy reports it. Used from trusted proxies only.
    public static let xForwardedFor = field("X-Forwarded-For")
    /// How much of the URL other sites receive (W3C).
    public static let referrerPolicy = field("Referrer-Policy")
    /// Whether the page that opened this one can reach it.
    public static let crossOriginOpenerPolicy = field("Cross-Origin-Opener-Policy")
    /// Which sites may embed the response.
    public static let crossOriginResourcePolicy = field("Cross-Origin-Resource-Policy")
    /// Which browser features the page may use.
    public static let permissionsPolicy = field("Permissions-Policy")
    /// The older form of `frame-ancestors`.
    public static let frameOptions = field("X-Frame-Options")
}
