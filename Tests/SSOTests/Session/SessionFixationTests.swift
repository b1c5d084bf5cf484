import Testing

/// ASVS 7.2.4, WSTG-SESS-03.
@Suite("Session ids change at every step")
struct SessionFixationTests {
    @Test("an id that was planted or seen at one step is worth nothing at the next")
    func everyStep() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let form = try await visitor.beginSignIn(at: house.partner)
            let beforeAddress = visitor.twin()
            let waiting = try await visitor.ask(for: "ann@example.com", on: form)
            let beforeCode = visitor.twin()
            let code = try await house.letters.code(to: "ann@example.com")

            // Who has the id of the first step has no part in the challenge, even with the code in hand.
            let early = try await beforeAddress.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            #expect(try early.location().path == "/sign-in")
            let complete = try await visitor.enter(code, on: waiting)
            #expect(try complete.page().link(containing: "token=") != nil)

            let ids = [beforeAddress.session, beforeCode.session, visitor.session].compactMap { $0 }
            #expect(Set(ids).count == 3)
            for thief in [beforeAddress, beforeCode] {
                #expect(try await !thief.isKnownAtHome(of: house))
                let page = try await thief.get(waiting.address)
                #expect(try page.location().path == "/sign-in")
            }
            #expect(try await visitor.isKnownAtHome(of: house))
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%accountID%'") == 1)
        }
    }

    @Test("an attacker who makes a person sign in within the attacker's own session gains nothing")
    func planted() async throws {
        try await House.open { house in
            let attacker = house.visitor()
            _ = try await attacker.get(house.origin + "/sign-in")
            let victim = house.visitor()
            victim.setCookie("idp_session", to: attacker.session, at: "localhost")
            let asking = try await house.asking(by: victim)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await victim.isKnownAtHome(of: house))
            #expect(try await !attacker.isKnownAtHome(of: house))
        }
    }

    @Test("an id that this server did not make is never adopted")
    func invented() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let invented = String(repeating: "A", count: 43)
            visitor.setCookie("idp_session", to: invented, at: "localhost")
            let asking = try await house.asking(by: visitor)
            #expect(visitor.session != invented)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(visitor.session != invented)
        }
    }

    @Test("signing in keeps what services wait for and drops everything else of the session")
    func slots() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            _ = try await visitor.get(house.authorize(house.partner, state: "other-tab"))
            let asking = try await house.asking(by: visitor)
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%chl_%'") == 1)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%chl_%'") == 0)
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%other-tab%'") == 1)
        }
    }
}
