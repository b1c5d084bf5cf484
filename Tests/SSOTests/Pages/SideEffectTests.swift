import SSOShared
import Testing

@Suite("Looking changes nothing")
struct SideEffectTests {
    private static let everything = ["session", "account", "sso_token", "challenge", "code_guess", "letter"]

    private static func rows(_ house: House) async throws -> [Int] {
        var counts: [Int] = []
        for table in everything { counts.append(try await house.count("SELECT COUNT(*) FROM \(table)")) }
        return counts + [try await house.count("SELECT COALESCE(SUM(tries), 0) FROM challenge")]
    }

    @Test("ten GETs of any page sign no user in or out, send no email and count no guess")
    func get() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            let before = try await Self.rows(house)
            for path in [
                "/", "/sign-in", "/sign-in/code", "/sign-in?email=ann@example.com", "/sign-in/code?code=\(asking.code)",
            ] {
                for _ in 0..<10 { #expect(try await asking.visitor.get(house.origin + path).status < 400) }
            }
            for path in ["/name?name=Mallory", "/sign-out"] {
                #expect(try await asking.visitor.get(house.origin + path).status == 405)
            }
            #expect(try await Self.rows(house) == before)
            #expect(try await !asking.visitor.isKnownAtHome(of: house))
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    /// RFC 9700 4.12: a 307 or 308 would send the code to the next host.
    @Test("every POST that succeeds ends in a 303")
    func seeOther() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let form = try await visitor.beginSignIn(at: house.partner)
            let asked = try await visitor.submit(
                form.page().form(with: "email"), on: form, ["email": "ann@example.com"])
            let waiting = try await visitor.follow(asked)
            let code = try await house.letters.code(to: "ann@example.com")
            let signedIn = try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            let renamed = try await HomePageTests.rename(visitor, of: house, to: "Ann")
            let home = try await visitor.get(house.origin + "/")
            let out = try await visitor.submit(home.page().form(to: "/sign-out"), on: home)
            for visit in [asked, signedIn, renamed, out] {
                #expect(visit.status == 303)
                #expect(visit.reply.header("location")?.hasPrefix("/") == true, "never straight to a partner")
                #expect(visit.reply.header("location")?.hasPrefix("//") == false)
            }
        }
    }
}
