import SSOShared
import Testing

@Suite("Signing out")
struct SignOutTests {
    /// ASVS 7.4.1.
    @Test("the session is gone on the server, the cookie in the browser, and a copy of it opens nothing")
    func ends() async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            let thief = visitor.twin()
            let out = try await Self.signOut(visitor, of: house)
            #expect(out.status == 303)
            #expect(out.reply.header("location") == "/")
            #expect(out.reply.header("set-cookie")?.contains("idp_session=;") == true)
            #expect(out.reply.header("set-cookie")?.contains("Max-Age=0") == true)
            #expect(visitor.session == nil)
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%accountID%'") == 0)
            #expect(try await !thief.isKnownAtHome(of: house))
            #expect(try await thief.get(house.authorize(house.partner, state: "x")).status == 303)
        }
    }

    @Test("a token that nobody has redeemed yet is void; one from before is not revived by signing in again")
    func tokens() async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            // Without a code challenge: it would be redeemed but for the sign-out.
            let token = try await visitor.token(for: house.partner, of: house)
            _ = try await Self.signOut(visitor, of: house)
            #expect(try await house.verify(token, as: house.partner).status == 401)
            house.clock.advance(by: .seconds(60))
            let again = try await house.asking(by: visitor)
            try await again.guess(again.code)
            #expect(try await house.verify(token, as: house.partner).status == 401)
            let fresh = try await visitor.token(for: house.partner, of: house, state: "fresh")
            #expect(try await house.verify(fresh, as: house.partner).status == 200)
        }
    }

    @Test("only a POST signs out", arguments: ["GET", "HEAD", "PUT", "DELETE"])
    func method(method: String) async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            let reply = try await visitor.send(method, try WebAddress(house.origin + "/sign-out"))
            #expect(reply.status == 405)
            #expect(reply.reply.header("allow") == "POST")
            #expect(try await visitor.isKnownAtHome(of: house))
        }
    }

    @Test("whoever is signed out already is sent home")
    func twice() async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            let home = try await visitor.get(house.origin + "/")
            for _ in 0..<2 {
                #expect(try await visitor.submit(home.page().form(to: "/sign-out"), on: home).status == 303)
            }
        }
    }

    @Test("another browser of the same person stays signed in")
    func otherBrowser() async throws {
        try await House.open { house in
            let first = try await house.asking()
            try await first.guess(first.code)
            house.clock.advance(by: .seconds(60))
            let second = try await house.asking()
            try await second.guess(second.code)
            _ = try await Self.signOut(first.visitor, of: house)
            #expect(try await second.visitor.isKnownAtHome(of: house))
        }
    }

    private static func signOut(_ visitor: Visitor, of house: House) async throws -> Visit {
        let home = try await visitor.get(house.origin + "/")
        return try await visitor.submit(home.page().form(to: "/sign-out"), on: home)
    }
}
