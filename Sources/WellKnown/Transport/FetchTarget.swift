import SSOShared

/// The domain or URL to fetch, as typed.
public struct FetchTarget: Sendable, Hashable {
    /// The host in lower case without a trailing dot. An IPv6 address keeps its brackets.
    public let host: String
    /// The port, or `nil` for 443. Apple and Android do not support other ports. They are for tests.
    public let port: Int?
    /// Path and query as typed. `nil` if they are absent or `/`. The files are then requested from their standard
    /// paths.
    public let path: String?

    /// Reads `example.com`, `example.com:8443`, `https://example.com` or the URL of a file. `http://` is read as
    /// `https://`, because the files are fetched only over https.
    public init?(_ text: String) {
        let lower = text.lowercased()
        let hasScheme = lower.hasPrefix("http://") || lower.hasPrefix("https://")
        guard let address = try? SiteAddress(hasScheme ? text : "https://" + text) else { return nil }
        let name = Self.trimmed(address.host)
        // Unicode names must be written in Punycode. A conversion in this program could result in another host than on
        // the device.
        guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard name.hasPrefix("[") || Self.isName(name) else { return nil }
        host = name
        port = address.port == 443 || (address.scheme == "http" && address.port == 80) ? nil : address.port
        let rest = String(address.rest.prefix { $0 != "#" })
        path = rest.isEmpty || rest == "/" ? nil : (rest.hasPrefix("/") ? rest : "/" + rest)
    }

    /// The URL of a path on the host.
    public func url(_ path: String, scheme: String = "https") -> String { "\(scheme)://\(authority)\(path)" }

    /// Host and port, as in a URL.
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

/// IP addresses that are not reachable from the public internet, or that a program must not be tricked into requesting.
///
/// The owner of a domain decides which address its name resolves to. Without this check, the fetcher could be made to
/// request machines of its own network (server-side request forgery). Apple's CDN also rejects these addresses
/// (SWCERR00202).
///
/// Source: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates).
public enum ReservedAddress {
    /// Returns the purpose for which the address is reserved, or `nil` if it is public.
    ///
    /// - Parameter octets: 4 or 16 octets in network order. Any other number is not an address.
    public static func kind(of octets: [UInt8]) -> String? {
        switch octets.count {
        case 4: table4.first { matches(octets, $0.prefix, $0.bits) }?.kind
        case 16: ipv6(octets)
        default: "not an address"
        }
    }

    private static func ipv6(_ octets: [UInt8]) -> String? {
        if let entry = table6.first(where: { matches(octets, $0.prefix, $0.bits) }) { return entry.kind }
        // All assigned global addresses are in 2000::/3.
        return octets[0] & 0xe0 == 0x20 ? nil : "reserved"
    }

    private static func matches(_ octets: [UInt8], _ prefix: [UInt8], _ bits: Int) -> Bool {
        for index in 0..<(bits / 8) where octets[index] != (index < prefix.count ? prefix[index] : 0) { return false }
        guard bits % 8 != 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xff00 >> (bits % 8))
        return octets[bits / 8] & mask == (bits / 8 < prefix.count ? prefix[bits / 8] : 0) & mask
    }

    private static let table4: [(prefix: [UInt8], bits: Int, kind: String)] = [
        ([0], 8, "this network"), ([10], 8, "private"), ([100, 64], 10, "shared by a carrier"), ([127], 8, "loopback"),
        ([169, 254], 16, "link-local"), ([172, 16], 12, "private"), ([192, 0, 0], 24, "protocol assignments"),
        ([192, 0, 2], 24, "documentation"), ([192, 88, 99], 24, "6to4 relay"), ([192, 168], 16, "private"),
        ([198, 18], 15, "benchmarking"), ([198, 51, 100], 24, "documentation"), ([203, 0, 113], 24, "documentation"),
        ([224], 4, "multicast"), ([240], 4, "reserved"),
    ]

    private static let table6: [(prefix: [UInt8], bits: Int, kind: String)] = [
        ([], 128, "unspecified"),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, "IPv4-mapped"),
        ([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 96, "NAT64"), ([0, 0x64, 0xff, 0x9b, 0, 1], 48, "NAT64"),
        ([0x01, 0], 64, "discard only"), ([0x20, 0x01, 0, 0], 32, "Teredo"),
        ([0x20, 0x01, 0], 23, "protocol assignments"),
        ([0x20, 0x01, 0x0d, 0xb8], 32, "documentation"), ([0x20, 0x02], 16, "6to4"),
        ([0x3f, 0xff, 0], 20, "documentation"), ([0xfc], 7, "unique local"), ([0xfe, 0x80], 10, "link-local"),
        ([0xfe, 0xc0], 10, "site-local"), ([0xff], 8, "multicast"),
    ]
}
