import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Hosts, ports and URLs", .rules)
struct HostPortTests {
    @Test(
        "names, IPv4 and bracketed IPv6 addresses are read, with and without a port",
        arguments: [
            ("example.com", "example.com", nil, HostPort.Kind.name), ("EXAMPLE.com:8443", "example.com", 8443, .name),
            ("localhost:1", "localhost", 1, .name), ("a-b.example.", "a-b.example.", nil, .name),
            ("xn--bcher-kva.example", "xn--bcher-kva.example", nil, .name),
            ("192.0.2.1:65535", "192.0.2.1", 65535, .ipv4),
            ("[::1]:8080", "::1", 8080, .ipv6), ("[2001:DB8::1]", "2001:db8::1", nil, .ipv6),
            ("[::ffff:192.0.2.1]:00080", "::ffff:192.0.2.1", 80, .ipv6),
        ] as [(String, String, Int?, HostPort.Kind)])
    func accepted(_ text: String, _ host: String, _ port: Int?, _ kind: HostPort.Kind) throws {
        let parsed = try HostPort(text)
        #expect(parsed.host == host && parsed.port == port && parsed.kind == kind)
        #expect(try HostPort(parsed.description) == parsed)
    }

    @Test(
        "everything else is refused, with its reason",
        arguments: [
            ("", HostPortError.missingHost), (":80", .missingHost), ("a b", .invalidHost), ("a/b", .invalidHost),
            ("-a.example", .invalidHost), ("a-.example", .invalidHost), ("a..example", .invalidHost),
            (".example", .invalidHost), ("a_b.example", .invalidHost), ("bücher.example", .invalidHost),
            ("a\u{0}b", .invalidHost), ("a%2eb", .invalidHost), ("*.example", .invalidHost),
            ("\(String(repeating: "a", count: 64)).example", .invalidHost),
            // Addresses to some programs, names to others.
            ("127.1", .invalidHost), ("256.0.0.1", .invalidHost), ("010.0.0.1", .invalidHost),
            ("2130706433", .invalidHost),
            ("0x7f.1", .invalidHost), ("0x7f000001", .invalidHost), ("127.0.0.1.", .invalidHost),
            ("a.0x", .invalidHost),
            ("[::1", .invalidHost), ("[::1]x", .invalidHost), ("[]", .invalidHost), ("[127.0.0.1]", .invalidHost),
            ("[fe80::1%25eth0]", .invalidHost), ("[::g]", .invalidHost), ("[1:2:3]", .invalidHost), ("::1", .colons),
            ("::1:8080", .colons), ("a:1:2", .colons), ("a:", .invalidPort("")), ("a:0", .invalidPort("0")),
            ("a:65536", .invalidPort("65536")), ("a:+1", .invalidPort("+1")), ("a:٣", .invalidPort("٣")),
            ("a:000080", .invalidPort("000080")), ("user@a", .userInfo), ("user:secret@a:1", .userInfo),
        ])
    func refused(_ text: String, _ error: HostPortError) {
        #expect(throws: error) { try HostPort(text) }
    }

    @Test("parts that the caller allows are accepted, and no others")
    func allowances() throws {
        #expect(try HostPort("0.0.0.0:0", allowing: .portZero).port == 0)
        #expect(try HostPort("example.com:", allowing: .emptyPort).port == nil)
        #expect(try HostPort("Bücher_1.example:1", allowing: .looseNames).host == "bücher_1.example")
        #expect(try HostPort("1.2.3", allowing: .looseNames).kind == .name)
        for text in ["a b", "a/b", ".", ".a", "a:0", "a:", "[::g]", "a%41", "x@y"] {
            #expect(throws: HostPortError.self) { try HostPort(text, allowing: .looseNames) }
        }
        let bytes = Array("xx[::1]:80".utf8)
        let parts = try HostPort.locate(in: bytes[2...])
        #expect(parts.host == 2..<7 && parts.port == 80 && parts.kind == .ipv6)
    }

