import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPTestKit
@testable import TestKit

/// RFC 9700 4.1.3 is the source of the rule, RFC 8252 7.1 for apps.
@Suite("Registering a redirect URI", .program)
struct RedirectURITests {
    @Test(
        "https, http on this machine, and an app's own scheme are accepted",
        arguments: [
            "https://rp.example/cb", "https://rp.example:8443/cb?tenant=7&x=%20", "https://rp.example:65535/cb",
            "https://rp.example/a:b", "https://rp.example/@x", "https://rp.example/a//b@c",
            "https://rp.example/?x=a@b", "https://rp.example?x=a@b", "com.example.app:/a@b",
            "https://xn--bcher-kva.example/cb",
            "http://localhost:8081/auth/sso/callback", "http://127.0.0.1/cb", "http://127.9.9.9:1/cb",
            "http://[::1]:8081/cb", "com.example.app:/callback", "com.example.app://callback",
        ])
    func good(_ uri: String) throws {
        try RedirectURI.check(uri)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "/cb", "//rp.example/cb", "rp.example/cb", "https:", "https://", "https:///cb", "https:rp.example/cb",
            "http://rp.example/cb", "http://localhost.evil.example/cb", "http://127.0.0.1.evil.example/cb",
            "http://128.0.0.1/cb", "http://0.0.0.0/cb", "http://127.1/cb", "http://[::2]/cb", "http:///cb",
            "HTTPS://rp.example/cb", "ftp://rp.example/cb", "javascript:alert(1)", "data:text/html,x", "file:///etc/x",
            "blob:https://rp.example/x", "myapp:/cb", "myapp://cb", "Com.Example.App:/cb",
            "https://rp.example/cb#", "https://rp.example/cb#x", "com.example.app:/cb#x",
            "https://user@rp.example/cb", "https://user:pass@rp.example/cb", "https://@rp.example/cb",
            "https://rp.example@evil.example/cb", "https://rp.example@evil.example?x",
            "https://rp.example@evil.example/@x",
            "com.example.app://user@host/cb", #"https://rp.example\@evil.example"#, "https:/user@rp.example/cb",
            "https:///user@rp.example/cb", #"https://evil.example\@rp.example/cb"#, #"https://rp.example\cb"#,
            "https://*.example/cb", "https://rp.example/*", "https://rp.example/cb?*",
            "https://rp.example/cb?token=x", "https://rp.example/cb?a=1&state=x", "https://rp.example/cb?error=x",
            "https://rp.example/cb?TOKEN=x", "https://rp.example/cb?%74oken=x", "https://rp.example/cb?token",
            " https://rp.example/cb", "https://rp.example/cb ", "https://rp.example/c b", "https://rp.example/\tcb",
            "https://rp.example/cb\r\nX: y", "https://rp.example/cb\u{0}", "https://b\u{fc}cher.example/cb",
            "https://rp\u{3002}example/cb", "https://rp.example/caf\u{e9}", "https://rp.example/\"onload=",
            "https://rp.example/<x>", "https://rp.example/`", "https://rp.example/{x}", "https://rp.example/|",
            "https://rp.example/" + String(repeating: "x", count: 2000), "https://rp.example:/cb",
            "https://rp.example:0/cb", "https://rp.example:65536/cb", "https://rp.example:99999/cb",
            "https://rp.example:443x/cb", "http://[::1]:/cb", "http://[::1]:99999/cb", "https://rp.example/%zz",
            "https://rp.example/%", "https://rp.example/cb?x=%2", "com.example.app://callback:99999",
            "https://rp.example./cb", "https://rp..example/cb", "https://0x7f.1/cb", "https://2130706433/cb",
            "https://0177.0.0.1/cb", "https://127.1/cb", "https://[::ffff:127.0.0.1]/cb", "https://[fe80::1%25eth0]/cb",
            "https://rp.example:", "https://rp.example:?a=b", "http://[::1]:0/cb", "com.example.app://host:0/cb",
            "https://rp.example/cb?x=%zz", "https://rp.example/%g0",
        ])
    func bad(_ uri: String) {
        #expect(throws: (any Error).self) { try RedirectURI.check(uri) }
    }

    @Test("an error names the client and the place, in the file and in the environment")
    func errorPosition() throws {
        for (uri, words) in [
            ("https://rp.example:0/cb", "the port \"0\""), ("https://rp.example:/cb", "the port \"\""),
            ("https://rp.example/%zz", "hexadecimal"), ("https://rp.example/ok", "appears twice"),
            ("https://rp.example/c\u{a0}b", "spaces"),
            ("https://b\u{fc}cher.example/cb", "Write its host as xn--bcher-kva.example."),
            ("https://ann@rp.example/cb", "a user name"),
            ("HTTPS://rp.example/cb", "Write the scheme in lower case: https:"),
            ("https://rp.example/cb?state=x", "has token, state, error or error_description in its query"),
        ] {
            let file = """
                clients:
                  - id: partner
                    name: P
                    secrets: [\(SettingsFixture.otherSecret)]
                    redirect_uris:
                      - https://rp.example/ok
                      - "\(uri)"
                """
            let read = try ClientsFixture(file, in: TemporaryFolder())
            #expect(read.problems.count == 1, "\(read.problems)")
            let problem = try #require(read.problems.first)
            #expect(problem.contains("\(read.path):7: redirect_uris of \"partner\""), "\(problem)")
            #expect(problem.contains(words), "\(problem)")

            let reader = SettingsFixture.read(.idp, ["SSO_REDIRECT_URIS": "https://rp.example/ok , \(uri)"])
            #expect(reader.problems.count == 1, "\(reader.problems)")
            #expect(reader.problems.first?.hasPrefix("SSO_REDIRECT_URIS: ") == true)
            #expect(reader.problems.first?.contains(words) == true, "\(reader.problems)")
        }
    }

    @Test("the start page of a client is the root of its web address, and an app has none")
    func startPage() {
        func page(_ uris: String...) -> String? {
            Client(id: "p", name: "P", redirectURIs: uris, secrets: []).startPage()
        }
        #expect(page("https://rp.example:8443/a/b?c") == "https://rp.example:8443/")
        #expect(page("https://rp.example?c=/d") == "https://rp.example/")
        #expect(page("com.example.app:/cb", "http://localhost:1/cb") == "http://localhost:1/")
        #expect(page("com.example.app://cb/x") == nil)
        #expect(page("http://localhost:*/cb", "http://127.0.0.1:*") == nil, "no page is at an open port")
        #expect(page("http://[::1]:*/cb", "https://rp.example/cb") == "https://rp.example/")
    }

    @Test(
        "an id is 1 to 63 lower-case letters, digits and dashes, and does not begin with a dash",
        arguments: [
            ("a", true), ("0-a", true), (String(repeating: "a", count: 63), true), ("", false), ("-a", false),
            (String(repeating: "a", count: 64), false), ("A", false), ("a_b", false), ("a.b", false), ("a b", false),
            ("\u{e4}", false), ("a\n", false), ("\u{ff41}", false),
        ])
    func ids(_ id: String, _ isGood: Bool) {
        #expect(ClientID.isWellFormed(id) == isGood)
    }

    @Test(
        "an id of OpenID Connect is 1 to 128 letters, digits, ., _ and -, and begins with a letter or digit",
        arguments: [
            ("OpenCloudDesktop", true), ("web_app", true), ("a.b", true), ("0123456789", true), ("Z", true),
            ("a--", true),
            (String(repeating: "A", count: 128), true), (String(repeating: "A", count: 129), false), ("", false),
            ("_a", false), (".a", false), ("-a", false), ("..", false), ("a b", false), ("a/b", false), ("a\n", false),
            ("a:b", false), ("a%41", false), ("\u{e4}", false), ("\u{212a}", false), ("a\u{301}", false),
            ("a@b", false),
        ])
    func openIDs(_ id: String, _ isGood: Bool) {
        #expect(ClientID.isWellFormedForOpenID(id) == isGood)
    }
}
