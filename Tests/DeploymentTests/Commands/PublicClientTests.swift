import Foundation
import SSOShared
import Testing

@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// An app that an operator adds by a command, and that has no secret.
@Suite("Public clients of OpenID Connect", .deployment)
struct PublicClientTests {
    private static let add = [
        "client", "add", "app", "--name", "App", "--protocol", "oidc", "--public", "--everyone", "--redirect-uri",
        "http://127.0.0.1:*/callback", "--scope", "openid", "--scope", "email", "--scope", "offline_access",
    ]

    private static func request(
        _ pair: ProcessDeployment, _ changes: [String: String?] = [:], verifier: String
    ) -> String {
        let usual: [String: String?] = [
            "client_id": "app", "redirect_uri": "http://127.0.0.1:41234/callback", "response_type": "code",
            "scope": "openid email offline_access", "state": "s", "nonce": "n",
            "code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256",
        ]
        let fields = usual.merging(changes) { $1 }.compactMap { name, value in value.map { (name, $0) } }
        return "\(pair.origin)\(OIDCPath.authorize)?\(FormCoding.encode(fields.sorted { $0.0 < $1.0 }))"
    }

    private static func post(
        _ pair: ProcessDeployment, _ fields: [(String, String)], _ headers: HTTPProbe.Headers = []
    ) async throws -> ProbeReply {
        try await HTTPProbe(port: pair.idp.port, authority: "localhost:\(pair.idp.port)").post(
            OIDCPath.token, [("Content-Type", "application/x-www-form-urlencoded")] + headers,
            body: Array(FormCoding.encode(fields).utf8))
    }

    /// Agrees on the page, and returns the address that the one after it leads to.
    private static func callback(_ question: Visit, _ browser: Browser) async throws -> WebAddress {
        let link = try #require(try question.page().link(containing: OIDCPath.complete))
        let page = try await browser.follow(browser.click(link, on: question))
        guard let link = try page.page().link(containing: "code=soc_") else {
            throw ProbeFailure("no link with a code: \(page.status) \(page.text)")
        }
        return try WebAddress(link)
    }

