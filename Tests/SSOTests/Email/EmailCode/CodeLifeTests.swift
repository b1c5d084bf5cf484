import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The lifetime of a code", .program, .alsoOnPostgres)
struct CodeLifeTests {
    /// NIST SP 800-63B-4 3.1.3.2: ten minutes at most.
    @Test("a code works for ten minutes", arguments: [(599, true), (600, false), (601, false)])
    func expiry(seconds: Int, works: Bool) async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            deployment.clock.advance(by: .seconds(seconds))
            #expect(try await asking.guess(asking.code).status == (works ? 303 : 422))
            #expect(try await asking.browser.isSignedInOnHomePage(of: deployment) == works)
        }
    }

    @Test("a code that was answered as expired stays so when the clock is set back")
    func expiredThenRewound() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            deployment.clock.advance(by: .minutes(10))
            for _ in 1...3 {
                let refused = try await asking.guess(asking.code)
                #expect(refused.status == 422 && refused.text.contains("That code has expired."))
                deployment.clock.advance(by: .minutes(-3))
            }
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a wrong code of a sign-in without a client is recorded without a flow")
    func withoutFlow() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            try await asking.guess(asking.wrong)
            let rows = try await deployment.auditRows(.codeRejected, untilThereAre: 1)
            #expect(rows.map(\.flow) == [nil])
        }
    }

    @Test("asking again sends the same code and does not extend its lifetime", arguments: [(599, true), (600, false)])
    func again(seconds: Int, works: Bool) async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            deployment.clock.advance(by: .seconds(300))
            let second = try await deployment.asking(by: first.browser)
            #expect(second.code == first.code)
            deployment.clock.advance(by: .seconds(seconds - 300))
            #expect(try await second.guess(second.code).status == (works ? 303 : 422))
        }
    }

    @Test("five wrong guesses end a code, even for the right one; four do not", arguments: [(4, true), (5, false)])
    func tries(wrong: Int, works: Bool) async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            for _ in 0..<wrong { #expect(try await asking.guess(asking.wrong).status == 422) }
            #expect(try await asking.guess(asking.code).status == (works ? 303 : 422))
            #expect(try await asking.browser.isSignedInOnHomePage(of: deployment) == works)
        }
    }

    @Test("after five wrong guesses a new email brings a new code, and the old one stays invalid")
    func afterFive() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            for _ in 0..<5 { try await first.guess(first.wrong) }
            deployment.clock.advance(by: .seconds(60))
            let second = try await deployment.asking(by: first.browser)
            #expect(second.code != first.code)
            #expect(try await second.guess(first.code).status == 422)
            #expect(try await second.guess(second.code).status == 303)
        }
    }

    /// ASVS 6.6.2: a code is bound to the request it was made for.
    @Test("a code does not work in another browser that waits for the same address")
    func otherBrowser() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            deployment.clock.advance(by: .seconds(60))
            let second = try await deployment.asking()
            #expect(try await second.guess(first.code).status == 422)
            #expect(try await !second.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await first.guess(first.code).status == 303)
        }
    }

    @Test("a code for one address does not work for another in the same browser")
    func otherAddress() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.asking("ann@example.com")
            let ben = try await deployment.asking("ben@example.com", by: ann.browser)
            #expect(try await ann.guess(ann.code).status == 422)
            #expect(try await !ann.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await ben.guess(ben.code).status == 303)
            #expect(try await ben.browser.get(deployment.origin + "/").text.contains("ben@example.com"))
        }
    }

    @Test("a used code is refused with the message for a wrong one")
    func reuse() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            try await first.guess(first.code)
            let home = try await first.browser.get(deployment.origin + "/")
            _ = try await first.browser.submit(home.page().form(to: "/sign-out"), on: home)
            deployment.clock.advance(by: .seconds(60))
            let second = try await deployment.asking(by: first.browser)
            let wrong = try await second.guess(second.wrong)
            let used = try await second.guess(first.code)
            #expect((used.status, used.text) == (wrong.status, wrong.text))
            #expect(try await second.guess(second.code).status == 303)
        }
    }
}
