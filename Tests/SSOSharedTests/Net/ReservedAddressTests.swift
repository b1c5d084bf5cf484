import SSOShared
import Testing

@testable import TestKit

/// Source: IANA IPv4 and IPv6 Special-Purpose Address Registries.
@Suite("Reserved addresses", .rules)
struct ReservedAddressTests {
    @Test(
        "Reserved addresses are rejected up to the bounds of their ranges",
        arguments: [
            ([0, 0, 0, 0], "this network"), ([10, 255, 255, 255], "private"), ([100, 64, 0, 0], "shared by a carrier"),
            ([100, 127, 255, 255], "shared by a carrier"), ([127, 0, 0, 1], "loopback"),
            ([169, 254, 169, 254], "link-local"), ([172, 16, 0, 0], "private"), ([172, 31, 255, 255], "private"),
            ([192, 0, 0, 8], "protocol assignments"), ([192, 0, 2, 1], "documentation"),
            ([192, 168, 255, 255], "private"), ([198, 19, 255, 255], "benchmarking"), ([224, 0, 0, 1], "multicast"),
            ([255, 255, 255, 255], "reserved"),
        ] as [([UInt8], String)])
    func ipv4(octets: [UInt8], kind: String) { #expect(ReservedAddress.kind(of: octets) == kind) }

    @Test(
        "Addresses next to those ranges are public",
        arguments: [
            [9, 255, 255, 255], [11, 0, 0, 0], [100, 63, 255, 255], [100, 128, 0, 0], [126, 255, 255, 255],
            [172, 15, 255, 255], [172, 32, 0, 0], [192, 167, 255, 255], [198, 17, 255, 255], [198, 20, 0, 0],
            [223, 255, 255, 255], [1, 1, 1, 1],
        ] as [[UInt8]])
    func publicIPv4(octets: [UInt8]) { #expect(ReservedAddress.kind(of: octets) == nil) }

    @Test(
        "IPv6: reserved ranges and all embedded IPv4 addresses are rejected",
        arguments: [
            ("00000000000000000000000000000000", "unspecified"), ("00000000000000000000000000000001", "loopback"),
            ("00000000000000000000ffff7f000001", "IPv4-mapped"), ("00000000000000000000ffff08080808", "IPv4-mapped"),
            ("0000000000000000000000007f000001", "reserved"), ("0064ff9b00000000000000000a000001", "NAT64"),
            ("0064ff9b0001000000000000c0a80001", "NAT64"), ("20010000000000000000000000000001", "Teredo"),
            ("20010db8000000000000000000000001", "documentation"), ("20020a00000100000000000000000001", "6to4"),
            ("fc000000000000000000000000000001", "unique local"), ("fdffffffffffffffffffffffffffffff", "unique local"),
            ("fe800000000000000000000000000001", "link-local"), ("febfffffffffffffffffffffffffffff", "link-local"),
            ("ff020000000000000000000000000001", "multicast"), ("40000000000000000000000000000001", "reserved"),
        ])
    func ipv6(hex: String, kind: String) { #expect(ReservedAddress.kind(of: Self.octets(hex)) == kind) }

    @Test(
        "Public IPv6 addresses are accepted",
        arguments: ["2a001450400100000000000000000001", "26064700000000000000000000001111"])
    func publicIPv6(hex: String) { #expect(ReservedAddress.kind(of: Self.octets(hex)) == nil) }

    @Test("A value that is not an IP address is rejected", arguments: [0, 3, 5, 15, 17])
    func others(count: Int) { #expect(ReservedAddress.kind(of: Array(repeating: 8, count: count)) != nil) }

    private static func octets(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }
}
