import SSOWeb
import Testing

@Suite("How long a session lives")
struct SessionLifetimeTests {
    /// NIST SP 800-63B-4 2.2.3, ASVS 7.3.1.
    @Test("two hours without use end it", arguments: [(7199, true), (7200, false), (7201, false)])
    func idle(seconds: Int, lives: Bool) async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            house.clock.advance(by: .seconds(seconds))
            #expect(try await visitor.isKnownAtHome(of: house) == lives)
        }
    }

    @Test(
        "use keeps it, and twelve hours end it all the same",
        arguments: [(43199, true), (43200, false), (43201, false)])
    func absolute(seconds: Int, lives: Bool) async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            for _ in 0..<11 {
                house.clock.advance(by: .hours(1))
                #expect(try await visitor.isKnownAtHome(of: house))
            }
            house.clock.advance(by: .seconds(seconds - 11 * 3600))
            #expect(try await visitor.isKnownAtHome(of: house) == lives)
        }
    }

    @Test("a cookie kept beyond its session's end opens nothing, and the next sign-in gives another")
    func afterwards() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            try await asking.guess(asking.code)
            let old = asking.visitor.session
            house.clock.advance(by: .hours(3))
            let again = try await house.asking(by: asking.visitor)
            #expect(try await again.guess(again.code).status == 303)
            #expect(again.visitor.session != old)
            #expect(try await again.visitor.isKnownAtHome(of: house))
        }
    }
}
