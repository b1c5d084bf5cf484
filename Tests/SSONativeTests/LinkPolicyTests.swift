import Foundation
import SSONative
import Testing

@testable import TestKit

@Suite("Where a link opens", .rules)
struct LinkPolicyTests {
    @Test("In an identity provider's app, pages of the server alone stay in the web view", arguments: pages)
    func identityProvider(row: LinkRow) throws {
        let policy = LinkPolicy(try Apps.identityProvider())
        // A text that is no URL at all never arrives at the policy.
        guard let url = URL(string: row.url) else {
            #expect(row.expected == "ignore malformed")
            return
        }
        #expect(LinkRow.word(policy.decide(url), for: url) == row.expected)
    }

    static let pages: [LinkRow] = [
        // The server's own pages, in every spelling of its origin.
        LinkRow("https://idp.example.com", "web view"),
        LinkRow("https://idp.example.com/", "web view"),
        LinkRow("https://idp.example.com/?q=1#top", "web view"),
        LinkRow("https://IDP.Example.COM/sign-in", "web view"),
        LinkRow("HTTPS://idp.example.com/sign-in", "web view"),
        LinkRow("https://idp.example.com:443/", "web view"),
        LinkRow("https://idp.example.com:/", "web view"),
        LinkRow("https://idp.example.com/sign-in/link/ab%2Bcd", "web view"),
        LinkRow("https://idp.example.com/auth/sso/authorize?client_id=a", "web view"),
        LinkRow("https://idp.example.com/auth/sso/complete?flow=F", "web view"),
        LinkRow("https://idp.example.com/auth/sso/sign-out?client_id=x", "web view"),
        LinkRow("https://idp.example.com/authors", "web view"),
        LinkRow("https://idp.example.com/reset_apps", "web view"),
        LinkRow("https://idp.example.com/?next=https://evil.example/", "web view"),
        LinkRow("https://idp.example.com/@evil.example", "web view"),
        LinkRow("https://idp.example.com/?@evil.example", "web view"),
        LinkRow("https://idp.example.com#@evil.example", "web view"),
        LinkRow("https://idp.example.com?@evil.example", "web view"),
        // Sign-in that needs the browser.
        LinkRow("https://idp.example.com/auth/native/email", "browser session"),
        LinkRow("https://idp.example.com/auth/native/email?challenge=x&redirect=y", "browser session"),
        LinkRow("https://idp.example.com/auth/google", "browser session"),
        LinkRow("https://idp.example.com/auth/native/complete?flow=F", "system browser"),
        LinkRow("https://idp.example.com/auth/native/", "system browser"),
        LinkRow("https://idp.example.com/auth/native/a/b", "system browser"),
        LinkRow("https://idp.example.com/auth/native/Email", "system browser"),
        LinkRow("https://idp.example.com/auth/sso/verify", "system browser"),
        LinkRow("https://idp.example.com/auth/sso/callback?token=t", "system browser"),
        LinkRow("https://idp.example.com/auth/mail/inbound", "system browser"),
        LinkRow("https://idp.example.com/Auth/sso/authorize", "system browser"),
        // Pages that only the app opens, also in other spellings.
        LinkRow("https://idp.example.com/reset_app", "reset"),
        LinkRow("https://idp.example.com/reset_app?x=1#y", "reset"),
        LinkRow("https://idp.example.com/%72eset_app", "reset"),
        LinkRow("https://idp.example.com/reset_app/", "ignore reserved"),
        LinkRow("https://idp.example.com/Reset_App", "ignore reserved"),
        LinkRow("https://idp.example.com/hotwire_native/sign_in?code=c&verifier=v", "ignore reserved"),
        LinkRow("https://idp.example.com//hotwire_native/sign_in", "ignore reserved"),
        LinkRow("https://idp.example.com/HOTWIRE_NATIVE/sign_in", "ignore reserved"),
        LinkRow("https://idp.example.com/hotwire%5Fnative/sign_in", "ignore reserved"),
        // Paths that programs read in different ways.
        LinkRow("https://idp.example.com/a/../reset_app", "ignore malformed"),
        LinkRow("https://idp.example.com/a/%2e%2E/reset_app", "ignore malformed"),
        LinkRow("https://idp.example.com/./x", "ignore malformed"),
        LinkRow("https://idp.example.com/x%2fy", "ignore malformed"),
        LinkRow("https://idp.example.com/x%5cy", "ignore malformed"),
        LinkRow("https://idp.example.com/x%00", "ignore malformed"),
        LinkRow("https://idp.example.com/x%0D%0Ay", "ignore malformed"),
        // Other origins: their cookies are in the system browser.
        LinkRow("https://rp.example.net/auth/sso/callback?token=t&state=s", "system browser"),
        LinkRow("http://idp.example.com/", "system browser"),
        LinkRow("https://idp.example.com:8443/", "system browser"),
        LinkRow("https://idp.example.com:80/", "system browser"),
        LinkRow("https://idp.example.com./", "system browser"),
        LinkRow("https://www.idp.example.com/", "system browser"),
        LinkRow("https://example.com/", "system browser"),
        LinkRow("https://idp.example.com.evil.example/", "system browser"),
        LinkRow("https://idp.example.com-evil.example/", "system browser"),
        LinkRow("https://evil.example/https://idp.example.com/", "system browser"),
        LinkRow("https://evil.example?https://idp.example.com/", "system browser"),
        LinkRow("https://evil.example#.idp.example.com/", "system browser"),
        LinkRow("https://[2001:db8::1]:8443/", "system browser"),
        LinkRow("https://127.0.0.1/", "system browser"),
        LinkRow("https://xn--idp-cua.example.com/", "system browser"),
        // Made to look like the server.
        LinkRow("https://idp.example.com@evil.example/", "ignore user_information"),
        LinkRow("https://idp.example.com:443@evil.example/", "ignore user_information"),
        LinkRow("https://user:password@idp.example.com/", "ignore user_information"),
        LinkRow("https://@idp.example.com/", "ignore user_information"),
        LinkRow("https://idp.example.com%40evil.example/", "ignore malformed"),
        LinkRow("https://idp%2Eexample.com/", "ignore malformed"),
        LinkRow("https:idp.example.com/", "ignore malformed"),
        LinkRow("https:/idp.example.com/", "ignore malformed"),
        LinkRow("https:///idp.example.com/", "ignore malformed"),
        LinkRow("https://", "ignore malformed"),
        LinkRow("https://idp..example.com/", "ignore malformed"),
        LinkRow("https://.idp.example.com/", "ignore malformed"),
        LinkRow("https://idp.example.com:0443/", "ignore malformed"),
        LinkRow("https://idp.example.com:65536/", "ignore malformed"),
        LinkRow("https://idp.example.com:443:80/", "ignore malformed"),
        LinkRow("//idp.example.com/", "ignore malformed"),
        LinkRow("/sign-in", "ignore malformed"),
        LinkRow("", "ignore malformed"),
        // Schemes.
        LinkRow("mailto:support@example.com", "system browser"),
        LinkRow("tel:+49123", "system browser"),
        LinkRow("com.example.partner:/callback?token=t&state=s", "system browser"),
        LinkRow("javascript:alert(1)", "ignore scheme"),
        LinkRow("JavaScript:alert(1)", "ignore scheme"),
        LinkRow("intent://idp.example.com/#Intent;scheme=https;end", "ignore scheme"),
        LinkRow("data:text/html,x", "ignore scheme"),
        LinkRow("file:///etc/passwd", "ignore scheme"),
        LinkRow("content://com.android.contacts/", "ignore scheme"),
        LinkRow("blob:https://idp.example.com/1", "ignore scheme"),
        LinkRow("about:blank", "ignore scheme"),
        LinkRow("about:srcdoc", "ignore scheme"),
        LinkRow("view-source:https://idp.example.com/", "ignore scheme"),
        LinkRow("wss://idp.example.com/", "ignore scheme"),
        LinkRow("otherapp://callback", "ignore scheme"),
        LinkRow("com.example.app:/callback?code=c", "ignore callback"),
        LinkRow("COM.EXAMPLE.APP:/other", "ignore callback"),
    ]

