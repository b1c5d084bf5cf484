import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// No secret is in the log, at any level (ASVS 16.2.5); the security events and their users are (ASVS 16.3.1).
@Suite("Content of the log", .program)
struct LogSecrecyTests {
    @Test("one flow id is in every event, from the first visit to the replay (ASVS 16.3)")
    func flow() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let wrong = code == "123456" ? "654321" : "123456"
            _ = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": wrong])
            let complete = try await browser.enter(code, on: waiting)
            _ = try await browser.follow(browser.get(complete.callback()))
            _ = try await deployment.verify(complete.token(), as: deployment.client)
            let events = [
                "sign_in_requested", "code_rejected", "signed_in", "token_issued", "token_redeemed", "verify_refused",
            ]
            let flows = events.map { event in
                deployment.log.text.split(separator: "\n").first { $0.contains(event) }?
                    .firstMatch(of: #/flow"?[=:] ?"?([\w-]{12})/#).map { String($0.1) }
            }
            #expect(flows[0] != nil && Set(flows).count == 1, "\(flows) in \(deployment.log.text)")
        }
    }

    @Test("over a whole journey with its failures no secret is logged, and every security event is")
    func journey() async throws {
        try await TestDeployment.open { deployment in
            var forbidden = [deployment.client.secret]
            let browser = deployment.browser()
            let begin = try await browser.beginSignIn(at: deployment.client)
            forbidden += cookies(of: browser)
            let waiting = try await browser.ask(for: "ann@example.com", on: begin)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            forbidden += cookies(of: browser) + (try formTokens(begin)) + (try formTokens(waiting))
            let wrong = code == "123456" ? "654321" : "123456"
            _ = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": wrong])
            #expect(deployment.log.contains("code_rejected"))
            let complete = try await browser.enter(code, on: waiting)
            #expect(deployment.log.contains("signed_in") && deployment.log.contains("token_issued"))
            let (callback, token) = (try complete.callback(), try complete.token())
            forbidden += [token, String(token.dropFirst(4)), code, wrong, callback.query("state") ?? token]

            let home = try await browser.follow(browser.get(callback))
            #expect(deployment.log.contains("token_redeemed"))
            forbidden += cookies(of: browser) + (try formTokens(home))

            // Failures are where a programmer is tempted to log everything.
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            #expect(deployment.log.contains("invalid_token"))
            let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
            let headers = try deployment.signed(body + [0x20], by: deployment.client)
            forbidden += headers.filter { $0.0 == RequestSignature.headerName }.map { String($0.1.dropFirst(7)) }
            #expect(try await deployment.backChannel(body, headers).status == 401)
            #expect(deployment.log.contains("invalid_signature"))
            _ = try await deployment.browser().get(callback)
            #expect(deployment.log.contains("unknown_state"))
            let bearer = "Bearer very-private-credential"
            _ = try await browser.get(
                "\(deployment.origin)/nowhere?code=\(code)&token=\(token)", [("Authorization", bearer)])
            let visitor = deployment.browser()
            _ = try await visitor.post(WebAddress(deployment.origin + "/sign-in"), [("email", "eve@example.com")])
            #expect(deployment.log.contains("no_cookie"))
            _ = try await visitor.get(deployment.origin + "/sign-in")
            _ = try await visitor.post(WebAddress(deployment.origin + "/sign-in"), [("email", "eve@example.com")])
            #expect(deployment.log.contains("stale_form"))

            // Storage errors in the middle of the journey.
            await deployment.database.close()
            #expect(
                try await browser.get(deployment.authorize(deployment.client, state: "a-private-state")).status == 503)
            #expect(try await deployment.verify(token, as: deployment.client).status == 503)
            #expect(deployment.log.contains("temporarily_unavailable"))

            forbidden += [bearer, "very-private-credential", "a-private-state"]
            let log = deployment.log.text
            for secret in Set(forbidden) where !secret.isEmpty {
                #expect(!log.contains(secret), "\(secret.prefix(8))… is in the log")
            }
            // A path that does not exist is logged without its query.
            #expect(log.contains("/nowhere") && !log.contains("?"))
        }
    }

    @Test(
        "over a journey by OpenID Connect with its failures no code, token, secret, verifier or Authorization is logged"
    )
    func openIDConnect() async throws {
        try await TestDeployment.openWithOIDC(clients: 2, keys: ["access: everyone, introspect: true"]) { deployment in
            let (client, other) = (deployment.clients[0], deployment.clients[1])
            let (verifier, wrong) = (try CodeChallenge.makeVerifier(), TestSecret.new())
            var forbidden = [client.secret, other.secret, verifier, wrong, "a-private-state", "a-private-nonce"]
            for (id, secret) in [(client.id, client.secret), (other.id, other.secret), (client.id, wrong)] {
                forbidden.append(String(TestDeployment.basic(id, secret).dropFirst("Basic ".count)))
            }
            let browser = try await deployment.signedIn()
            forbidden += cookies(of: browser)
            let wishes: [String: String?] = [
                "scope": "openid email offline_access", "state": "a-private-state", "nonce": "a-private-nonce",
            ]
            let code = try await deployment.oidcCode(
                browser, client,
                wishes.merging([
                    "code_challenge": CodeChallenge.s256(verifier), "code_challenge_method": "S256",
                ]) { $1 })
            forbidden.append(code)
            func tokens(_ reply: ProbeReply) throws -> [String] {
                let answer = try reply.json()
                return try ["access_token", "refresh_token", "id_token"].map { try #require(answer[$0]?.text) }
            }
            let first = try tokens(
                await deployment.oidcToken(code, as: client, [("code_verifier", verifier)]))
            #expect(try await deployment.oidcUserInfo(first[0]).status == 200)
            let second = try tokens(await deployment.oidcRefresh(first[1], as: client))
            forbidden += first + second

            // What clients do wrong.
            for place in ["#code=\(code)", "?code=\(code)", "/\(second[1])", "#id_token=\(first[2])", "/\(first[2])"] {
                let address = deployment.oidcRequest(client, ["redirect_uri": "https://localhost/cb\(place)"])
                #expect(try await browser.get(address).status == 400)
            }
            #expect(deployment.log.contains("authorize_refused"))
            #expect(try await deployment.oidcToken(code, as: client, [("code_verifier", wrong)]).status == 400)
            let basic = [("Authorization", TestDeployment.basic(client.id, wrong))]
            for path in [OIDCPath.token, OIDCPath.introspect, OIDCPath.revoke] {
                let fields = [("grant_type", "refresh_token"), ("refresh_token", second[1]), ("token", second[0])]
                #expect(try await deployment.oidcPost(path, fields, as: nil, basic).status == 401)
            }
            for token in second {
                let reply = try await deployment.oidcPost(OIDCPath.introspect, [("token", token)], as: client)
                #expect(reply.status == 200)
            }
            #expect(try await deployment.oidcUserInfo(second[0] + "x").status == 401)
            #expect(try await deployment.oidcUserInfo(second[2]).status == 401)

            let leaked = try tokens(
                await deployment.oidcToken(
                    deployment.oidcCode(browser, client, wishes.merging(["state": "b"]) { $1 }), as: client))
            #expect(try await deployment.oidcRefresh(leaked[1], as: other).status == 400)
            let stolen = try await deployment.oidcCode(browser, client, wishes.merging(["state": "c"]) { $1 })
            #expect(try await deployment.oidcToken(stolen, as: other).status == 400)
            let used = try tokens(
                await deployment.oidcToken(
                    deployment.oidcCode(browser, client, wishes.merging(["state": "d"]) { $1 }), as: client))
            let successor = try tokens(await deployment.oidcRefresh(used[1], as: client))
            deployment.clock.advance(by: .minutes(1))
            #expect(try await deployment.oidcRefresh(used[1], as: client).status == 400)
            forbidden += leaked + [stolen] + used + successor

            for token in second {
                #expect(try await deployment.oidcPost(OIDCPath.revoke, [("token", token)], as: client).status == 200)
            }
            for hint in [second[2] + "x", "eyJhbGciOiJub25lIn0.\(second[2])", second[2]] {
                let query = FormCoding.encode([("id_token_hint", hint), ("state", "a-private-state")])
                #expect(try await browser.get("\(deployment.origin)\(OIDCPath.logout)?\(query)").status == 303)
            }
            await deployment.database.close()
            #expect(try await deployment.oidcToken(stolen, as: client).status == 503)
            #expect(try await deployment.oidcRefresh(successor[1], as: client).status == 503)

            // The parts of tokens, too: an access token without its prefix, the signature of a JWT.
            forbidden += forbidden.filter { $0.hasPrefix("so") }.map { String($0.dropFirst(4)) }
            forbidden += forbidden.filter { $0.hasPrefix("eyJ") }.flatMap { $0.split(separator: ".").suffix(2) }
                .map(String.init)
            let log = deployment.log.text
            for secret in Set(forbidden) where !secret.isEmpty {
                #expect(!log.contains(secret), "\(secret.prefix(8))… is in the log")
            }
        }
    }

    @Test("no line has the key of a link, or the path with it, whatever becomes of the link")
    func link() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            for target in [
                asking.link, asking.link + ".", asking.link + "x", String(asking.link.dropLast()), asking.link + "/x",
                asking.link + "%3E", asking.link + "?key=\(asking.key)",
            ] {
                let other = deployment.browser()
                _ = try await other.follow(other.get(target))
                _ = try await other.send("HEAD", WebAddress(target))
                _ = try await other.post(WebAddress(target), [("key", asking.key)])
            }
            let page = try await asking.open()
            _ = try await asking.browser.post(page.address, [("form_token", "x")])
            #expect(try await asking.browser.follow(asking.press(page)).token().hasPrefix("sst_"))
            _ = try await asking.open()
            #expect(deployment.log.contains("link_rejected") && deployment.log.contains("email_link"))
            for reason in ["damaged", "used"] { #expect(deployment.log.contains("\"reason\": \(reason)")) }
            // The first half of a key is the challenge's id, which events name. The second half makes the key.
            #expect(!deployment.log.contains(String(asking.key.suffix(20))))
            #expect(!deployment.log.contains("\(PendingLink.path)/\(asking.key.prefix(4))"))
            await deployment.database.close()
            #expect(try await asking.open().status == 503)
            #expect(!deployment.log.contains(String(asking.key.suffix(20))))
        }
    }

    @Test("a token presented by the wrong client is an alarm that names both clients")
    func alarm() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = try await deployment.signedIn()
            let token = try await browser.token(for: deployment.clients[0], of: deployment)
            #expect(try await deployment.verify(token, as: deployment.clients[1]).status == 401)
            let line = deployment.log.text.split(separator: "\n").first {
                $0.hasPrefix("warning") && $0.contains("partner-2") && $0.contains("partner-1")
            }
            #expect(line != nil)
        }
    }

    @Test("signing out is logged by both programs, and so is a pause after too many guesses")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            let client = try await browser.follow(browser.get(complete.callback()))
            let before = count("signed_out", in: deployment)
            _ = try await browser.submit(client.page().form(to: "/sign-out"), on: client)
            let idp = try await browser.get(deployment.origin + "/")
            _ = try await browser.submit(idp.page().form(to: "/sign-out"), on: idp)
            #expect(count("signed_out", in: deployment) == before + 2)

            try await deployment.typeWrongCodes(20)
            let paused = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            #expect(paused.text.contains("Too many wrong codes"))
            let pending = try await deployment.asking("bob@example.com")
            try await deployment.typeWrongCodes(20, for: "bob@example.com")
            #expect(try await pending.guess(pending.code).status == 429)
            let line = try #require(
                deployment.log.text.split(separator: "\n").last { $0.contains("code_rejected") })
            #expect(line.contains("\"reason\": paused"))
            #expect(!line.contains(pending.code))
        }
    }

    @Test("an error page and the log have the same reference")
    func reference() async throws {
        try await TestDeployment.open { deployment in
            for address in [deployment.origin + "/nowhere", deployment.client.callback + "?state=a&token=b"] {
                let visit = try await deployment.browser().get(address)
                let match = try #require(visit.text.firstMatch(of: #/<code translate="no">([2-9A-Z]{8})</code>/#))
                let lines = deployment.log.text.split(separator: "\n").filter { $0.contains(match.1) }
                #expect(lines.contains { $0.contains("request_refused") })
                #expect(try visit.page().links.isEmpty == false)
            }
            await deployment.database.close()
            let visit = try await deployment.browser().get(deployment.authorize(deployment.client, state: "a"))
            #expect(visit.status == 503)
            let match = try #require(visit.text.firstMatch(of: #/<code translate="no">([2-9A-Z]{8})</code>/#))
            let line = deployment.log.text.split(separator: "\n").first {
                $0.hasPrefix("error") && $0.contains(match.1)
            }
            #expect(line != nil)
        }
    }

    private func count(_ event: String, in deployment: TestDeployment) -> Int {
        deployment.log.text.split(separator: "\n").count { $0.contains(" \(event) ") }
    }

    /// Without the word that says which way to sign in was used last.
    private func cookies(of browser: Browser) -> [String] {
        browser.cookies.values.flatMap { $0.filter { $0.key != "idp_last_method" }.values }
    }

    private func formTokens(_ visit: Visit) throws -> [String] {
        try visit.page().forms.compactMap { $0["form_token"] }
    }
}
