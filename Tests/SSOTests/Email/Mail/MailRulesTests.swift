import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Emails with codes", .program, .alsoOnPostgres)
struct MailRulesTests {
    @Test("the second email is sent a minute after the first, and the page counts the wait down")
    func countdown() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            #expect(try Self.wait(on: first.waiting) == "60")
            #expect(
                first.waiting.text.contains("data-countdown=\"60\">possible in <bdi>60 seconds</bdi></span>"))
            deployment.clock.advance(by: .seconds(59))
            let early = try await deployment.waiting(for: "ann@example.com", by: first.browser)
            #expect(try Self.wait(on: early) == "1")
            #expect(early.text.contains("1 second</bdi>"))
            #expect(try await deployment.emailsQueued() == 1)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await deployment.asking(by: first.browser).code == first.code)
            #expect(try await deployment.emailsQueued() == 2)
        }
    }

    @Test("no more than five emails per hour and ten per day reach one address, from any number of browsers")
    func shares() async throws {
        try await TestDeployment.open { deployment in
            func askEveryMinute(_ times: Int) async throws -> Visit? {
                var last: Visit?
                for _ in 0..<times {
                    last = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
                    deployment.clock.advance(by: .seconds(60))
                }
                return last
            }
            let sixth = try await askEveryMinute(12)
            #expect(try await deployment.emailsQueued() == 5)
            #expect(try sixth.flatMap(Self.wait) == "\(60 * 49)")
            #expect(sixth?.text.contains("49 minutes</bdi>") == true)
            deployment.clock.advance(by: .hours(1))
            _ = try await askEveryMinute(12)
            #expect(try await deployment.emailsQueued() == 10)
            deployment.clock.advance(by: .hours(1))
            let last = try await askEveryMinute(1)
            #expect(try await deployment.emailsQueued() == 10)
            #expect(last?.text.contains("hours</bdi>") == true)
            #expect(try await deployment.waiting(for: "ben@example.com", by: deployment.browser()).status == 200)
            #expect(try await deployment.emailsQueued(to: "ben@example.com") == 1)
            deployment.clock.advance(by: .hours(24))
            _ = try await askEveryMinute(1)
            #expect(try await deployment.emailsQueued() == 11)
        }
    }

    @Test("all emails of one sign-in carry one code, even five of them in an hour")
    func sameCode() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            var codes: Set<String> = []
            for _ in 0..<5 {
                codes.insert(try await deployment.asking(by: browser).code)
                deployment.clock.advance(by: .seconds(60))
            }
            #expect(codes.count == 1)
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 5)
        }
    }

    @Test("the email says which client asked, on which kind of device, when, and that it can be ignored")
    func words() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            _ = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            for part in [
                "Partner number 1", "Requested on 21 November 2026 at 12:00 UTC from a Linux computer.",
                "ignore", "work once",
            ] {
                #expect(email.text.decodingQuotedPrintable().contains(part), "\(part)")
            }
            #expect(email.code != nil)
        }
    }

    @Test("an email that waits says when it was asked for, not when it left")
    func late() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.asking()
            let earlier = deployment.mailbox.all(to: "ann@example.com")
            deployment.clock.advance(by: .seconds(30))
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1, "at most one in a minute")
            deployment.clock.advance(by: .seconds(31))
            let email = try await deployment.mailbox.email(to: "ann@example.com", besides: earlier)
            let text = email.text.decodingQuotedPrintable()
            #expect(text.contains("Requested on 21 November 2026 at 12:00 UTC from a Linux computer."))
        }
    }

    private static func wait(on visit: Visit) throws -> String? {
        try visit.page().tags.first { $0["data-countdown"] != nil }?["data-countdown"]
    }
}
