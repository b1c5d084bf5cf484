package import SSOShared
package import SSOWeb

/// Makes the keyed hashes of addresses (`IDP_SECRET_KEY`). Without the key nobody can try a list of addresses on the rows.
package struct AuditAddressKeys: Sendable {
    private let keys: [[UInt8]]

    package init(_ keys: DerivedKeys) { self.keys = keys.derive("audit-address") }

    package func typed(_ address: EmailAddress) -> TypedAddress {
        TypedAddress(masked: address.masked, mac: macs(of: address).first ?? [])
    }

    /// What the log calls the address: one name for each key, the present one first.
    package func ids(of address: EmailAddress) -> [String] { macs(of: address).map(TypedAddress.id) }

    /// The hashes that rows about this address have: one for each key.
    package func macs(of address: EmailAddress) -> [[UInt8]] {
        keys.map { Array(HMACSHA256.code(for: Array(address.text.utf8), key: $0).prefix(16)) }
    }
}

extension IPAddress {
    /// The network for the audit log: the /24 of an IPv4 address, the /48 of an IPv6 one. Neither names one household.
    package var auditNetwork: String {
        let kept = siteKey.map { $0 + [UInt8](repeating: 0, count: 10) } ?? Array(networkKey.prefix(3)) + [0]
        return "\(IPAddress(bytes: kept))/\(siteKey == nil ? 24 : 48)"
    }
}
