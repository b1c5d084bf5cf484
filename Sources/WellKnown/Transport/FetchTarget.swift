import SSOShared

/// What to fetch: a domain or a URL, as typed.
public struct FetchTarget: Sendable, Hashable {
    /// Lower case, no dot at the end; an IPv6 address keeps its brackets.
    public let host: String
    /// `nil` for 443. Neither Apple nor Android knows others: for trying things out.
    public let port: Int?
    /// Path and query as typed; `nil` for none or `/`: then the files are where they belong.
    public let path: String?

    /// Reads `example.com`, `example.com:8443`, `https://example.com` or the address of a file. `http://` is taken for
    /// `https://`: the files are never fetched any other way.
    public init?(_ text: String) {
        let lower = text.lowercased()
        let hasScheme = lower.hasPrefix("http://") || lower.hasPrefix("https://")
        guard let address = try? SiteAddress(hasScheme ? text : "https://" + text) else { return nil }
        let name = Self.trimmed(address.host)
        // Unicode names travel as Punycode; a program that translated them here could fetch another site than the phone.
        guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard name.hasPrefix("[") || Self.isName(name) else { return nil }
        host = name
        port = address.port == 443 || (address.scheme == "http" && address.port == 80) ? nil : address.port
        let rest = String(address.rest.prefix { $0 != "#" })
        path = rest.isEmpty || rest == "/" ? nil : (rest.hasPrefix("/") ? rest : "/" + rest)
    }

    /// The address of a path on the host.
    public func url(_ path: String, scheme: String = "https") -> String { "\(scheme)://\(authority)\(path)" }

    /// Host and port, as in an address.
    public var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Whether the host is a number: it has no relatives then.
    public var isNumeric: Bool {
        host.hasPrefix("[") || host.split(separator: ".").last?.allSatisfy { $0.isASCII && $0.isNumber } == true
    }

    /// The same site without `www.`, or with it; `nil` for a number or a name without dots.
    public var sibling: String? {
        guard !isNumeric, host.contains(".") else { return nil }
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : "www." + host
    }

    /// The parent domain. `nil` if that is probably a public suffix, or the ``sibling``.
    public var parent: String? {
        let labels = host.split(separator: ".")
        guard !isNumeric, labels.count >= 3, labels[0] != "www" else { return nil }
        // co.uk, com.au and the like: a short word under a country.
        if labels.count == 3, labels[2].utf8.count == 2, labels[1].utf8.count <= 3 { return nil }
        return labels.dropFirst().joined(separator: ".")
    }

    private static func trimmed(_ host: String) -> String {
        let lower = host.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }

    /// RFC 1123 section 2.1, and `_`, which exists.
    private static func isName(_ name: String) -> Bool {
        name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
    }
}

/// Addresses that are not reachable from outside, or that a program must not be tricked into requesting.
///
/// The owner of a domain decides what its name resolves to. Without this check, the fetcher could be made to request
/// machines of its own network (server-side request forgery). Apple's CDN refuses them, too (SWCERR00202).
///
/// Source: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates).
public enum ReservedAddress {
    /// What the address is reserved for; `nil` when it is public.
    ///
    /// - Parameter octets: 4 or 16, in network order. Anything else is not an address.
    public static func kind(of octets: [UInt8]) -> String? {
        switch octets.count {
        case 4: table4.first { matches(octets, $0.prefix, $0.bits) }?.kind
        case 16: ipv6(octets)
        default: "not an address"
        }
    }

    private static func ipv6(_ octets: [UInt8]) -> String? {
        if let entry = table6.first(where: { matches(octets, $0.prefix, $0.bits) }) { return entry.kind }
        // Everything that is given out lies in 2000::/3.
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
