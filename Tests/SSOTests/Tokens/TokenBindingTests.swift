import SSOShared
import Testing

@testable import SSOShared
@testable import TestSupport

@Suite("What a token is bound to")
struct TokenBindingTests {
    @Test("a token presented by another client is refused like an unknown one, burnt for both, and an alert is logged")
    func wrongClient() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let (owner, attacker) = (deployment.clients[0], deployment.clients[1])
            let ann = try await deployment.signedIn()
            let token = try await ann.token(for: owner, of: deployment, state: "1")
            let unknown = try await deployment.verify("sst_" + String(repeating: "A", count: 43), as: attacker)
            #expect(try await deployment.verify(token, as: attacker).shape == unknown.shape)
            #expect(deployment.log.contains("warning verify_refused"))
            #expect(deployment.log.contains("token_of_other_client issued to partner-1"))
            #expect(try await deployment.verify(token, as: owner).shape == unknown.shape)
            #expect(try await deployment.verify(token, as: attacker).shape == unknown.shape)
            // The attacker's guesses burn nothing else, nor does naming the owner with a signature of its own.
            let next = try await ann.token(for: owner, of: deployment, state: "2")
            let body = VerifyRequest(token: next).body()
            let posed = try await deployment.post(
                body, by: attacker, with: [(RequestSignature.clientHeaderName, owner.id)])
            #expect(posed.error == "invalid_signature")
            #expect(try await deployment.verify(next, as: owner).status == 200)
        }
    }

    @Test("the log distinguishes a replay from an accidental repetition, and names the session of the token")
    func replay() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(!deployment.log.contains("warning verify_refused"))
            #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
            let line = deployment.log.text.split(separator: "\n").last { $0.contains("verify_refused") }
            #expect(
                line?.contains("warning verify_refused") == true && line?.contains("used before, of session") == true)
            #expect(try await deployment.verify(Browser.someToken, as: deployment.client).error == "invalid_token")
            let slip = deployment.log.text.split(separator: "\n").last { $0.contains("verify_refused") }
            #expect(slip?.contains("warning") == false && slip?.contains("unknown") == true, "\(slip ?? "")")
            for event in ["token_issued", "token_redeemed"] {
                #expect(
                    deployment.log.text.split(separator: "\n").contains { $0.contains(event) && $0.contains("session") }
                )
            }
        }
    }

    @Test("an unknown, used, expired, void or foreign token and a wrong address get the same answer")
    func oneShape() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let (ann, client) = (try await deployment.signedIn(), deployment.client)
            func token(_ state: String) async throws -> String {
                try await ann.token(for: client, of: deployment, state: state)
            }
            let expired = try await token("expired")
            deployment.clock.advance(by: .seconds(300))
            let (used, void) = (try await token("used"), try await token("void"))
            #expect(try await deployment.verify(used, as: client).status == 200)
            _ = try await token("void")
            let foreign = try await ann.token(for: deployment.clients[1], of: deployment)
            let elsewhere = try await token("elsewhere")
            var shapes: Set<String> = []
            for token in ["sst_" + String(repeating: "A", count: 43), "x", expired, used, void, foreign] {
                shapes.insert(try await deployment.verify(token, as: client).shape)
            }
            for address in ["", client.callback + "/", client.callback.uppercased(), "https://evil.example/"] {
                shapes.insert(try await deployment.verify(elsewhere, as: client, redirectURI: address).shape)
            }
            #expect(shapes.count == 1 && shapes.first?.hasPrefix("401") == true)
            // A wrong address from the right client burns nothing.
            #expect(try await deployment.verify(elsewhere, as: client, redirectURI: client.callback).status == 200)
        }
    }

    /// RFC 7636 4.6; RFC 9700 4.8: an attacker cannot remove the challenge at either end.
    @Test("with a challenge its verifier is required, without one a verifier is refused")
    func codeChallenge() async throws {
        try await TestDeployment.open { deployment in
            let (ann, client) = (try await deployment.signedIn(), deployment.client)
            let verifier = try CodeChallenge.makeVerifier()
            let asked = [("code_challenge", CodeChallenge.s256(verifier)), ("code_challenge_method", "S256")]
            let address = deployment.authorize(client, state: "with") + "&" + FormCoding.encode(asked)
            let token = try await ann.get(address).token()
            func verify(_ token: String, _ verifier: String?) async throws -> Int {
                try await deployment.post(VerifyRequest(token: token, codeVerifier: verifier).body(), by: client).status
            }
            for wrong in [
                nil, "", CodeChallenge.s256(verifier), verifier + "A", String(verifier.dropLast()), verifier + "\n",
            ] {
                #expect(try await verify(token, wrong) == 401, "\(wrong ?? "none")")
            }
            #expect(try await verify(token, verifier) == 200)
            let plain = try await ann.token(for: client, of: deployment, state: "without")
            for extra in ["", verifier] { #expect(try await verify(plain, extra) == 401) }
            #expect(try await verify(plain, nil) == 200)
        }
    }

    @Test("a challenge survives the sign-in")
    func challengeWaits() async throws {
        try await TestDeployment.open { deployment in
            let (browser, verifier) = (deployment.browser(), try CodeChallenge.makeVerifier())
            let asked = [("code_challenge", CodeChallenge.s256(verifier)), ("code_challenge_method", "S256")]
            let address = deployment.authorize(deployment.client, state: "with") + "&" + FormCoding.encode(asked)
            let waiting = try await browser.ask(for: "ann@example.com", on: browser.follow(browser.get(address)))
            let page = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            let token = try page.token()
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            let body = VerifyRequest(token: token, codeVerifier: verifier).body()
            #expect(try await deployment.post(body, by: deployment.client).status == 200)
        }
    }

    @Test("each kind of secret is useless as any other kind")
    func kinds() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let flow = try #require(form.address.query("flow"))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let formToken = try #require(try waiting.page().form(with: "code")?["form_token"])
            let complete = try await browser.enter(code, on: waiting)
            let (token, state) = (try complete.token(), try #require(try complete.callback().query("state")))
            let cookie = try #require(browser.cookie("idp_session", at: "localhost"))
            for other in [code, flow, formToken, state, cookie, "sst_" + flow, "sst_" + formToken, "sst_" + cookie] {
                #expect(try await deployment.verify(other, as: deployment.client).error == "invalid_token")
            }
            let visitor = deployment.browser()
            visitor.setCookie("idp_session", to: token, at: "localhost")
            #expect(try await !visitor.isSignedIn(at: deployment))
            #expect(try await browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(token)").status == 404)
            // Only the sample client has this token's verifier.
            _ = try await browser.follow(browser.get(complete.callback()))
            #expect(try await browser.isSignedIn(at: deployment.client))
        }
    }
}
