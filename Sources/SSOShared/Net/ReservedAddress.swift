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
