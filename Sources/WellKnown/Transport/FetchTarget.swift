import SSOShared

/// What to fetch, as somebody typed it: a domain, or an address.
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

    /// The next domain up, where it is somebody's and not a registry's; `nil` otherwise, and when it is the sibling.
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
