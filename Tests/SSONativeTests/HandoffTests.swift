import Foundation
import Testing

@testable import SSONative
@testable import TestKit

@Suite("Handoff", .rules)
struct HandoffTests {
    @Test("The challenge is that of RFC 7636, appendix B")
    func challenge() throws {
        let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("A new verifier has 43 base64url characters, is another one each time, and is not printed")
    func verifier() {
        let verifiers = (0..<100).map { _ in CodeVerifier() }
        #expect(Set(verifiers).count == 100)
        for verifier in verifiers {
            #expect(verifier.value.count == 43)
            #expect(CodeVerifier(verifier.value) == verifier)
            #expect(verifier.challenge.count == 43)
            #expect(!"\(verifier)".contains(verifier.value))
        }
    }

    @Test(
        "A verifier of another form is refused",
        arguments: [
            "", "short", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            String(repeating: "a", count: 42) + "+", String(repeating: "ä", count: 43),
        ])
    func verifierForm(text: String) {
        #expect(CodeVerifier(text) == nil)
    }

    @Test("The browser gets the challenge and the redirect URI, never the verifier")
    func startURL() throws {
        let request = HandoffRequest(try Apps.identityProvider())
        let url = try #require(request.startURL(method: "email")).absoluteString
        #expect(
            url == "https://idp.example.com/auth/native/email?challenge=\(request.challenge)"
                + "&redirect=com.example.app%3A%2Fcallback")
        #expect(!url.contains(request.verifier.value))
    }

    @Test(
        "A method that is not an id opens nothing",
        arguments: ["", "Email", "a/b", "../x", "complete", "a?b", "-a", "é", String(repeating: "a", count: 64)])
    func methods(method: String) throws {
        #expect(HandoffRequest(try Apps.identityProvider()).startURL(method: method) == nil)
    }

    @Test("The id of a provider is a method, and the provider's own pages are not")
    func providers() throws {
        let request = HandoffRequest(try Apps.identityProvider())
        let url = try #require(request.startURL(method: "work-2"))
        #expect(url.absoluteString.hasPrefix("https://idp.example.com/auth/native/work-2?challenge="))
        #expect(ServerPath.method(of: "/auth/native/google") == "google")
        #expect(ServerPath.method(of: "/auth/google/callback") == nil)
    }

