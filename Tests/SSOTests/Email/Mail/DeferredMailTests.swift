import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Every new code has an email", .program, .alsoOnPostgres)
struct DeferredMailTests {
    @Test("the email of a second browser waits for its minute, and its code works there")
    func secondBrowser() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            let second = deployment.browser()
            let waiting = try await deployment.waiting(for: "ann@example.com", by: second)
            #expect(try await deployment.emailsQueued() == 2)
            #expect(try await deployment.stored.emails.sent.count() <= 1)
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1, "one per minute")

            deployment.clock.advance(by: .seconds(60))
            let email = try await deployment.mailbox.email(to: "ann@example.com", count: 2)
            let form = try waiting.page().form(with: "code")
            #expect(try await second.submit(form, on: waiting, ["code": first.code]).status == 422)
            #expect(try await second.submit(form, on: waiting, ["code": email.code ?? ""]).status == 303)
        }
    }

    @Test("the same browser asking again within the minute gets no second email: it has the code already")
    func sameBrowser() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            _ = try await deployment.waiting(for: "ann@example.com", by: asking.browser)
            #expect(try await deployment.emailsQueued() == 1)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("an email that would be sent after its code has expired is not queued")
    func tooLate() async throws {
        try await TestDeployment.open { deployment in
            // Five per hour: the sixth would be sent fifty minutes after its code has expired.
            for _ in 0..<6 { _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser()) }
            #expect(try await deployment.emailsQueued() == 5)
        }
    }
}
