public import HTTPTypes

extension HTTPField.Name {
    // Each literal is a valid field name (RFC 9110 5.1), so the fallback is never taken; it keeps a typing error here
    // from ending the process.
    private static func field(_ name: String) -> Self { Self(name) ?? .contentType }

    /// Fetch Metadata (W3C): which site the request comes from.
    public static let secFetchSite = field("Sec-Fetch-Site")
    /// Fetch Metadata: `navigate` for a page that a person opens.
    public static let secFetchMode = field("Sec-Fetch-Mode")
    /// Fetch Metadata: `document` for a whole page, `iframe`, `image` and so on for parts of one.
    public static let secFetchDest = field("Sec-Fetch-Dest")
    /// `prefetch` when the browser loads ahead of a click.
    public static let secPurpose = field("Sec-Purpose")
    /// The older name of ``secPurpose``.
    public static let purpose = field("Purpose")
    /// What proxies say of the client; believed of trusted ones only.
    public static let xForwardedFor = field("X-Forwarded-For")
    /// Https from now on (RFC 6797).
    public static let strictTransportSecurity = field("Strict-Transport-Security")
    /// What of the address other sites are told (W3C).
    public static let referrerPolicy = field("Referrer-Policy")
    /// Whether a page that opened this one keeps a hold on it.
    public static let crossOriginOpenerPolicy = field("Cross-Origin-Opener-Policy")
    /// Who may embed the answer.
    public static let crossOriginResourcePolicy = field("Cross-Origin-Resource-Policy")
    /// Which features of the browser the page may use.
    public static let permissionsPolicy = field("Permissions-Policy")
    /// The older word for `frame-ancestors`.
    public static let frameOptions = field("X-Frame-Options")
}
