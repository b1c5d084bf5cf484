import SSOShared

/// A domain, for comparison with hosts in entitlements and manifests.
struct DomainName: Sendable, Hashable {
    /// The name in lower case, without a trailing dot.
    let name: String

    /// - Returns: `nil` if the text is not a domain name, for example a URL, a wildcard or an IP address. A name with
    ///   non-ASCII letters must be written in Punycode.
    init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard HostPort.isDomain(bytes) else { return nil }
        name = String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// Whether a host in an entitlement or a manifest matches this domain: the same name, or a wildcard of which this is
    /// a subdomain. Case does not matter. `*.example.com` does not match `example.com`.
    func isMeant(by pattern: String) -> Bool {
        let pattern = pattern.lowercased()
        guard pattern.hasPrefix("*.") else { return pattern == name }
        return name.hasSuffix(pattern.dropFirst())
    }
}