    private static func running(_ body: (ProcessDeployment, Browser, String) async throws -> Void) async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            try await pair.idp(add, settings: ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""])
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            try await body(pair, browser, try CodeChallenge.makeVerifier())
        }
    }

    @Test(
        "at any port of the loopback address the user is asked on a page each time; the code needs its verifier alone")
    func loopback() async throws {
        try await Self.running { pair, browser, verifier in
            for port in [1, 41_234, 65_535] {
                let address = "http://127.0.0.1:\(port)/callback"
                let page = try await browser.follow(
                    browser.get(Self.request(pair, ["redirect_uri": address], verifier: verifier)))
                #expect(page.status == 200, "a page, also with the same state and nonce again")
                let back = try await Self.callback(page, browser)
                #expect(back.absolute.hasPrefix(address + "?"))
                let reply = try await Self.post(
                    pair,
                    [
                        ("grant_type", "authorization_code"), ("code", back.query("code") ?? ""),
                        ("redirect_uri", address), ("client_id", "app"), ("code_verifier", verifier),
                    ])
                #expect(reply.status == 200, "\(reply.text)")
                let token = try #require(reply.json()["refresh_token"]?.text)
                let next = try await Self.post(
                    pair, [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "app")])
                #expect(try next.status == 200 && next.json()["refresh_token"]?.text != token)
            }
        }
    }

    @Test("what is not exactly such an address gets a page and no redirect")
    func addresses() async throws {
        try await Self.running { pair, browser, verifier in
            for address in [
                "http://127.0.0.1/callback", "http://127.0.0.1:/callback", "http://127.0.0.1:0/callback",
                "http://127.0.0.1:041234/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:*/callback",
                "http://127.0.0.1:1/callback/", "http://127.0.0.1:1/callback?x=1", "http://127.0.0.1:1/Callback",
                "http://127.0.0.1:1@evil.example/callback", "http://127.0.0.1.evil.example:1/callback",
                "http://localhost:1/callback", "http://[::1]:1/callback", "http://127.0.0.2:1/callback",
                "http://127.0.0.1:x@evil.example/callback", "http://127.0.0.1:1\\@evil.example/callback",
                "https://127.0.0.1:1/callback", "http://127.0.0.1:1\u{0}/callback", "http://127.0.0.1:１/callback",
                "http://127.0.0.1:1/callback#x", "http://127.1:1/callback", "HTTP://127.0.0.1:1/callback",
            ] {
                let visit = try await browser.get(
                    Self.request(pair, ["redirect_uri": address], verifier: verifier))
                #expect(visit.status == 400 && visit.reply.header("location") == nil, "\(address)")
            }
        }
    }

    @Test("silently it is interaction_required, and without PKCE invalid_request")
    func refused() async throws {
        try await Self.running { pair, browser, verifier in
            for (changes, error): ([String: String?], String) in [
                (["prompt": "none"], "interaction_required"),
                (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
                (["code_challenge": verifier, "code_challenge_method": "plain"], "invalid_request"),
            ] {
                let visit = try await browser.get(Self.request(pair, changes, verifier: verifier))
                #expect(try visit.location().query("error") == error, "\(changes)")
                #expect(try visit.location().query("iss") == pair.origin)
            }
        }
    }

    @Test(
        "a secret that the app sends proves nothing: its verifier does, and another client's code stays another client's"
    )
    func secrets() async throws {
        try await Self.running { pair, browser, verifier in
            let page = try await browser.follow(browser.get(Self.request(pair, verifier: verifier)))
            let code = try #require(await Self.callback(page, browser).query("code"))
            let fields = [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
                ("redirect_uri", "http://127.0.0.1:41234/callback"),
            ]
            func basic(_ text: String) -> HTTPProbe.Headers {
                [("Authorization", "Basic " + Data(text.utf8).base64EncodedString())]
            }
            let own = pair.client.secret
            for (further, headers): ([(String, String)], HTTPProbe.Headers) in [
                ([], []), ([("client_id", "partner-1")], []), ([("client_id", "nobody")], []), ([], basic("nobody:")),
            ] {
                let reply = try await Self.post(pair, fields + further, headers)
                #expect(try reply.json()["error"]?.text == "invalid_client", "\(further) \(headers)")
                #expect(reply.status == 401)
            }
            for verifier in [nil, String(repeating: "a", count: 43)] as [String?] {
                let others = fields.filter { $0.0 != "code_verifier" }
                let sent = others + (verifier.map { [("code_verifier", $0)] } ?? []) + [("client_id", "app")]
                for secret in [[], [("client_secret", own)]] {
                    #expect(try await Self.post(pair, sent + secret).json()["error"]?.text == "invalid_grant")
                }
            }
            #expect(try await Self.post(pair, fields, basic("app:\(own)")).status == 200, "it was not used up")
        }
    }

    @Test("id and scheme of an app, and plain http in a private network, are accepted with a warning, and shown")
    func broughtAlong() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            let base = ["--name", "App", "--everyone", "--redirect-uri"]
            let android = base + ["oc://android.opencloud.eu", "--protocol", "oidc", "--public"]
            let added = try await pair.idp(["client", "add", "OpenCloudAndroid"] + android, settings: key)
            #expect(added.output.contains("Any other app may claim a scheme of one word"), "\(added.output)")
            #expect(
                try await pair.idp(["client", "show", "OpenCloudAndroid"]).printed.contains("oc://android.opencloud.eu")
            )
            let strict = try await pair.idp(
                ["client", "add", "OpenCloud"] + base + ["https://app.example/cb"], settings: key, endsWith: 64)
            #expect(strict.output.contains("at most 63 lower-case letters"), "\(strict.output)")

            let nas = ["client", "add", "nas"] + base + ["http://nas.lan:5000/cb"]
            let refused = try await pair.idp(nas, settings: key, endsWith: 64)
            #expect(refused.output.contains("must be https"), "\(refused.output)")
            let plain = try await pair.idp(nas + ["--allow-private-http"], settings: key)
            #expect(plain.output.contains("plain http, http://nas.lan:5000/cb"), "\(plain.output)")
            #expect(try await pair.idp(["client", "show", "nas"]).printed.contains("private http   allowed"))
            #expect(
                try await pair.idp(["client", "show", "nas", "--json"]).printed.contains(#""allow_private_http":true"#))
            #expect(try await pair.idp(["client", "export", "nas"]).printed.contains(#"allow_private_http: "true""#))
            let back = try await pair.idp(["client", "set", "nas", "--no-allow-private-http"], endsWith: 64)
            #expect(back.output.contains("redirect_uris"), "\(back.output)")
        }
    }

    @Test("wrong values of its options change nothing and name the key and the rule")
    func options() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            let base = ["client", "add", "app", "--name", "App", "--everyone"]
            let web = ["--redirect-uri", "https://app.example/callback"]
            let loopback = ["--redirect-uri", "http://127.0.0.1:*/callback"]
            for (options, words) in [
                (web + ["--protocol", "saml"], ["protocols", "saml"]),
                (web + ["--public"], ["public"]),
                (loopback + ["--protocol", "oidc"], ["redirect_uris"]),
                (web + ["--protocol", "oidc", "--scope", "email"], ["scopes", "openid"]),
                (web + ["--protocol", "oidc", "--scope", "openid", "--scope", "phone"], ["scopes", "phone"]),
                (web + ["--protocol", "oidc", "--id-token-alg", "none"], ["id_token_alg", "RS256"]),
                (web + ["--protocol", "oidc", "--id-token-alg", "HS256"], ["id_token_alg", "RS256"]),
                (web + ["--protocol", "oidc", "--origin", "https://app.example/"], ["origins", "slash"]),
                (web + ["--protocol", "oidc", "--origin", "*"], ["origins"]),
                (
                    web + ["--protocol", "oidc", "--backchannel-logout-uri", "http://app.example/out"],
                    ["backchannel_logout_uri", "https"]
                ),
                (
                    web + ["--protocol", "oidc", "--post-logout-redirect-uri", "https://app.example/#x"],
                    ["post_logout_redirect_uris"]
                ),
                (
                    ["--protocol", "oidc", "--redirect-uri", "https://app.example/cb?code=1"],
                    ["redirect_uris", "code"]
                ),
                (["--protocol", "oidc", "--redirect-uri", "https://app.example/cb?iss=1"], ["redirect_uris", "iss"]),
                (loopback + ["--protocol", "oidc", "--public", "--introspect"], ["introspect", "public"]),
            ] {
                let program = try await pair.idp(base + options, settings: key, endsWith: 64)
                for word in words { #expect(program.output.contains(word), "\(options): \(program.output)") }
            }
            #expect(try await pair.idp(["client", "list", "--json"]).printed == "[]\n")
        }
    }
}
