import SSOShared
import Testing

@Suite("The IdP's home page")
struct HomePageTests {
    @Test("a stranger sees one way in and nothing of anybody")
    func stranger() async throws {
        try await House.open { house in
            let home = try await house.visitor().get(house.origin + "/")
            #expect(home.status == 200)
            #expect(try home.page().links.filter { $0 != "/" } == ["/sign-in"])
            #expect(try home.page().forms.isEmpty)
            #expect(home.reply.all("set-cookie").isEmpty)
        }
    }

    @Test("the name set here is what partners are told from then on; at first it is the part before the @")
    func name() async throws {
        try await House.open { house in
            let visitor = try await house.signedIn(as: "ann@example.com")
            let first = try await house.verify(visitor.token(for: house.partner, of: house), as: house.partner)
            #expect(first.text.contains("\"name\":\"ann\""))
            let saved = try await Self.rename(visitor, of: house, to: "  Ann \t Lee ")
            #expect(saved.status == 303)
            #expect(saved.reply.header("location") == "/")
            #expect(try await visitor.get(house.origin + "/").text.contains("Hello Ann Lee"))
            let second = try await house.verify(
                visitor.token(for: house.partner, of: house, state: "second"), as: house.partner)
            #expect(second.text.contains("\"name\":\"Ann Lee\""))
        }
    }

    @Test(
        "a name that is none is refused with words, and the old one stays", arguments: ["", "\u{202e}evil", "\u{3164}"])
    func badName(typed: String) async throws {
        try await House.open { house in
            let visitor = try await house.signedIn(as: "ann@example.com")
            let refused = try await Self.rename(visitor, of: house, to: typed)
            #expect(refused.status == 422)
            #expect(try refused.page().tags.contains { $0["role"] == "alert" })
            #expect(try await visitor.get(house.origin + "/").text.contains("Hello ann<"))
        }
    }

    @Test("it says who is signed in, since when, and where")
    func facts() async throws {
        try await House.open(partners: 2) { house in
            let visitor = house.visitor()
            let complete = try await visitor.signIn(at: house.partners[0], of: house, as: "ann@example.com")
            var home = try await visitor.get(house.origin + "/")
            #expect(home.text.contains("ann@example.com"))
            #expect(home.text.contains("21 November 2026, 12:00 UTC"))
            #expect(!home.text.contains("Partner number 1"), "the partner has not redeemed the token yet")
            _ = try await visitor.follow(visitor.get(complete.callback()))
            home = try await visitor.get(house.origin + "/")
            #expect(home.text.contains("Partner number 1"))
            #expect(!home.text.contains("Partner number 2"))
            #expect(try home.page().links.contains(house.partners[0].origin + "/"))
        }
    }

    static func rename(_ visitor: Visitor, of house: House, to name: String) async throws -> Visit {
        let home = try await visitor.get(house.origin + "/")
        return try await visitor.submit(home.page().form(to: "/name"), on: home, ["name": name])
    }
}
