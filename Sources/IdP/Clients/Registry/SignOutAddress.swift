import SSOShared

/// The addresses that a `logout_uri` must not lead to (OWASP, server-side request forgery). Private and loopback ones are
/// allowed: services of a company's own network are what this is for, and their certificates are checked.
package enum SignOutAddress {
    /// Why a message cannot go to a host; nil for one that it may go to. Only the text decides: where a name leads is known only
    /// when a message is sent.
    static func error(_ host: HostPort) -> String? {
        switch host.kind {
        case .ipv4, .ipv6: HostPort.octets(ofAddress: host.host).flatMap { error($0) }
        case .name: MetadataAddress.names.contains(host.host.lowercased()) ? "metadata" : nil
        }
    }

    /// Why an address is refused; nil for one that is not.
    ///
    /// - Parameter octets: 4 or 16 of them, in network order.
    @Sendable package static func error(_ octets: [UInt8]) -> String? {
        let address = embedded(in: octets) ?? octets
        if MetadataAddress.contains(address) { return "metadata" }
        let kind = ReservedAddress.kind(of: address)
        return kind.flatMap { refused.contains($0) ? $0 : nil }
    }

    /// The same for a message over plain http (`allow_private_http`): it stays on this machine and in private networks, wherever
    /// the name leads.
    @Sendable package static func errorOverPlainHTTP(_ octets: [UInt8]) -> String? {
        if let error = error(octets) { return error }
        let address = embedded(in: octets) ?? octets
        let isNear = PrivateHost.contains(octets: address) || ReservedAddress.kind(of: address) == "loopback"
        return isNear ? nil : "public"
    }

    /// The IPv4 address that an IPv6 one stands for: mapped (RFC 4291 2.5.5.2), or reached through NAT64 (RFC 6052 2.1). A network
    /// may place that anywhere in its local prefix (RFC 8215), so the whole prefix is refused.
    private static func embedded(in octets: [UInt8]) -> [UInt8]? {
        guard octets.count == 16 else { return nil }
        let isMapped = octets.starts(with: [UInt8](repeating: 0, count: 10) + [0xff, 0xff])
        let isTranslated = octets.starts(with: [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8))
        return isMapped || isTranslated ? Array(octets.suffix(4)) : nil
    }

    private static let refused: Set<String> = [
        "link-local", "this network", "unspecified", "multicast", "reserved", "site-local", "discard only",
        "not an address",
        "Teredo", "6to4", "NAT64",
    ]
}
