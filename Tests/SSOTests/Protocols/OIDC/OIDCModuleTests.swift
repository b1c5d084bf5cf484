import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The modules of the OpenID Foundation's conformance suite that apply (suite at 12f2a4d), one test for each name. The suite itself
/// is not run: each test states what its module checks.
@Suite("OpenID Foundation's modules", .program)
struct OIDCModuleTests {
    private static let everything = "openid profile email address phone groups offline_access"

    private static func open(_ body: (TestDeployment, Browser) async throws -> Void) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            try await body(deployment, try await deployment.signedIn())
        }
    }

    private static func claims(
        _ deployment: TestDeployment, _ browser: Browser, _ changes: [String: String?] = [:]
    ) async throws -> JSONValue {
        let reply = try await deployment.oidcToken(
            deployment.oidcCode(browser, nil, changes), as: deployment.client)
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.idTokenClaims()
    }

    /// The answer to a request that is refused at the client's address.
    private static func error(
        _ deployment: TestDeployment, _ browser: Browser, _ changes: [String: String?]
    ) async throws -> String? {
        let visit = try await browser.get(deployment.oidcRequest(deployment.client, changes))
        #expect(visit.status == 302, "\(visit.text)")
        let callback = try visit.location()
        #expect(callback.absolute.hasPrefix(deployment.client.callback))
        #expect(callback.query("iss") == deployment.origin && callback.query("code") == nil)
        return callback.query("error")
    }

    // MARK: Requests that succeed

    /// What a module adds to a request, and what the answer must have.
    private static let happyRows: [(name: String, changes: [String: String?], claims: [String: JSONValue])] = [
        ("oidcc-server", [:], ["nonce": "n"]),
        ("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", ["nonce": nil], [:]),
        ("oidcc-scope-profile", ["scope": "openid profile"], ["preferred_username": "ann", "name": "ann"]),
        ("oidcc-scope-email", ["scope": "openid email"], ["email": "ann@example.com", "email_verified": true]),
        ("oidcc-scope-address", ["scope": "openid address"], [:]),
        ("oidcc-scope-phone", ["scope": "openid phone"], [:]),
        ("oidcc-scope-all", ["scope": everything], ["email": "ann@example.com", "nickname": "ann", "groups": []]),
        ("oidcc-alternate-happy-flow", ["scope": "openid email profile"], ["email": "ann@example.com"]),
        ("oidcc-display-page", ["display": "page"], [:]), ("oidcc-display-popup", ["display": "popup"], [:]),
        ("oidcc-prompt-none-logged-in", ["prompt": "none"], [:]), ("oidcc-max-age-10000", ["max_age": "10000"], [:]),
        ("oidcc-ensure-request-with-unknown-parameter-succeeds", ["extra": "foobar"], [:]),
        ("oidcc-ensure-request-with-acr-values-succeeds", ["acr_values": "1 2 urn:mace:silver"], ["acr": "any"]),
        ("oidcc-login-hint", ["login_hint": "ann@example.com"], [:]),
        ("oidcc-login-hint: no address", ["login_hint": "+49 30 1234"], [:]),
        ("oidcc-ui-locales", ["ui_locales": "se"], [:]), ("oidcc-claims-locales", ["claims_locales": "se"], [:]),
        ("oidcc-claims-essential", ["claims": "{\"userinfo\":{\"name\":{\"essential\":true}}}"], [:]),
    ]

    @Test("oidcc-…: each request of these succeeds, with the claims that it asks for", arguments: happyRows.indices)
    func happy(index: Int) async throws {
        let row = Self.happyRows[index]
        try await Self.open { deployment, browser in
            let claims = try await Self.claims(deployment, browser, row.changes)
            for (name, value) in row.claims { #expect(claims[name] == value, "\(row.name): \(name)") }
            for name in ["address", "phone_number"] { #expect(claims[name] == nil, "\(row.name)") }
            if row.changes["nonce"] == .some(nil) { #expect(claims["nonce"] == nil) }
            if row.changes["max_age"] != nil { #expect(claims["auth_time"]?.number != nil) }
        }
    }

    @Test("oidcc-server-client-secret-post")
    func secretPost() async throws {
        try await Self.open { deployment, browser in
            let client = deployment.client
            let fields = [
                ("grant_type", "authorization_code"), ("code", try await deployment.oidcCode(browser)),
                ("redirect_uri", client.callback), ("client_id", client.id), ("client_secret", client.secret),
            ]
            #expect(try await deployment.oidcPost(OIDCPath.token, fields, as: nil).status == 200)
        }
    }

    @Test("oidcc-ensure-request-with-valid-pkce-succeeds")
    func challenge() async throws {
        try await Self.open { deployment, browser in
            let verifier = try CodeChallenge.makeVerifier()
            let code = try await deployment.oidcCode(
                browser, nil,
                ["code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256"])
            let reply = try await deployment.oidcToken(code, as: deployment.client, [("code_verifier", verifier)])
            #expect(reply.status == 200)
        }
    }

    @Test("a code with PKCE needs no redirect_uri at the token endpoint, and a verifier alone lifts nothing")
    func withoutRedirectURI() async throws {
        try await Self.open { deployment, browser in
            let (client, verifier) = (deployment.client, try CodeChallenge.makeVerifier())
            for (challenge, cause) in [(CodeChallenge.s256(verifier), nil), (nil, "code_verifier_unexpected")] {
                let code = try await deployment.oidcCode(
                    browser, nil,
                    ["code_challenge": challenge, "code_challenge_method": challenge == nil ? nil : "S256"])
                let fields = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)]
                let reply = try await deployment.oidcPost(OIDCPath.token, fields, as: client)
                #expect(reply.status == (cause == nil ? 200 : 400), "\(reply.text)")
                if let cause { #expect(deployment.log.contains("\"cause\": \(cause)")) }
            }
        }
    }

    @Test("oidcc-ensure-post-request-succeeds: a form comes again by GET, because it lacks the session's cookie")
    func postRequest() async throws {
        try await Self.open { deployment, browser in
            let address = try WebAddress(deployment.oidcRequest(deployment.client))
            let fields = ["client_id", "redirect_uri", "response_type", "scope", "state", "nonce"].map {
                ($0, address.query($0) ?? "")
            }
            let post = try await browser.withoutCookies().post(
                WebAddress(deployment.origin + OIDCPath.authorize), fields, [("Origin", "https://wiki.example")])
            #expect(post.status == 303)
            let visit = try await browser.get(post.location())
            #expect(try visit.location().query("code")?.hasPrefix("soc_") == true)
        }
    }

    @Test("a form that would be too long for an address, or that no browser sends, is not led to one")
    func formAgain() {
        let path = OIDCPath.authorize
        let longest = [UInt8](repeating: UInt8(ascii: "a"), count: 8192 - path.utf8.count - 1)
        #expect(OIDCPath.address(path, longest)?.utf8.count == 8192)
        #expect(OIDCPath.address(path, longest + longest.prefix(1)) == nil)
        for form in ["a=b c", "a=b#c", "a=b\r\nSet-Cookie: x", "a=\u{e9}", "a=\u{7f}", "a=\u{0}"] {
            #expect(OIDCPath.address(path, Array(form.utf8)) == nil, "\(form)")
        }
    }

    // MARK: userinfo

    @Test("oidcc-userinfo-get, -post-header, -post-body", arguments: ["get", "post-header", "post-body"])
    func userInfo(way: String) async throws {
        try await Self.open { deployment, browser in
            let reply = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid email"]), as: deployment.client)
            let token = try #require(reply.json()["access_token"]?.text)
            let header = [("Authorization", "Bearer \(token)")]
            let info =
                switch way {
                case "get": try await deployment.oidcProbe.get(OIDCPath.userInfo, header)
                case "post-header": try await deployment.oidcProbe.post(OIDCPath.userInfo, header, body: [])
                default: try await deployment.oidcPost(OIDCPath.userInfo, [("access_token", token)], as: nil)
                }
            #expect(info.status == 200 && info.header("content-type") == "application/json")
            #expect(try info.json()["sub"] == reply.idTokenClaims()["sub"])
            #expect(try info.json()["email"]?.text == "ann@example.com")
        }
    }

    // MARK: A new sign-in

    @Test("oidcc-prompt-login and oidcc-max-age-1: the user signs in again; sid stays, and auth_time is later")
    func again() async throws {
        try await Self.open { deployment, browser in
            let first = try await Self.claims(deployment, browser)
            for changes in [["prompt": "login"], ["max_age": "1"]] {
                deployment.clock.advance(by: .minutes(5))
                try await deployment.forgetEmails(to: "ann@example.com")
                let form = try await browser.follow(browser.get(deployment.oidcRequest(deployment.client, changes)))
                #expect(form.address.path == "/sign-in" && form.text.contains("asks you to sign in again"))
                let complete = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
                let code = try #require(TestedProtocol.oidc.callback(complete).query("code"))
                let next = try await deployment.oidcToken(code, as: deployment.client).idTokenClaims()
                #expect(next["sub"] == first["sub"] && next["sid"] == first["sid"])
                #expect((next["auth_time"]?.number ?? 0) > (first["auth_time"]?.number ?? .infinity))
            }
        }
    }

    @Test(
        "oidcc-id-token-hint: of the same user it goes on, of another user it asks, and silently it is login_required")
    func hint() async throws {
        try await Self.open { deployment, browser in
            let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
            let hint = try #require(reply.json()["id_token"]?.text)
            let same = try await Self.claims(deployment, browser, ["prompt": "none", "id_token_hint": hint])
            #expect(try same["sub"] == reply.idTokenClaims()["sub"])
            let ben = try await deployment.signedIn(as: "ben@example.com")
            #expect(
                try await Self.error(deployment, ben, ["prompt": "none", "id_token_hint": hint]) == "login_required")
            let choice = try await ben.get(deployment.oidcRequest(deployment.client, ["id_token_hint": hint]))
            #expect(try choice.location().path == AccountChoice.path)
            // One that is not ours names nobody.
            let forged = String(hint.dropLast(4) + "AAAA")
            #expect(
                try await Self.error(deployment, ben, ["prompt": "none", "id_token_hint": forged]) == "login_required")
        }
    }

    // MARK: Requests that are refused

    private static let refusedRows: [(name: String, changes: [String: String?], error: String)] = [
        ("oidcc-response-type-missing", ["response_type": nil], "invalid_request"),
        ("oidcc-idtoken-unsigned: no other flow", ["response_type": "id_token"], "unsupported_response_type"),
        ("oidcc-request-uri-unsigned-…", ["request_uri": "https://evil.example/r"], "request_uri_not_supported"),
        ("oidcc-unsigned-request-object-…", ["request": "eyJhbGciOiJub25lIn0.e30."], "request_not_supported"),
        (
            "oidcc-ensure-request-object-with-redirect-uri",
            ["request": "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZS8ifQ."],
            "request_not_supported"
        ),
        ("scope without openid", ["scope": "email"], "invalid_scope"),
        ("scope missing", ["scope": nil], "invalid_scope"),
        ("response_mode", ["response_mode": "fragment"], "invalid_request"),
        ("prompt none beside another", ["prompt": "none login"], "invalid_request"),
        (
            "plain", ["code_challenge": String(repeating: "a", count: 43), "code_challenge_method": "plain"],
            "invalid_request"
        ),
        ("no method", ["code_challenge": String(repeating: "a", count: 43)], "invalid_request"),
        ("method alone", ["code_challenge_method": "S256"], "invalid_request"),
        ("max_age", ["max_age": "-1"], "invalid_request"), ("nonce", ["nonce": "a\u{1}"], "invalid_request"),
        ("long nonce", ["nonce": String(repeating: "n", count: 513)], "invalid_request"),
        ("long state", ["state": String(repeating: "s", count: 4097)], "invalid_request"),
        ("state", ["state": "é"], "invalid_request"),
    ]

    @Test(
        "each of these comes back to the client with its error, and nothing is fetched", arguments: refusedRows.indices)
    func refused(index: Int) async throws {
        let row = Self.refusedRows[index]
        try await Self.open { deployment, browser in
            #expect(try await Self.error(deployment, browser, row.changes) == row.error, "\(row.name)")
            let visit = try await browser.get(deployment.oidcRequest(deployment.client, row.changes))
            let state = try visit.location().query("state")
            #expect(state == (row.changes["state"] == nil ? "s" : nil), "\(row.name)")
            #expect(deployment.log.text.contains("authorize_refused"))
        }
    }

    @Test("oidcc-prompt-none-not-logged-in")
    func silentVisitor() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let refused = try await Self.error(deployment, deployment.browser(), ["prompt": "none"])
            #expect(refused == "login_required")
        }
    }

    /// The redirect URI is changed, or the client: a page, never a redirect.
    private static let pagesRows: [(name: String, changes: [String: String?])] = [
        ("oidcc-ensure-registered-redirect-uri", ["redirect_uri": "https://evil.example/callback"]),
        ("oidcc-ensure-redirect-uri-in-authorization-request", ["redirect_uri": nil]),
        ("oidcc-redirect-uri-query-added", ["redirect_uri": "http://127.0.0.2:4100/auth/sso/callback?foo=bar"]),
        ("oidcc-redirect-uri-query-mismatch", ["redirect_uri": "http://127.0.0.2:4100/auth/sso/callback?"]),
        ("a port", ["redirect_uri": "http://127.0.0.2:4101/auth/sso/callback"]),
        ("unknown client", ["client_id": "nobody"]), ("no client", ["client_id": nil]),
    ]

    @Test("each of these gets a page, and no redirect", arguments: pagesRows.indices)
    func pages(index: Int) async throws {
        try await Self.open { deployment, browser in
            let visit = try await browser.get(deployment.oidcRequest(deployment.client, Self.pagesRows[index].changes))
            #expect(visit.status == 400 && visit.reply.header("location") == nil, "\(Self.pagesRows[index].name)")
        }
    }

    @Test("a parameter that appears twice is refused: on a page where it says who asks, at the client otherwise")
    func repeated() async throws {
        try await Self.open { deployment, browser in
            let address = deployment.oidcRequest(deployment.client)
            for name in ["client_id=partner-1", "redirect_uri=x"] {
                #expect(try await browser.get(address + "&" + name).status == 400)
            }
            for name in [
                "state", "nonce", "scope", "response_type", "acr_values=x&acr_values", "ui_locales=x&ui_locales",
            ] {
                let visit = try await browser.get(address + "&\(name)=x")
                #expect(try visit.location().query("error") == "invalid_request", "\(name)")
            }
            for name in ["request", "request_uri"] {
                let visit = try await browser.get(address + "&\(name)=x&\(name)=y")
                #expect(try visit.location().query("error") == "\(name)_not_supported", "\(name)")
            }
        }
    }

    // MARK: Codes and tokens

    @Test(
        "oidcc-codereuse and oidcc-codereuse-30seconds: one success, and the second use ends what the first gave",
        arguments: [0, 30])
    func reuse(seconds: Int) async throws {
        try await Self.open { deployment, browser in
            let code = try await deployment.oidcCode(browser, nil, ["scope": Self.everything])
            let first = try await deployment.oidcToken(code, as: deployment.client)
            let token = try #require(first.json()["access_token"]?.text)
            let refresh = try #require(first.json()["refresh_token"]?.text)
            #expect(try await deployment.oidcUserInfo(token).status == 200)
            deployment.clock.advance(by: .seconds(seconds))
            let second = try await deployment.oidcToken(code, as: deployment.client)
            #expect(second.status == 400)
            #expect(try second.json()["error"]?.text == "invalid_grant")
            let dead = try await deployment.oidcUserInfo(token)
            #expect(dead.status == 401)
            #expect(dead.header("www-authenticate") == "Bearer error=\"invalid_token\"")
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 400)
            #expect(deployment.log.text.contains("code_reused"))
        }
    }

    @Test("oidcc-refresh-token: the successor works, with the same sub, sid and auth_time, and no nonce")
    func refresh() async throws {
        try await Self.open { deployment, browser in
            let first = try await deployment.oidcToken(
                deployment.oidcCode(browser, nil, ["scope": "openid email offline_access"]), as: deployment.client)
            let refresh = try #require(first.json()["refresh_token"]?.text)
            #expect(refresh.hasPrefix("sor_"))
            deployment.clock.advance(by: .minutes(20))
            let old = try #require(first.json()["access_token"]?.text)
            #expect(try await deployment.oidcUserInfo(old).status == 401, "ten minutes")
            let next = try await deployment.oidcRefresh(refresh, as: deployment.client)
            #expect(next.status == 200, "\(next.text)")
            let (before, after) = (try first.idTokenClaims(), try next.idTokenClaims())
            for name in ["sub", "sid", "auth_time", "azp", "amr", "acr", "email"] {
                #expect(after[name] == before[name] && after[name] != nil, "\(name)")
            }
            #expect(after["nonce"] == nil)
            let token = try #require(next.json()["access_token"]?.text)
            #expect(try await deployment.oidcUserInfo(token).status == 200)
            let narrow = try await deployment.oidcRefresh(
                #require(next.json()["refresh_token"]?.text), as: deployment.client, scope: "openid")
            #expect(try narrow.json()["scope"]?.text == "openid" && narrow.idTokenClaims()["email"] == nil)
            let wide = try await deployment.oidcRefresh(
                #require(narrow.json()["refresh_token"]?.text), as: deployment.client, scope: "openid groups")
            #expect(try wide.json()["error"]?.text == "invalid_scope")
        }
    }

    @Test(
        "oidcc-server-rotate-keys: the new key is published a day before it signs, and the old one stays a day longer")
    func rotation() async throws {
        try await Self.open { deployment, browser in
            func kid() async throws -> String {
                let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
                return try JWTParts(reply.json()["id_token"]?.text ?? "").header["kid"]?.text ?? ""
            }
            func published() async throws -> Set<String> {
                let keys = try await deployment.oidcProbe.get(OIDCPath.keys).json()["keys"]?.items ?? []
                return Set(keys.filter { $0["alg"]?.text == "RS256" }.compactMap { $0["kid"]?.text })
            }
            let old = try await kid()
            #expect(try await published() == [old])
            let box = SigningKeyBox(keys: deployment.keys, randomness: SystemRandomness())
            let changes = OperatorChanges(deployment.database, by: .program, clock: deployment.clock.clock)
            _ = try await changes.make(RotateKeys(box, isAtOnce: false))
            let both = try await published()
            #expect(both.count == 2 && both.contains(old))
            #expect(try await kid() == old)
            deployment.clock.advance(by: .hours(24))
            let again = try await deployment.signedIn()
            let code = try await deployment.oidcCode(again)
            let reply = try await deployment.oidcToken(code, as: deployment.client)
            let next = try JWTParts(reply.json()["id_token"]?.text ?? "").header["kid"]?.text ?? ""
            #expect(both.subtracting([old]) == [next] && next != old)
            #expect(try await published() == both, "its last token may still be checked")
            deployment.clock.advance(by: .hours(24) + .minutes(10))
            #expect(try await published() == [next])
            _ = try await changes.make(RotateKeys(box, isAtOnce: true))
            let leaked = try await published()
            #expect(leaked.count == 1 && !leaked.contains(next), "after a leak the old key leaves at once")
        }
    }
}
