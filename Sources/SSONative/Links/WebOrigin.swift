public import Foundation

/// Scheme, host and port of a web address, parsed and compared as three values (RFC 6454).
///
/// Never compare the beginning of a URL's text: `https://idp.example.com@evil.example` and
/// `https://idp.example.com.evil.example` begin with the server's address too.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `https` or `http`.
    public let scheme: String
    /// In lower case. A trailing dot is kept: browsers treat `example.com.` as another host.
    public let host: String
    /// The default port of the scheme if the URL has none.
    public let port: Int

    /// `nil` unless the URL is a well-formed `http` or `https` URL without user information.
    public init?(_ url: URL) {
        guard let parts = LinkParts(url) else { return nil }
        self.init(parts)
    }

    init?(_ parts: LinkParts) {
        let defaults = ["https": 443, "http": 80]
        guard let defaultPort = defaults[parts.scheme], let authority = parts.authority?.lowercased() else {
            return nil
        }
        guard parts.path.isEmpty || parts.path.hasPrefix("/") else { return nil }
        let hostEnd: String.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = String(authority[..<hostEnd])
        guard Self.isHost(host), let port = Self.port(authority[hostEnd...], default: defaultPort) else { return nil }
        (self.scheme, self.host, self.port) = (parts.scheme, host, port)
    }

    /// The origin as a URL writes it: without the default port.
    public var description: String {
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(port)")"
    }

    /// Whether the host is this device. Only there `http` is acceptable, for development.
    public var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// The address of a path on this origin. `path` starts with a slash and comes from a constant of the library.
    func address(_ path: String, query: [(name: String, value: String)] = []) -> URL? {
        let items = query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        return URL(string: description + path + (items.isEmpty ? "" : "?" + items))
    }

    /// Everything but RFC 3986's unreserved characters is encoded, so that a value cannot add a parameter.
    private static func encoded(_ value: String) -> String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        return value.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved)) ?? ""
    }

    /// Names, IPv4 and IPv6 addresses. A percent sign is refused, because browsers decode it: `ser%76er` is `server`.
    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." } && host.count > 3
        }
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        return labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        }
    }

    private static func port(_ text: Substring, default defaultPort: Int) -> Int? {
        guard text.hasPrefix(":") else { return text.isEmpty ? defaultPort : nil }
        let digits = text.dropFirst()
        guard !digits.isEmpty else { return defaultPort }
        guard digits.count <= 5, digits.first != "0", digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        return Int(digits).flatMap { $0 <= 65535 ? $0 : nil }
    }
}