    @Test("A link names the ticket and not the verifier, and its result goes to the server with the verifier")
    func link() throws {
        let request = HandoffRequest(try Apps.identityProvider())
        let url = try #require(request.linkURL(provider: "google", ticket: Apps.ticket)).absoluteString
        #expect(
            url == "https://idp.example.com/auth/native/google?challenge=\(request.challenge)"
                + "&redirect=com.example.app%3A%2Fcallback&ticket=\(Apps.ticket)")
        #expect(!url.contains(request.verifier.value))
        let callback = try Apps.callback("com.example.app:/callback?code=\(Apps.code)")
        #expect(try HandoffCallback.parse(callback, Apps.identityProvider()) == .code(Apps.code, newUser: false))
        let body = try #require(request.linkBody(code: Apps.code))
        #expect(
            try JSONDecoder().decode([String: String].self, from: body)
                == ["code": Apps.code, "verifier": request.verifier.value])
    }

    @Test("A link without a provider, a ticket or a code in its form is refused")
    func brokenLink() throws {
        let request = HandoffRequest(try Apps.identityProvider())
        for provider in ["", "Google", "complete", "a/b"] {
            #expect(request.linkURL(provider: provider, ticket: Apps.ticket) == nil)
        }
        for secret in ["", "slt_", "slt_x", Apps.ticket + "x", "SLT_\(Apps.ticket.dropFirst(4))", Apps.ticket + "\""] {
            #expect(request.linkURL(provider: "google", ticket: secret) == nil)
            #expect(request.linkBody(code: secret) == nil)
        }
        #expect(request.linkURL(provider: "google", ticket: Apps.code) == nil)
        #expect(request.linkBody(code: Apps.ticket) == nil)
    }

    @Test("The web view gets code and verifier on the server's own origin")
    func signInURL() throws {
        let request = HandoffRequest(try Apps.identityProvider())
        let url = try #require(request.signInURL(code: "a&b=c d/é"))
        #expect(WebOrigin(url) == (try Apps.identityProvider()).server)
        #expect(
            url.absoluteString == "https://idp.example.com/hotwire_native/sign_in?code=a%26b%3Dc%20d%2F%C3%A9&verifier="
                + request.verifier.value)
    }

    @Test("A callback brings a code, whether the account is new, or an error")
    func callback() throws {
        let app = try Apps.identityProvider()
        func parse(_ query: String) throws -> HandoffCallback {
            try HandoffCallback.parse(Apps.callback("com.example.app:/callback?\(query)"), app)
        }
        let code = Apps.code
        #expect(try parse("code=\(code)&new_user=false") == .code(code, newUser: false))
        #expect(try parse("new_user=true&code=\(code)") == .code(code, newUser: true))
        #expect(try parse("code=\(code)") == .code(code, newUser: false))
        #expect(try parse("code=%73hc_\(code.dropFirst(4))&other=1&other=2") == .code(code, newUser: false))
        #expect(try parse("error=access_denied") == .error("access_denied"))
        #expect(
            try HandoffCallback.parse(Apps.callback("COM.example.App:/callback?error=server_error"), app)
                == .error("server_error"))
    }

    @Test("Everything else is not a callback", arguments: broken)
    func brokenCallback(row: LinkRow) throws {
        let app = try Apps.identityProvider()
        let url = try Apps.callback(row.url)
        #expect {
            try HandoffCallback.parse(url, app)
        } throws: {
            ($0 as? HandoffCallback.ParseError)?.rawValue == row.expected
        }
    }

    static let broken: [LinkRow] = {
        let code = Apps.code
        let malformed = [
            "", "?", "?code=", "?code=abc", "?code=\(code)x", "?code=\(code.dropLast())",
            "?code=sst_\(code.dropFirst(4))",
            "?code=\(code)&code=\(code)", "?code=\(code)&%63ode=\(code)", "?code=\(code)&error=access_denied",
            "?error=", "?error=a&error=a", "?error=Access%20denied", "?error=%3Cb%3E",
            "?error=\(String(repeating: "a", count: 65))",
            "?code=\(code)&new_user=yes", "?code=\(code)&new_user=true&new_user=true", "?code=%ff", "?new_user=true",
            "?code=\(code.dropLast())%00", "?token=\(code)",
        ]
        let other = [
            "com.example.app:/callback/?code=\(code)", "com.example.app:/Callback?code=\(code)",
            "com.example.app:/callbac?code=\(code)", "com.example.app:/?code=\(code)",
            "com.example.app:callback?code=\(code)",
            "com.example.app://callback?code=\(code)", "com.example.app:///callback?code=\(code)",
            "com.example.app2:/callback?code=\(code)", "com.example:/callback?code=\(code)",
            "https://idp.example.com/callback?code=\(code)", "com.example.app:/callback?code=\(code)#x",
            "javascript:/callback?code=\(code)",
        ]
        return malformed.map { LinkRow("com.example.app:/callback\($0)", "malformed") }
            + other.map { LinkRow($0, "other_address") }
    }()

    @Test("A registered URI keeps its query, and may have a host or be an https URI")
    func registeredForms() throws {
        let server = try #require(URL(string: "https://idp.example.com"))
        func parse(_ registered: String, _ url: String) throws -> HandoffCallback? {
            let app = try NativeConfiguration.identityProvider(server: server, callback: Apps.callback(registered))
            return try? HandoffCallback.parse(Apps.callback(url), app)
        }
        let code = Apps.code
        let result = HandoffCallback.code(code, newUser: false)
        #expect(try parse("myapp://callback", "myapp://callback?code=\(code)") == result)
        #expect(try parse("myapp://callback", "myapp://CALLBACK?code=\(code)") == result)
        #expect(try parse("myapp://callback", "myapp://evil?code=\(code)") == nil)
        #expect(try parse("a.b:/c?d=1", "a.b:/c?d=1&code=\(code)") == result)
        #expect(try parse("a.b:/c?d=1", "a.b:/c?code=\(code)") == nil)
        #expect(try parse("a.b:/c?d=1", "a.b:/c?d=12&code=\(code)") == nil)
        #expect(try parse("https://app.example.com/cb", "https://app.example.com/cb?code=\(code)") == result)
        #expect(try parse("https://app.example.com/cb", "https://app.example.com@evil.example/cb?code=\(code)") == nil)
        #expect(try parse("https://app.example.com/cb", "https://app.example.com.evil.example/cb?code=\(code)") == nil)
    }

    @Test("A relying party's result goes to its server's callback with exactly the parameters that count")
    func partnerCallback() throws {
        let app = try Apps.relyingParty()
        func parse(_ query: String) throws -> PartnerCallback {
            try PartnerCallback.parse(Apps.callback("com.example.partner:/callback?\(query)"), app)
        }
        let result = try parse("token=sst_a&state=S%261&return_to=%2Fevil")
        #expect(result.state == "S&1")
        #expect(result.error == nil)
        #expect(result.url.absoluteString == "https://rp.example.net/auth/sso/callback?token=sst_a&state=S%261")
        #expect(
            try parse("error=access_denied&state=S").url.absoluteString
                == "https://rp.example.net/auth/sso/callback?error=access_denied&state=S")
        for query in [
            "", "token=a", "state=s", "token=a&token=b&state=s", "token=a&state=s&state=s", "token=a&error=b&state=s",
            "token=&state=s", "token=a&state=", "token=a%0a&state=s", "token=a&state=%C3%A4", "error=%2F&state=s",
        ] {
            #expect(throws: HandoffCallback.ParseError.malformed) { try parse(query) }
        }
    }
}