    @Test("A backslash, a blank, a line break or a character beyond ASCII is never repaired")
    func neverRepaired() throws {
        let policy = LinkPolicy(try Apps.identityProvider())
        let texts = [
            "https://idp.example.com\\@evil.example/", "https:\\\\idp.example.com/",
            "https://idp.example.com\\.evil.example/",
            "https://evil.example\\/idp.example.com", "https://idp.exa\tmple.com/", "https://idp.example.com/\n",
            " https://idp.example.com/", "https://idp.ex\u{E4}mple.com/",
            "java\nscript:alert(1)",
        ]
        for text in texts {
            // Foundation refuses some of them and encodes others.
            guard let url = URL(string: text) else { continue }
            #expect(policy.decide(url) != .webView, "\(text)")
        }
    }

    @Test("A link from outside opens pages only, never what the app alone opens", arguments: outside)
    func fromOutside(row: LinkRow) throws {
        let policy = LinkPolicy(try Apps.identityProvider())
        let url = try #require(URL(string: row.url))
        #expect(LinkRow.word(policy.decideOutside(url), for: url) == row.expected)
    }

    static let outside: [LinkRow] = [
        LinkRow("https://idp.example.com/auth/sso/authorize?client_id=a&state=s", "web view"),
        LinkRow("https://idp.example.com/sign-in/link/key", "web view"),
        LinkRow("https://idp.example.com/reset_app", "ignore reserved"),
        LinkRow("https://idp.example.com/hotwire_native/sign_in?code=c&verifier=v", "ignore reserved"),
        LinkRow("https://idp.example.com/auth/native/email", "ignore not_for_this_app"),
        LinkRow("https://evil.example/auth/sso/authorize", "ignore not_for_this_app"),
        LinkRow("http://idp.example.com/auth/sso/authorize", "ignore not_for_this_app"),
        LinkRow("tel:+49123", "ignore not_for_this_app"),
        LinkRow("com.example.partner:/callback", "ignore not_for_this_app"),
        LinkRow("com.example.app:/callback?code=c", "ignore callback"),
        LinkRow("javascript:alert(1)", "ignore scheme"),
        LinkRow("https://idp.example.com@evil.example/", "ignore user_information"),
    ]

