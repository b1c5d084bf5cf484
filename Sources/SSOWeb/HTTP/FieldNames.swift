public import HTTPTypes

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
    /// The client's address as a proxy reports it. Used from trusted proxies only.
    public static let xForwardedFor = field("X-Forwarded-For")
    /// Makes browsers use https only (RFC 6797).
    public static let strictTransportSecurity = field("Strict-Transport-Security")
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
