import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import SSOShared
@testable import TestKit
@testable import WebTestKit

@Suite("What a token is bound to", .program, .alsoOnPostgres)
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
            let alert = deployment.log.text.split(separator: "\n").last { $0.contains("verify_refused") }
            #expect(alert?.contains("token_of_other_client") == true && alert?.contains("partner-1") == true)
            let burnt = try await deployment.verify(token, as: owner)
            #expect(burnt.error == "invalid_token" && burnt.explanation?.contains("revoked") == true)
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

    @Test("a malformed verifier is no way to try a token of another client: it is burnt, and the own one is not")
    func malformedVerifier() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let (owner, attacker) = (deployment.clients[0], deployment.clients[1])
            let token = try await deployment.signedIn().token(for: owner, of: deployment)
            func present(by client: TestDeployment.Client, _ verifier: String?) async throws -> ProbeReply {
                try await deployment.post(VerifyRequest(token: token, codeVerifier: verifier).body(), by: client)
            }
            let slip = try await present(by: owner, "abc")
            #expect(slip.error == "invalid_token" && slip.explanation?.contains("43 to 128") == true, "\(slip.text)")
            let unknown = try await deployment.verify(Browser.someToken, as: attacker)
            #expect(try await present(by: attacker, "abc").shape == unknown.shape)
            #expect(deployment.log.contains("\"cause\": token_of_other_client"))
            #expect(try await present(by: owner, nil).error == "invalid_token", "burnt")
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
                line?.contains("warning verify_refused") == true && line?.contains("\"cause\": used") == true
                    && line?.contains("\"session\": ") == true)
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

    @Test("a token of another client looks like an unknown one, whatever became of it, also to its bearer")
    func foreign() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let (ann, owner, other) = (try await deployment.signedIn(), deployment.clients[0], deployment.clients[1])
            func token(_ state: String) async throws -> String {
                try await ann.token(for: owner, of: deployment, state: state)
            }
            let expired = try await token("expired")
            deployment.clock.advance(by: .seconds(300))
            let (used, fresh) = (try await token("used"), try await token("fresh"))
            #expect(try await deployment.verify(used, as: owner).status == 200)
            let unknown = try await deployment.verify(Browser.someToken, as: other)
            #expect(unknown.error == "invalid_token" && unknown.explanation?.hasPrefix("The token is unknown.") == true)
            for token in [expired, used, fresh, fresh] {
                for address in [nil, owner.callback, other.callback] {
                    let reply = try await deployment.verify(token, as: other, redirectURI: address)
                    #expect(reply.shape == unknown.shape)
                }
            }
            #expect(deployment.log.contains("\"cause\": token_of_other_client"))
        }
    }

    @Test("the owner of a token learns why it was refused, and the log has a cause for each reason")
    func causes() async throws {
        try await TestDeployment.open { deployment in
            let (ann, client) = (try await deployment.signedIn(), deployment.client)
            func token(_ state: String) async throws -> String {
                try await ann.token(for: client, of: deployment, state: state)
            }
            func refused(_ token: String, _ cause: String, _ words: String, redirectURI: String? = nil) async throws {
                let reply = try await deployment.verify(token, as: client, redirectURI: redirectURI)
                #expect(reply.status == 401 && reply.error == "invalid_token", "\(cause)")
                #expect(reply.explanation?.contains(words) == true, "\(reply.text)")
                let line = deployment.log.text.split(separator: "\n").last { $0.contains("verify_refused") }
                #expect(line?.contains("\"cause\": \(cause)") == true, "\(line ?? "")")
            }
            let expired = try await token("expired")
            deployment.clock.advance(by: .seconds(300))
            let (used, elsewhere) = (try await token("used"), try await token("elsewhere"))
            #expect(try await deployment.verify(used, as: client).status == 200)
            try await refused(expired, "expired", "has expired")
            try await refused(used, "used", "used already")
            try await refused(Browser.someToken, "unknown", "is unknown")
            try await refused("x", "malformed_token", "sst_ and 43 characters")
            for address in ["", client.callback + "/", client.callback.uppercased(), "https://evil.example/"] {
                try await refused(elsewhere, "redirect_uri_differs", "another redirect_uri", redirectURI: address)
            }
            // A wrong address from the right client burns nothing.
            #expect(try await deployment.verify(elsewhere, as: client, redirectURI: client.callback).status == 200)

            let (signedOut, disabled) = (try await token("signed out"), try await token("disabled"))
            try await deployment.stored.accounts.endSignIns()
            try await refused(signedOut, "account_signed_out", "signed out")
            try await deployment.stored.accounts.disable()
            try await refused(disabled, "account_not_allowed", "signed out")
            try await deployment.stored.accounts.enable()
            try await refused(disabled, "void", "revoked")
            let ended = try await deployment.signedIn(as: "ben@example.com")
                .token(for: client, of: deployment, state: "ended")
            try await deployment.stored.sessions.delete()
            try await refused(ended, "session_ended", "signed out")
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
            func verify(_ token: String, _ verifier: String?) async throws -> ProbeReply {
                try await deployment.post(VerifyRequest(token: token, codeVerifier: verifier).body(), by: client)
            }
            let wrongs: [(String?, String)] = [
                (nil, "is missing"), ("", "is malformed"), (CodeChallenge.s256(verifier), "does not match"),
                (verifier + "A", "does not match"), (String(verifier.dropLast()), "is malformed"),
                (verifier + "\n", "is malformed"),
            ]
            for (wrong, words) in wrongs {
                let reply = try await verify(token, wrong)
                #expect(reply.status == 401 && reply.error == "invalid_token", "\(wrong ?? "none")")
                #expect(reply.explanation?.hasPrefix("code_verifier \(words)") == true, "\(reply.text)")
            }
            for cause in ["code_verifier_missing", "malformed_code_verifier", "code_verifier_wrong"] {
                #expect(deployment.log.contains("\"cause\": \(cause)"), "\(cause)")
            }
            #expect(try await verify(token, verifier).status == 200)
            let plain = try await ann.token(for: client, of: deployment, state: "without")
            #expect(try await verify(plain, "").status == 401)
            #expect(try await verify(plain, verifier).explanation?.contains("had no code_challenge") == true)
            #expect(deployment.log.contains("\"cause\": code_verifier_unexpected"))
            #expect(try await verify(plain, nil).status == 200)
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
