import SSOShared

/// The public origin of a program, used in links, cookies and checks. The Host header is never used for these.
public struct PublicOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `https://sso.example.com`: scheme, host and port in lower case, without a slash at the end.
    public let text: String
    /// In lower case, without the brackets of IPv6.
    public let host: String
    /// Whether the scheme is https. With http the host is loopback.
    public let isHTTPS: Bool
    /// Whether `Strict-Transport-Security` also covers the subdomains of the host (`HSTS_INCLUDE_SUBDOMAINS`).
    public var includesSubdomains = false
    public var description: String { text }

    /// Whether the host is this machine.
    public var isLoopback: Bool { LoopbackHost.contains(host) }

    /// - Throws: ``SettingError`` unless the text is an https origin, or an http origin with a loopback host.
    public init(_ text: String) throws(SettingError) {
        // The text before an @ may be a password, so nothing of it is repeated.
        guard !text.contains("@") else {
            throw SettingError("has a user name in it. Leave out path, query and user name.")
        }
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(text, allowing: .emptyPort) } catch {
            throw SettingError("\"\(text)\" \(error). Give an origin such as https://sso.example.com.")
        }
        guard url.isOrigin else {
            throw SettingError("\"\(text)\" has more than scheme, host and port. Leave out path, query and user name.")
        }
        guard url.isHTTPS || url.authority.isLoopback else {
            throw SettingError("\"\(text)\" must be https, except on a loopback host (localhost, 127.0.0.1, ::1).")
        }
        // Browsers omit the default port from Origin (RFC 6454 6.2), so no form would match with it.
        let hasEmptyPort = url.authority.port == nil && text.hasSuffix(url.rest.isEmpty ? ":" : ":/")
        guard url.authority.port != (url.isHTTPS ? 443 : 80), !hasEmptyPort else {
            throw SettingError("\"\(text)\" names the default port of its scheme. Leave it out, as browsers do.")
        }
        self.text = url.origin
        host = url.authority.host
        isHTTPS = url.isHTTPS
    }
}
