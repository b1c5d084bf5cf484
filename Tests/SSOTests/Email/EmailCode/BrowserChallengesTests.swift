import ProbeKit
import Testing

@testable import Counterparts
@testable import IdPSignIn
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Contract 3: asking again within a code's lifetime sends the same code, whatever was typed in between.
@Suite("One browser with several addresses", .program, .alsoOnPostgres)
struct BrowserChallengesTests {
    @Test(
        "asking for another address and then the first one again: the second email carries the same code, and it works")
    func anotherAddressAndBack() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.asking("ann@example.com")
            _ = try await deployment.asking("ben@example.com", by: ann.browser)
            deployment.clock.advance(by: .seconds(60))
            let again = try await deployment.asking("ann@example.com", by: ann.browser)
            #expect(again.code == ann.code)
            #expect(try await deployment.rows(of: "challenge") == 2)
            #expect(try await again.guess(ann.code).status == 303)
        }
    }

    @Test("the second email with a code names the service that has asked for it")
    func service() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let (browser, address) = (deployment.browser(), "ann@example.com")
            for client in deployment.clients {
                let earlier = deployment.mailbox.all(to: address)
                let form = try await browser.follow(browser.get(deployment.authorize(client, state: "s")))
                _ = try await browser.ask(for: address, on: form)
                let email = try await deployment.mailbox.email(to: address, besides: earlier)
                let number = client.id.suffix(1)
                #expect(email.text.decodingQuotedPrintable().contains("sign in to Partner number \(number):"))
                deployment.clock.advance(by: .seconds(61))
            }
            #expect(try await deployment.rows(of: "challenge") == 1)
        }
    }

    @Test("asking again within the minute sends no second email, and the first email's code works")
    func withinTheMinute() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.asking("ann@example.com")
            _ = try await deployment.waiting(for: "ben@example.com", by: ann.browser)
            let again = try await deployment.waiting(for: "ann@example.com", by: ann.browser)
            #expect(try await deployment.emailsQueued() == 1)
            let form = try again.page().form(with: "code")
            #expect(try await ann.browser.submit(form, on: again, ["code": ann.code]).status == 303)
        }
    }

    @Test("wrong guesses stay counted across addresses, and an expired code is replaced by a new one")
    func counters() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.asking("ann@example.com")
            for _ in 0..<4 { try await ann.guess(ann.wrong) }
            _ = try await deployment.waiting(for: "ben@example.com", by: ann.browser)
            deployment.clock.advance(by: .seconds(60))
            let again = try await deployment.asking("ann@example.com", by: ann.browser)
            #expect(try await deployment.failures() == 4)
            try await again.guess(again.wrong)
            #expect(try await again.guess(again.code).status == 422, "five in total")
            #expect(try await deployment.failures() == 5)
            deployment.clock.advance(by: .minutes(10))
            let fresh = try await deployment.asking("ann@example.com", by: ann.browser)
            #expect(fresh.code != ann.code)
            #expect(try await fresh.guess(fresh.code).status == 303)
        }
    }

    @Test("the page and the stored rows are the same for an address that may not sign in")
    func unknown() async throws {
        try await TestDeployment.open { deployment in
            for address in ["stray@nowhere.org", "known@example.com"] {
                let browser = deployment.browser()
                _ = try await deployment.waiting(for: address, by: browser)
                _ = try await deployment.waiting(for: "other@example.com", by: browser)
                _ = try await deployment.waiting(for: address, by: browser)
                #expect(try await deployment.stored.challenges.of(address).count() == 1)
                #expect(try await deployment.stored.emails.to(address).count() == 1)
            }
        }
    }

    @Test("five addresses are kept, the oldest is dropped, and the code of the last requested one is accepted")
    func bounded() throws {
        var held = BrowserChallenges()
        for number in 1...7 { held.keep(.init(address: "a\(number)@example.com", id: "chl_\(number)", emailAt: nil)) }
        held.keep(.init(address: "a4@example.com", id: "chl_4", emailAt: nil))
        #expect(held.current?.id == "chl_4")
        let kept = try (1...7).filter { held.held(for: try EmailAddress("a\($0)@example.com")) != nil }
        #expect(kept == [3, 4, 5, 6, 7])
    }
}
