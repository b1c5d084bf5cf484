import SSOShared

/// How the domain under examination relates to the hosts that entitlements and manifests name.
public struct DoctorHost: Sendable, Hashable {
    /// Lower case, without a dot at the end.
    public let name: String

    /// - Returns: `nil` for what is no host name: a URL, a port, a wildcard, an umlaut (write Punycode), an address.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        }
        // A name whose last label is a number is an address.
        guard isName, labels.count >= 2, bytes.count <= 253, labels.last?.allSatisfy(\.isASCIIDigit) == false else {
            return nil
        }
        name = String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// Whether a host of an entitlement or of a manifest means this domain, letter case aside: the name itself, or a
    /// wildcard over it. `*.example.com` does not mean `example.com`.
    public func isMeant(by pattern: String) -> Bool {
        let pattern = pattern.lowercased()
        guard pattern.hasPrefix("*.") else { return pattern == name }
        return name.hasSuffix(pattern.dropFirst())
    }
}
