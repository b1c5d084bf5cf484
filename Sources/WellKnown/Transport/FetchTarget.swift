import SSOShared

/// The domain or URL to fetch, as typed.
public struct FetchTarget: Sendable, Hashable {
    /// The host in lower case without a trailing dot. An IPv6 address keeps its brackets.
    public let host: String
    /// The port, or `nil` for 443. Apple and Android do not support other ports. They are for tests.
    public let port: Int?
    /// Path and query as typed. `nil` if absent or `/`: the files are then requested from their standard paths.
    public let path: String?

    /// Reads `example.com`, `example.com:8443`, `https://example.com` or the URL of a file. `http://` is read as
    /// `https://`, because the files are fetched only over https.
    public init?(_ text: String) {
        let lower = text.lowercased()
        let hasScheme = lower.hasPrefix("http://") || lower.hasPrefix("https://")
        guard let address = try? SiteAddress(hasScheme ? text : "https://" + text) else { return nil }
        let name = Self.trimmed(address.host)
        // Unicode names must be in Punycode: a conversion here could result in another host than on the device.
        guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard name.hasPrefix("[") || Self.isName(name) else { return nil }
        host = name
        port = address.port == 443 || (address.scheme == "http" && address.port == 80) ? nil : address.port
        let rest = String(address.rest.prefix { $0 != "#" })
        path = rest.isEmpty || rest == "/" ? nil : (rest.hasPrefix("/") ? rest : "/" + rest)
    }

    public func url(_ path: String, scheme: String = "https") -> String { "\(scheme)://\(authority)\(path)" }

    public var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Whether the host is an IP address. It then has no sibling and no parent.
    public var isNumeric: Bool {
        host.hasPrefix("[") || host.split(separator: ".").last?.allSatisfy { $0.isASCII && $0.isNumber } == true
    }

    /// The host with `www.` added or removed. `nil` for an IP address or a name without dots.
    public var sibling: String? {
        guard !isNumeric, host.contains(".") else { return nil }
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : "www." + host
    }

    /// The parent domain. `nil` if that is probably a public suffix, or the ``sibling``.
    public var parent: String? {
        let labels = host.split(separator: ".")
        guard !isNumeric, labels.count >= 3, labels[0] != "www" else { return nil }
        // co.uk, com.au and similar suffixes: a short label before a country code.
        if labels.count == 3, labels[2].utf8.count == 2, labels[1].utf8.count <= 3 { return nil }
        return labels.dropFirst().joined(separator: ".")
    }

    private static func trimmed(_ host: String) -> String {
        let lower = host.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }

    /// Whether the text is a host name (RFC 1123 section 2.1). `_` is also allowed, because it is in use.
    private static func isName(_ name: String) -> Bool {
        name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
    }
}
