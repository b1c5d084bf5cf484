import Testing

@testable import TestKit
@testable import WellKnown

@Suite("What to fetch", .rules)
struct FetchTargetTests {
    @Test(
        "Domains and URLs are parsed as typed",
        arguments: [
            ("example.com", "example.com", nil, nil), ("EXAMPLE.com.", "example.com", nil, nil),
            ("https://example.com/", "example.com", nil, nil), ("http://example.com", "example.com", nil, nil),
            ("http://example.com:80/", "example.com", nil, nil), ("example.com:443", "example.com", nil, nil),
            ("example.com:8443", "example.com", 8443, nil),
            ("https://example.com/a/b?c#d", "example.com", nil, "/a/b?c"), ("[::1]:8443", "[::1]", 8443, nil),
        ] as [(String, String, Int?, String?)])
    func reads(text: String, host: String, port: Int?, path: String?) throws {
        let target = try #require(FetchTarget(text))
        #expect(target.host == host)
        #expect(target.port == port)
        #expect(target.path == path)
    }

    @Test(
        "A text that is not a host or is ambiguous is rejected",
        arguments: [
            "", ".", "a..b", "-a.example", "a b", "user@example.com", "https://", "ftp://example.com", "example.com:0",
            "example.com:65536", "bücher.example", "a\nb", "https://exa\u{0}mple.com",
            String(repeating: "a", count: 64),
        ])
    func refuses(text: String) { #expect(FetchTarget(text) == nil) }

    @Test(
        "A host has a sibling and a parent, an IP address or public suffix has none",
        arguments: [
            ("example.com", "www.example.com", nil), ("www.example.com", "example.com", nil),
            ("app.example.com", "www.app.example.com", "example.com"), ("example.co.uk", "www.example.co.uk", nil),
            ("shop.example.co.uk", "www.shop.example.co.uk", "example.co.uk"), ("127.0.0.1", nil, nil),
            ("[::1]", nil, nil), ("localhost", nil, nil),
        ] as [(String, String?, String?)])
    func relatives(host: String, sibling: String?, parent: String?) throws {
        let target = try #require(FetchTarget(host))
        #expect(target.sibling == sibling)
        #expect(target.parent == parent)
    }
}