    @Test(
        "In a relying party's app, the authorize request that returns here opens the browser session",
        arguments: partner)
    func relyingParty(row: LinkRow) throws {
        let policy = LinkPolicy(try Apps.relyingParty())
        let url = try #require(URL(string: row.url))
        #expect(LinkRow.word(policy.decide(url), for: url) == row.expected)
    }

    static let partner: [LinkRow] = [
        LinkRow("https://rp.example.net/account", "web view"),
        LinkRow("https://rp.example.net/auth/sso/start?return_to=%2Faccount", "web view"),
        LinkRow("https://rp.example.net/auth/sso/callback?token=t&state=s", "web view"),
        LinkRow("https://rp.example.net/auth/other", "system browser"),
        LinkRow("https://rp.example.net/reset_app", "reset"),
        LinkRow("https://rp.example.net/hotwire_native/sign_in", "ignore reserved"),
        LinkRow(Apps.authorize, "browser session"),
        LinkRow("https://idp.example.com:443" + Apps.authorize.dropFirst(23), "browser session"),
        LinkRow(Apps.authorize.replacingOccurrences(of: "partner%3A", with: "other%3A"), "ignore other_redirect"),
        LinkRow(Apps.authorize + "&redirect_uri=com.example.partner%3A%2Fcallback", "ignore other_redirect"),
        LinkRow("https://idp.example.com/auth/sso/authorize?client_id=partner", "ignore other_redirect"),
        LinkRow("https://idp.example.com/auth/sso/authorize?redirect_uri=%zz", "ignore other_redirect"),
        LinkRow("https://idp.example.com/", "system browser"),
        LinkRow("https://idp.example.com/auth/native/email", "system browser"),
        LinkRow("https://idp.example.com.evil.example/auth/sso/authorize", "system browser"),
        LinkRow("com.example.partner:/callback?token=t&state=s", "ignore callback"),
    ]

    @Test("A link from outside never brings a relying party's app a token, and starts no sign-in")
    func partnerFromOutside() throws {
        let policy = LinkPolicy(try Apps.relyingParty())
        for path in ["/auth/sso/callback?token=t&state=s", "/auth/sso/start", "/reset_app"] {
            let url = try #require(URL(string: "https://rp.example.net" + path))
            #expect(policy.decideOutside(url) != .webView)
        }
        let page = try #require(URL(string: "https://rp.example.net/account"))
        #expect(policy.decideOutside(page) == .webView)
    }

    @Test("A server on localhost may be http, and only its own port stays in the web view")
    func localhost() throws {
        let server = try #require(URL(string: "http://localhost:8080/"))
        let configuration = try NativeConfiguration.identityProvider(
            server: server, callback: Apps.callback("com.example.app:/callback"))
        let policy = LinkPolicy(configuration)
        #expect(policy.decide(try #require(URL(string: "http://localhost:8080/sign-in"))) == .webView)
        for other in [
            "http://localhost:8081/", "https://localhost:8080/", "http://127.0.0.1:8080/", "http://localhost/",
        ] {
            let url = try #require(URL(string: other))
            #expect(policy.decide(url) == .systemBrowser(url))
        }
    }
}