    @Test("an error about a host never contains a password")
    func secrecy() {
        for text in ["user:hunter2@host:99999", "hunter2@", "smtp:hunter2@[::1"] {
            do {
                _ = try HostPort(text)
                Issue.record("\(text) was accepted")
            } catch {
                #expect(!"\(error)".contains("hunter2"))
            }
        }
    }

    @Test(
        "this machine is localhost, 127.0.0.0/8 and ::1, and no name that only begins like them",
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.0.9", true), ("[::1]", true),
            ("localhost.", false), ("localhost.example.com", false), ("127.0.0.1.example.com", false),
            ("128.0.0.1", false), ("0.0.0.0", false), ("[::2]", false), ("[::ffff:127.0.0.1]", false),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try HostPort(text).isLoopback == isLoopback)
        for text in ["127.1", "127.0.0.01", "127.0.0.256", "127.0.0.1:80", ""] { #expect(!LoopbackHost.contains(text)) }
    }

    @Test("a domain is a name with a dot whose last label is not a number")
    func domains() {
        for text in ["example.com", "a.b-c.example", "1.example", "xn--a.xn--b"] {
            #expect(HostPort.isDomain(text.utf8))
        }
        for text in ["localhost", "192.0.2.1", "example.123", "example.0x1", "example.com.", "", ".com", "a b.example"]
        {
            #expect(!HostPort.isDomain(text.utf8))
        }
    }

    @Test("a URL is split once, and its origin is written as browsers write it")
    func urls() throws {
        let url = try WebURL("HTTPS://Example.com:443/a?b#c")
        #expect(url.isHTTPS && url.origin == "https://example.com" && url.rest == "/a?b#c" && !url.isOrigin)
        #expect(try WebURL("http://[::1]:8080/").origin == "http://[::1]:8080")
        #expect(try WebURL("http://localhost").isOrigin)
        #expect(try WebURL("https://example.com?x@y").rest == "?x@y")
        #expect(try WebURL("https://bücher.example/ü", allowing: .looseNames).rest == "/ü")
    }

    @Test(
        "a URL that programs read differently is refused",
        arguments: [
            (#"https://good.example\@evil.example"#, WebURLError.characters), ("https://a.example/ü", .characters),
            ("https://a.example\t", .characters), ("a.example", .noScheme), ("https:/a.example", .noScheme),
            ("ftp://a.example", .otherScheme("ftp")), ("javascript://a", .otherScheme("javascript")),
            ("https://", .authority(.missingHost)), ("https://a@b", .authority(.userInfo)),
            ("https://good.example:x@evil.example/", .authority(.userInfo)),
            ("https://a:b", .authority(.invalidPort("b"))),
        ])
    func hostileURLs(_ text: String, _ error: WebURLError) {
        #expect(throws: error) { try WebURL(text) }
    }

    @Test("percent-encoding survives a round trip; invalid escapes are refused or kept")
    func percentCoding() {
        let all = (0...255).map { UInt8($0) }
        #expect(PercentCoding.decode(PercentCoding.encode(bytes: all).utf8) == all)
        #expect(PercentCoding.encode("a b+c/ä~", keeping: "/") == "a%20b%2Bc/%C3%A4~")
        #expect(PercentCoding.query([("a", "1&2"), ("b", "=")]) == "a=1%262&b=%3D")
        #expect(PercentCoding.decode("a+b%2b".utf8, plusIsSpace: true) == Array("a b+".utf8))
        #expect(PercentCoding.decode("a+b".utf8) == Array("a+b".utf8))
        for text in ["%", "%4", "%zz", "a%4", "%%41", "% 41"] {
            #expect(PercentCoding.decode(text.utf8) == nil)
            #expect(PercentCoding.decodeLeniently(Array(text.utf8)[...]).first == Array(text.utf8).first)
        }
        func lenient(_ text: String, _ keepsSlashes: Bool = false) -> String {
            let bytes = PercentCoding.decodeLeniently(Array(text.utf8)[...], keepsSlashes: keepsSlashes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(lenient("%41%2f%zz%4") == "A/%zz%4" && lenient("%41%2F%2f", true) == "A%2F%2f")
    }
}
