import SSOShared
import SSOWeb
import Testing

/// Nothing that opens anything is in the log, at any level (ASVS 16.2.5); what happened to whom is (ASVS 16.3.1).
@Suite("What is in the log")
struct LogSecrecyTests {
    @Test("one name of the flow stands in every event, from the first visit to the replay (ASVS 16.3)")
    func flow() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let waiting = try await visitor.ask(for: "ann@example.com", on: visitor.beginSignIn(at: house.partner))
            let code = try await house.letters.code(to: "ann@example.com")
            let wrong = code == "123456" ? "654321" : "123456"
            _ = try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": wrong])
            let complete = try await visitor.enter(code, on: waiting)
            _ = try await visitor.follow(visitor.get(complete.callback()))
            _ = try await house.verify(complete.token(), as: house.partner)
            let events = [
                "sign-in asked for", "code refused", "signed in", "token issued", "token redeemed", "verify refused",
            ]
            let flows = events.map { event in
                house.log.text.split(separator: "\n").first { $0.contains(event) }?
                    .firstMatch(of: #/flow"?[=:] ?"?([\w-]{12})/#).map { String($0.1) }
            }
            #expect(flows[0] != nil && Set(flows).count == 1, "\(flows) in \(house.log.text)")
        }
    }

    @Test("over a whole journey with its failures nothing secret is logged, and everything that matters is")
    func journey() async throws {
        try await House.open { house in
            var forbidden = [house.partner.secret]
            let visitor = house.visitor()
            let begin = try await visitor.beginSignIn(at: house.partner)
            forbidden += cookies(of: visitor)
            let waiting = try await visitor.ask(for: "ann@example.com", on: begin)
            let code = try await house.letters.code(to: "ann@example.com")
            forbidden += cookies(of: visitor) + (try formTokens(begin)) + (try formTokens(waiting))
            let wrong = code == "123456" ? "654321" : "123456"
            _ = try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": wrong])
            #expect(house.log.contains("code refused"))
            let complete = try await visitor.enter(code, on: waiting)
            #expect(house.log.contains("signed in") && house.log.contains("token issued"))
            let (callback, token) = (try complete.callback(), try complete.token())
            forbidden += [token, String(token.dropFirst(4)), code, wrong, callback.query("state") ?? token]

            let home = try await visitor.follow(visitor.get(callback))
            #expect(house.log.contains("token redeemed"))
            forbidden += cookies(of: visitor) + (try formTokens(home))

            // The ways that go wrong tempt a programmer to log everything.
            #expect(try await house.verify(token, as: house.partner).status == 401)
            #expect(house.log.contains("invalid_token"))
            let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
            let headers = try house.signed(body + [0x20], by: house.partner)
            forbidden += headers.filter { $0.0 == RequestSignature.headerName }.map { String($0.1.dropFirst(7)) }
            #expect(try await house.backChannel(body, headers).status == 401)
            #expect(house.log.contains("invalid_signature"))
            _ = try await house.visitor().get(callback)
            #expect(house.log.contains("unknown_state"))
            let bearer = "Bearer very-private-credential"
            _ = try await visitor.get(
                "\(house.origin)/nowhere?code=\(code)&token=\(token)", [("Authorization", bearer)])
            _ = try await house.visitor().post(WebAddress(house.origin + "/sign-in"), [("email", "eve@example.com")])
            #expect(house.log.contains("stale_form"))

            // Storage trouble in the middle of everything.
            await house.database.close()
            #expect(try await visitor.get(house.authorize(house.partner, state: "a-private-state")).status == 503)
            #expect(try await house.verify(token, as: house.partner).status == 503)
            #expect(house.log.contains("temporarily_unavailable"))

            forbidden += [bearer, "very-private-credential", "a-private-state"]
            let log = house.log.text
            for secret in Set(forbidden) where !secret.isEmpty {
                #expect(!log.contains(secret), "\(secret.prefix(8))… is in the log")
            }
            // Queries and raw paths are no part of it: whoever writes them chooses them.
            #expect(!log.contains("/nowhere") && !log.contains("?"))
        }
    }

    @Test("a token in the wrong hands is an alarm that names both partners")
    func alarm() async throws {
        try await House.open(partners: 2) { house in
            let visitor = try await house.signedIn()
            let token = try await visitor.token(for: house.partners[0], of: house)
            #expect(try await house.verify(token, as: house.partners[1]).status == 401)
            let line = house.log.text.split(separator: "\n").first {
                $0.hasPrefix("warning") && $0.contains("partner-2") && $0.contains("partner-1")
            }
            #expect(line != nil)
        }
    }

    @Test("signing out is logged at both ends, and a pause after too many guesses too")
    func ends() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let complete = try await visitor.signIn(at: house.partner, of: house, as: "ann@example.com")
            let partner = try await visitor.follow(visitor.get(complete.callback()))
            let before = count("signed out", in: house)
            _ = try await visitor.submit(partner.page().form(to: "/sign-out"), on: partner)
            let idp = try await visitor.get(house.origin + "/")
            _ = try await visitor.submit(idp.page().form(to: "/sign-out"), on: idp)
            #expect(count("signed out", in: house) == before + 2)
        }
    }

    @Test("an error page and the log carry the same reference")
    func reference() async throws {
        try await House.open { house in
            for address in [house.origin + "/nowhere", house.partner.callback + "?state=a&token=b"] {
                let visit = try await house.visitor().get(address)
                let match = try #require(visit.text.firstMatch(of: #/<code>([2-9A-Z]{8})</code>/#))
                let lines = house.log.text.split(separator: "\n").filter { $0.contains(match.1) }
                #expect(lines.contains { $0.contains("request_refused") })
                #expect(try visit.page().links.isEmpty == false)
            }
            await house.database.close()
            let visit = try await house.visitor().get(house.authorize(house.partner, state: "a"))
            #expect(visit.status == 503)
            let match = try #require(visit.text.firstMatch(of: #/<code>([2-9A-Z]{8})</code>/#))
            let line = house.log.text.split(separator: "\n").first { $0.hasPrefix("error") && $0.contains(match.1) }
            #expect(line != nil)
        }
    }

    private func count(_ event: String, in house: House) -> Int {
        house.log.text.split(separator: "\n").count { $0.contains(" \(event) ") }
    }

    private func cookies(of visitor: Visitor) -> [String] { visitor.cookies.values.flatMap { Array($0.values) } }

    private func formTokens(_ visit: Visit) throws -> [String] {
        try visit.page().forms.compactMap { $0["form_token"] }
    }
}
