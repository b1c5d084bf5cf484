import SSOShared
import Testing

@testable import TestKit

@Suite("Hosts of private networks", .rules)
struct PrivateHostTests {
    @Test(
        "private addresses, names without a dot, and names below four domains are private",
        arguments: [
            "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "[fc00::1]",
            "[fdff:ffff::1]", "nas", "my_nas", "NAS:5000", "wiki.lan", "a.b.local", "x.home.arpa", "svc.ns.internal",
        ])
    func isPrivate(text: String) throws {
        #expect(try PrivateHost.contains(HostPort(text, allowing: .looseNames)))
    }

    @Test(
        "all others are not, nor are those of this machine, of one link, and of a cloud's credentials",
        arguments: [
            "localhost", "127.0.0.1", "[::1]", "9.255.255.255", "11.0.0.0", "172.15.0.1", "172.32.0.1", "192.169.0.1",
            "100.63.255.255", "100.128.0.0", "8.8.8.8", "0.0.0.0", "169.254.169.254", "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192", "224.0.0.1", "[::]", "[fe80::1]", "[fec0::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]",
            "[fd00:ec2::254]", "[fd20:ce::254]", "[2606:4700::1]", "example.com", "lan.example.com", "wikilan.example",
            "wiki.lan.example", "wiki.lan.", "wiki..lan", "home.arpa", "metadata", "metadata.google.internal",
            "instance-data.ec2.internal", "10.1", "167772161", "0xa000001", "012.0.0.1", "a.0x7f", "n\u{e4}s.lan",
        ])
    func isNotPrivate(text: String) throws {
        #expect(try !PrivateHost.contains(HostPort(text, allowing: .looseNames)))
    }
}
