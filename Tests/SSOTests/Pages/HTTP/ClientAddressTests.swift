import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Anyone can write `X-Forwarded-For` (ASVS 4.1.3): it counts only from a trusted proxy and is read from the right.
@Suite("The address of the client", .program)
struct ClientAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let peer: String
        let forwarded: [String]
        let expected: String
        var testDescription: String { "\(peer) says \(forwarded)" }

        init(_ peer: String, _ forwarded: [String], _ expected: String) {
            (self.peer, self.forwarded, self.expected) = (peer, forwarded, expected)
        }
    }

    static let cases = [
        // From any other peer it is ignored.
        Case("203.0.113.9", ["198.51.100.1"], "203.0.113.9"), Case("203.0.113.9", [], "203.0.113.9"),
        Case("11.0.0.1", ["198.51.100.1"], "11.0.0.1"), Case("::ffff:203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        // From a proxy, the nearest address that is not a proxy.
        Case("10.0.0.1", ["198.51.100.1"], "198.51.100.1"), Case("10.0.0.1", [], "10.0.0.1"),
        Case("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
        Case("10.0.0.1", ["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
        Case("10.0.0.1", ["6.6.6.6, 198.51.100.1, 10.2.3.4"], "198.51.100.1"),
        Case("10.0.0.1", ["10.2.3.4"], "10.2.3.4"), Case("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        Case("fd00::1", ["2001:db8::1"], "2001:db8::1"), Case("fd01::1", ["2001:db8::1"], "fd01::1"),
        // A malformed address ends the search, and the proxy's own address counts.
        Case("10.0.0.1", ["a"], "10.0.0.1"), Case("10.0.0.1", [""], "10.0.0.1"),
        Case("10.0.0.1", ["198.51.100.1, a"], "10.0.0.1"), Case("10.0.0.1", ["198.51.100.1 a"], "10.0.0.1"),
        Case("10.0.0.1", ["unknown, 198.51.100.1"], "198.51.100.1"), Case("10.0.0.1", ["0x7f.1"], "10.0.0.1"),
        Case("10.0.0.1", [String(repeating: "1.1.1.1,", count: 1000)], "1.1.1.1"),
        Case("10.0.0.1", ["\u{661}.1.1.1"], "10.0.0.1"), Case("10.0.0.1", ["198.51.100.1:"], "10.0.0.1"),
        Case("10.0.0.1", ["198.51.100.1:a"], "10.0.0.1"), Case("10.0.0.1", ["[198.51.100.1"], "10.0.0.1"),
        // Some proxies add the port of the connection.
        Case("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        Case("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        Case("10.0.0.1", ["\t[2001:db8::1] "], "2001:db8::1"),
    ]

    @Test("the address is the peer's, or the one that a trusted proxy reports", arguments: cases)
    func address(_ example: Case) throws {
        let addresses = ClientAddress(trusted: [try Network("10.0.0.0/8"), try Network("fd00::/16")])
        var fields = HTTPFields()
        for value in example.forwarded { fields.append(HTTPField(name: .xForwardedFor, value: value)) }
        for name in ["Forwarded", "X-Real-IP", "X-Forwarded-Host"] {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: "6.6.6.6")) }
        }
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/", headerFields: fields)
        let request = Request(head: head, body: .init(buffer: ByteBuffer()))
        let peer = try NIOCore.SocketAddress(ipAddress: example.peer, port: 1)
        #expect(addresses.address(of: request, peer: peer) == IPAddress(example.expected))
    }

    @Test("a malformed address from a trusted proxy is logged once")
    func unreadable() async throws {
        try await TestDeployment.open(settings: ["IDP_TRUSTED_PROXIES": "127.0.0.0/8"]) { deployment in
            for value in ["203.0.113.7", "unknown", "_hidden"] {
                _ = try await deployment.probe().get("/healthz", [("X-Forwarded-For", value)])
            }
            #expect(deployment.log.text.matches(of: #/warning forwarded_address_malformed/#).count == 1)
            #expect(deployment.log.contains("unknown"))
        }
    }

    @Test("a limit counts by the address that a trusted proxy reports; no other client can choose its address")
    func limit() async throws {
        try await TestDeployment.open(settings: ["IDP_TRUSTED_PROXIES": "127.0.0.9", "IDP_LIMIT_EMAIL_POSTS": "30"]) {
            deployment in
            func status(from source: String, as forwarded: String) async throws -> Int {
                let browser = deployment.browser(from: source)
                let page = try await browser.get(deployment.origin + "/sign-in")
                let form = try #require(try page.page().form(with: "email"))
                let fields = form.filled(["email": "no address"])
                let address = try page.address.resolving(form.action)
                return try await browser.post(address, fields, [("X-Forwarded-For", forwarded)]).status
            }
            for _ in 1...30 { _ = try await status(from: "127.0.0.9", as: "203.0.113.7") }
            let after = [
                ("127.0.0.9", "203.0.113.7", true), ("127.0.0.9", "6.6.6.6, 203.0.113.7", true),
                ("127.0.0.9", "203.0.113.8", false), ("127.0.0.8", "203.0.113.7", false),
            ]
            for (source, forwarded, isLimited) in after {
                let status = try await status(from: source, as: forwarded)
                #expect((status == 429) == isLimited, "\(source) as \(forwarded)")
            }
            deployment.clock.advance(by: .hours(2))
            let later = try await status(from: "127.0.0.9", as: "203.0.113.7")
            #expect(later < 429)
        }
    }

    @Test(
        "behind a proxy on this machine, all clients with a malformed address share one limit",
        arguments: ["a", "unknown", "203.0.113.9 junk", nil])
    func unreadable(_ value: String?) async throws {
        try await TestDeployment.open(settings: ["IDP_TRUSTED_PROXIES": "127.0.0.1", "IDP_LIMIT_NEW_SESSIONS": "120"]) {
            deployment in
            let fields: HTTPProbe.Headers = value.map { [("X-Forwarded-For", $0)] } ?? []
            for _ in 0..<120 { _ = try await deployment.browser().get(deployment.origin + "/sign-in", fields) }
            #expect(try await deployment.browser().get(deployment.origin + "/sign-in", fields).status == 429)
            let other: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.9:4711")]
            #expect(try await deployment.browser().get(deployment.origin + "/sign-in", other).status == 200)
        }
    }

    @Test(
        "the address of a peer equals the address that its text is read as",
        arguments: ["203.0.113.9", "0.0.0.0", "::", "::1", "2001:db8::1", "::ffff:203.0.113.9", "::203.0.113.9"])
    func peer(_ text: String) throws {
        let peer = try SocketAddress(ipAddress: text, port: 4711)
        let address = IPAddress(peer)
        #expect(address != nil && address == IPAddress(text))
        #expect(IPAddress(try SocketAddress(unixDomainSocketPath: "/tmp/socket")) == nil)
    }

    @Test("limits count an IPv6 /64 as one client")
    func prefix() {
        #expect(IPAddress("2001:db8::1")?.networkKey == IPAddress("2001:db8::ffff:1")?.networkKey)
        #expect(IPAddress("2001:db8::1")?.networkKey != IPAddress("2001:db8:0:1::1")?.networkKey)
        #expect(IPAddress("203.0.113.1")?.networkKey != IPAddress("203.0.113.2")?.networkKey)
    }
}
