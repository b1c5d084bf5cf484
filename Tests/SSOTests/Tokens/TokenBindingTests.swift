import SSOShared
import Testing

@testable import SSOShared

@Suite("What a token is bound to")
struct TokenBindingTests {
    @Test("a token in another partner's hands is refused like an unknown one, burnt for both, and an alert is logged")
    func wrongPartner() async throws {
        try await House.open(partners: 2) { house in
            let (owner, thief) = (house.partners[0], house.partners[1])
            let ann = try await house.signedIn()
            let token = try await ann.token(for: owner, of: house, state: "1")
            let unknown = try await house.verify("sst_" + String(repeating: "A", count: 43), as: thief)
            #expect(try await house.verify(token, as: thief).shape == unknown.shape)
            #expect(house.log.contains("warning verify refused"))
            #expect(house.log.contains("token of partner-1, burnt"))
            #expect(try await house.verify(token, as: owner).shape == unknown.shape)
            #expect(try await house.verify(token, as: thief).shape == unknown.shape)
            // The thief's guesses burn nothing else, nor does naming the owner with a signature of its own.
            let next = try await ann.token(for: owner, of: house, state: "2")
            let body = VerifyRequest(token: next).body()
            let posed = try await house.post(body, by: thief, with: [(RequestSignature.clientHeaderName, owner.id)])
            #expect(posed.error == "invalid_signature")
            #expect(try await house.verify(next, as: owner).status == 200)
        }
    }

    @Test("the log tells a replay from a slip, and says of which session the token was")
    func replay() async throws {
        try await House.open { house in
            let token = try await house.signedIn().token(for: house.partner, of: house)
            #expect(try await house.verify(token, as: house.partner).status == 200)
            #expect(!house.log.contains("warning verify refused"))
            #expect(try await house.verify(token, as: house.partner).error == "invalid_token")
            let line = house.log.text.split(separator: "\n").last { $0.contains("verify refused") }
            #expect(
                line?.contains("warning verify refused") == true && line?.contains("used before, of session") == true)
            #expect(try await house.verify(Visitor.someToken, as: house.partner).error == "invalid_token")
            let slip = house.log.text.split(separator: "\n").last { $0.contains("verify refused") }
            #expect(slip?.contains("warning") == false && slip?.contains("unknown") == true, "\(slip ?? "")")
            for event in ["token issued", "token redeemed"] {
                #expect(
                    house.log.text.split(separator: "\n").contains { $0.contains(event) && $0.contains("session") })
            }
        }
    }

    @Test("unknown, used, expired, void and somebody else's token, and a wrong address, all look the same")
    func oneShape() async throws {
        try await House.open(partners: 2) { house in
            let (ann, partner) = (try await house.signedIn(), house.partner)
            func token(_ state: String) async throws -> String {
                try await ann.token(for: partner, of: house, state: state)
            }
            let expired = try await token("expired")
            house.clock.advance(by: .seconds(300))
            let (used, void) = (try await token("used"), try await token("void"))
            #expect(try await house.verify(used, as: partner).status == 200)
            _ = try await token("void")
            let foreign = try await ann.token(for: house.partners[1], of: house)
            let elsewhere = try await token("elsewhere")
            var shapes: Set<String> = []
            for token in ["sst_" + String(repeating: "A", count: 43), "x", expired, used, void, foreign] {
                shapes.insert(try await house.verify(token, as: partner).shape)
            }
            for address in ["", partner.callback + "/", partner.callback.uppercased(), "https://evil.example/"] {
                shapes.insert(try await house.verify(elsewhere, as: partner, redirectURI: address).shape)
            }
            #expect(shapes.count == 1 && shapes.first?.hasPrefix("401") == true)
            // A wrong address from the right partner burns nothing.
            #expect(try await house.verify(elsewhere, as: partner, redirectURI: partner.callback).status == 200)
        }
    }

    /// RFC 7636 4.6; RFC 9700 4.8: neither end can be talked out of the challenge.
    @Test("with a challenge its verifier is needed, without one there must be none")
    func codeChallenge() async throws {
        try await House.open { house in
            let (ann, partner) = (try await house.signedIn(), house.partner)
            let verifier = try CodeChallenge.makeVerifier()
            let asked = [("code_challenge", CodeChallenge.s256(verifier)), ("code_challenge_method", "S256")]
            let address = house.authorize(partner, state: "with") + "&" + FormCoding.encode(asked)
            let token = try await ann.get(address).token()
            func verify(_ token: String, _ verifier: String?) async throws -> Int {
                try await house.post(VerifyRequest(token: token, codeVerifier: verifier).body(), by: partner).status
            }
            for wrong in [
                nil, "", CodeChallenge.s256(verifier), verifier + "A", String(verifier.dropLast()), verifier + "\n",
            ] {
                #expect(try await verify(token, wrong) == 401, "\(wrong ?? "none")")
            }
            #expect(try await verify(token, verifier) == 200)
            let plain = try await ann.token(for: partner, of: house, state: "without")
            for extra in ["", verifier] { #expect(try await verify(plain, extra) == 401) }
            #expect(try await verify(plain, nil) == 200)
        }
    }

    @Test("a challenge survives the sign-in")
    func challengeWaits() async throws {
        try await House.open { house in
            let (visitor, verifier) = (house.visitor(), try CodeChallenge.makeVerifier())
            let asked = [("code_challenge", CodeChallenge.s256(verifier)), ("code_challenge_method", "S256")]
            let address = house.authorize(house.partner, state: "with") + "&" + FormCoding.encode(asked)
            let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.follow(visitor.get(address)))
            let page = try await visitor.enter(house.letters.code(to: "ann@example.com"), on: waiting)
            let token = try page.token()
            #expect(try await house.verify(token, as: house.partner).status == 401)
            let body = VerifyRequest(token: token, codeVerifier: verifier).body()
            #expect(try await house.post(body, by: house.partner).status == 200)
        }
    }

    @Test("each kind of secret is useless in the place of another")
    func kinds() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let form = try await visitor.beginSignIn(at: house.partner)
            let flow = try #require(form.address.query("flow"))
            let waiting = try await visitor.ask(for: "ann@example.com", on: form)
            let code = try await house.letters.code(to: "ann@example.com")
            let formToken = try #require(try waiting.page().form(with: "code")?["form_token"])
            let complete = try await visitor.enter(code, on: waiting)
            let (token, state) = (try complete.token(), try #require(try complete.callback().query("state")))
            let cookie = try #require(visitor.cookie("idp_session", at: "localhost"))
            for other in [code, flow, formToken, state, cookie, "sst_" + flow, "sst_" + formToken, "sst_" + cookie] {
                #expect(try await house.verify(other, as: house.partner).error == "invalid_token")
            }
            let stranger = house.visitor()
            stranger.setCookie("idp_session", to: token, at: "localhost")
            #expect(try await !stranger.isSignedIn(at: house))
            #expect(try await visitor.get("\(house.origin)\(SSOPath.complete)?flow=\(token)").status == 404)
            // The sample partner alone has this token's verifier.
            _ = try await visitor.follow(visitor.get(complete.callback()))
            #expect(try await visitor.isSignedIn(at: house.partner))
        }
    }
}
