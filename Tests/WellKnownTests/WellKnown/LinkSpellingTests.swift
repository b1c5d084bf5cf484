import Testing

@testable import TestKit
@testable import WellKnown

/// Links in the spellings in which people have them, as a browser sends them.
///
/// Sources: WHATWG URL, "path state" and "host parsing"; UTS 46.
@Suite("Spellings of links", .rules)
struct LinkSpellingTests {
    @Test(
        "Dot segments are resolved, and other dots stay",
        arguments: [
            ("/a/../b", "/b"), ("/a/./b", "/a/b"), ("/a/%2e%2E/b", "/b"), ("/%2e/b", "/b"), ("/..", "/"), ("/.", "/"),
            ("/a/..", "/"), ("/a/b/.", "/a/b/"), ("/../../b", "/b"), ("/a/.%2e/b", "/b"), ("/a//../b", "/a/b"),
            ("/.hidden/..x/x..", "/.hidden/..x/x.."), ("/a/...", "/a/..."), ("/a/%2f../b", "/a/%2f../b"),
        ])
    func dots(written: String, sent: String) throws {
        #expect(try LinkURL(reading: "https://acme.com\(written)").path == sent)
        #expect(try LinkURL(reading: "HTTPS://Acme.com\(written)?a=/../b#/../c").path == sent)
    }

    @Test(
        "A host in upper case or full width is the same host",
        arguments: [
            ("ＬＩＮＫＳ.acme.com", "links.acme.com"), ("links.ac\u{ad}me.com", "links.acme.com"),
            ("links．acme｡com", "links.acme.com"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"), ("vie\u{323}\u{302}t.vn", "xn--vit-5kz.vn"),
        ])
    func hosts(written: String, sent: String) throws {
        #expect(try LinkURL(reading: "https://\(written)/").host == sent)
    }

    @Test(
        "Any number of slashes is before the host, and the port of the scheme is left out, as in browsers",
        arguments: [
            ("https:links.example.com/shop", "https://links.example.com/shop", nil),
            ("https:/links.example.com", "https://links.example.com/", nil),
            ("https:////links.example.com/shop", "https://links.example.com/shop", nil),
            ("HTTP:\\\\\\links.example.com", "http://links.example.com/", nil),
            ("https://links.example.com:443/shop?a", "https://links.example.com/shop?a", nil),
            ("https://links.example.com:0443", "https://links.example.com/", nil),
            ("https://links.example.com:/shop", "https://links.example.com/shop", nil),
            ("http://links.example.com:80/", "http://links.example.com/", nil),
            ("http://links.example.com:443/", "http://links.example.com:443/", 443),
            ("https://links.example.com:80/", "https://links.example.com:80/", 80),
            ("https://[::1]:443/", "https://[::1]/", nil),
        ] as [(String, String, Int?)])
    func authority(written: String, sent: String, port: Int?) throws {
        let link = try LinkURL(reading: written)
        #expect(link.description == sent && link.port == port && link.path.hasPrefix("/"))
        #expect(link.host == (sent.contains("[") ? "[::1]" : "links.example.com"))
    }

    @Test(
        "A backslash before the query is a slash, as in browsers",
        arguments: [
            (#"https://acme.com\shop\1"#, "https://acme.com/shop/1"), (#"https:\\acme.com\x"#, "https://acme.com/x"),
            (#"https://acme.com\@evil.example/"#, "https://acme.com/@evil.example/"),
            (#"https://acme.com/a\..\b"#, "https://acme.com/b"),
            (##"https://acme.com/?q=\#\"##, ##"https://acme.com/?q=\#\"##),
        ])
    func backslashes(written: String, sent: String) throws {
        #expect(try LinkURL(reading: written).description == sent)
    }

    @Test("A port that the build fills in is open, and an attribute that the build removes is absent")
    func ports() throws {
        let url = try LinkURL(reading: "https://acme.com/x")
        #expect(!ManifestHost("acme.com", port: "${port}").matches(url))
        #expect(
            ManifestHost("acme.com", port: "-1").matches(url) && !ManifestHost("acme.com", port: "443").matches(url))
    }
}
