/// The hosts of private networks. Nothing outside of such a network reaches them.
public enum PrivateHost {
    /// Whether a host is a private address (RFC 1918, RFC 6598, RFC 4193), a name without a dot, or one below `.lan`, `.local`
    /// (RFC 6762), `.home.arpa` (RFC 8375) or `.internal`.
    ///
    /// Only the text decides. Loopback, link-local addresses and those of ``MetadataAddress`` are not private ones.
    public static func contains(_ host: HostPort) -> Bool {
        switch host.kind {
        case .ipv4, .ipv6: HostPort.octets(ofAddress: host.host).map { contains(octets: $0) } ?? false
        case .name: isPrivate(name: host.host)
        }
    }

    /// Whether an address is a private one.
    ///
    /// - Parameter octets: 4 or 16 of them, in network order. An IPv4 address inside an IPv6 one is not looked at.
    public static func contains(octets: [UInt8]) -> Bool {
        guard !MetadataAddress.contains(octets), let kind = ReservedAddress.kind(of: octets) else { return false }
        return kinds.contains(kind)
    }

    private static func isPrivate(name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard HostPort.isPlainName(bytes), !LoopbackHost.contains(name), !MetadataAddress.names.contains(name) else {
            return false
        }
        return !bytes.contains(UInt8(ascii: ".")) || domains.contains { name.hasSuffix($0) }
    }

    /// Of ``ReservedAddress``.
    private static let kinds: Set = ["private", "shared by a carrier", "unique local"]
    private static let domains = [".lan", ".local", ".home.arpa", ".internal"]
}

/// The addresses where clouds give credentials to any program that asks, besides the usual one, which is link-local.
public enum MetadataAddress {
    /// - Parameter octets: 4 or 16 of them, in network order.
    public static func contains(_ octets: [UInt8]) -> Bool {
        addresses.contains(octets) || prefixes.contains { octets.starts(with: $0) && octets.count == 16 }
    }

    /// The names that lead there, of Google, and of OpenStack and AWS.
    package static let names: Set = [
        "metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal",
    ]

    /// AWS over IPv6, also for the pods of EKS.
    private static let prefixes: [[UInt8]] = [[0xfd, 0, 0x0e, 0xc2]]

    /// Google over IPv6, Alibaba, Oracle, Azure's wire server.
    private static let addresses: Set<[UInt8]> = [
        [0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
        [100, 100, 100, 200], [192, 0, 0, 192], [168, 63, 129, 16],
    ]
}
