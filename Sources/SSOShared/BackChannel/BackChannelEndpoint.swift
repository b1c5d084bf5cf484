/// The URLs of the identity provider's back channel.
struct BackChannelEndpoint: Sendable {
    /// The absolute URL of ``SSOPath/verify``.
    let url: String
    /// The absolute URL of ``SSOPath/health``.
    let healthURL: String
    /// Whether the scheme is http, which ``init(origin:allowPlaintext:)`` has permitted.
    let isPlaintext: Bool

    /// - Parameters:
    ///   - origin: scheme, host and perhaps port; a slash at its end makes no difference.
    ///   - allowPlaintext: permits http to any host, for a network that encrypts by itself.
    init(origin: String, allowPlaintext: Bool) throws(BackChannelSetupFault) {
        guard let parsed = try? WebURL(origin), parsed.isOrigin else { throw .notAnOrigin }
        isPlaintext = !parsed.isHTTPS
        guard !isPlaintext || allowPlaintext || parsed.authority.isLoopback else { throw .plaintext }
        // Built from the parsed parts: libcurl connects to the host that was checked.
        url = parsed.origin + SSOPath.verify
        healthURL = parsed.origin + SSOPath.health
    }
}
