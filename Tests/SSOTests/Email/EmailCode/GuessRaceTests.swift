import ProbeKit
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("A hundred guesses at the same instant", .program, .alsoOnPostgres)
struct GuessRaceTests {
    @Test("of 100 wrong guesses at one code five are compared, and then the right one is refused")
    func oneCode() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let replies = try await atOnce(100) { _ in try await asking.guess(asking.wrong).status }
            #expect(replies.allSatisfy { $0 == 422 })
            #expect(try await deployment.failures() == 5)
            #expect(try await asking.guess(asking.code).status == 422)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    /// ZITADEL CVE-2023-47111, Keycloak CVE-2024-4629: the count was read before it was raised.
    @Test("of 100 wrong guesses in 25 browsers, with three left before the pause, three are compared")
    func accountEdge() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(17)
            var browsers: [(Browser, Visit)] = []
            for _ in 0..<25 {
                try await deployment.forgetEmails(to: "ann@example.com")
                let browser = deployment.browser()
                browsers.append((browser, try await deployment.waiting(for: "ann@example.com", by: browser)))
            }
            let ready = browsers
            let statuses = try await atOnce(100) { index in
                let (browser, waiting) = ready[index % 25]
                return try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": "000000"])
                    .status
            }
            #expect(statuses.allSatisfy { $0 == 422 || $0 == 429 })
            #expect(statuses.contains(429))
            #expect(try await deployment.failures() == 20)
        }
    }

    /// ASVS 6.5.1: used once.
    @Test("of 100 right codes one signs in, and there is one session")
    func rightCodes() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let twins = (0..<100).map { _ in asking.browser.twin() }
            let replies = try await atOnce(100) { index in
                try await PendingCode(browser: twins[index], waiting: asking.waiting, code: asking.code).guess(
                    asking.code)
            }
            #expect(replies.allSatisfy { $0.status == 303 || (400..<500).contains($0.status) })
            #expect(replies.count { !$0.reply.all("set-cookie").isEmpty } == 1)
            #expect(try await deployment.stored.sessions.signedIn.count() == 1)
            var signedIn = 0
            for twin in twins where try await twin.isSignedInOnHomePage(of: deployment) { signedIn += 1 }
            #expect(signedIn == 1)
            // None of them was a guess.
            #expect(try await deployment.failures() == 0)
        }
    }
}
