import SSOWeb
import Testing

@testable import TestSupport

/// The page's statement about the email is true, and is the same whether or not the address may sign in.
@Suite("The code page reports the email's status")
struct MailStatusTests {
    private static let addresses = ["known@example.com", "stray@nowhere.org"]
    private static let none = "No further email is sent yet."

    /// The sentence about the email, and the wait for the next one.
    private static func news(_ visit: Visit) throws -> (words: String, wait: Int?) {
        let main = visit.text.split(separator: "<h1>Check your email</h1>").last ?? ""
        let line = main.split(separator: "\n").first { $0.hasPrefix("<p>") } ?? ""
        let wait = try visit.page().tags.lazy.compactMap { $0["data-countdown"] }.first.flatMap { Int($0) }
        return (String(line), wait)
    }

    @Test(
        "after five in the hour the page says that no email is sent and how long to wait, and then the next one is sent",
        arguments: addresses)
    func share(address: String) async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<5 {
                let page = try await deployment.waiting(for: address, by: deployment.browser())
                #expect(try Self.news(page).words.contains("is on its way"))
                deployment.clock.advance(by: .seconds(60))
            }
            let browser = deployment.browser()
            let sixth = try await deployment.waiting(for: address, by: browser)
            #expect(try Self.news(sixth).words.contains(Self.none))
            #expect(try Self.news(sixth).wait == 55 * 60)
            #expect(sixth.text.contains("One address gets at most five emails per hour and ten per day."))
            #expect(try sixth.page().form(with: "code") != nil, "the field is shown in any case")
            deployment.clock.advance(by: .seconds(55 * 60 - 1))
            let early = try await deployment.waiting(for: address, by: browser)
            // The remaining wait is shorter than a code's lifetime: the email is queued, and the page says when it is
            // sent.
            #expect(try Self.news(early).words.contains("will be sent in 1 second"))
            deployment.clock.advance(by: .seconds(1))
            let page = try await browser.get(early.address)
            #expect(try Self.news(page).words.contains("is on its way"))
            #expect(try await deployment.count("SELECT COUNT(*) FROM mail_queue WHERE address = '\(address)'") == 6)
        }
    }

    @Test("after ten in the day the page says that no email is sent, and shows the wait", arguments: addresses)
    func day(address: String) async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<10 {
                _ = try await deployment.waiting(for: address, by: deployment.browser())
                deployment.clock.advance(by: .minutes(20))
            }
            let page = try await deployment.waiting(for: address, by: deployment.browser())
            #expect(try Self.news(page).words.contains(Self.none))
            #expect(try Self.news(page).wait == 24 * 3600 - 200 * 60)
        }
    }

    @Test(
        "the page announces no new email when one was sent a while ago, or when none was sent again",
        arguments: addresses)
    func again(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let first = try await deployment.waiting(for: address, by: browser)
            deployment.clock.advance(by: .minutes(4))
            #expect(
                try Self.news(try await browser.get(first.address)).words.contains("was sent 4 minutes ago"))
            for _ in 0..<4 {
                _ = try await deployment.waiting(for: address, by: browser)
                deployment.clock.advance(by: .seconds(61))
            }
            let late = try await deployment.waiting(for: address, by: browser)
            #expect(try Self.news(late).words.contains("was sent 61 seconds ago"))
            #expect(try Self.news(late).wait ?? 0 > 60)
        }
    }

    @Test("the page shows when a waiting email will be sent", arguments: addresses)
    func deferred(address: String) async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.waiting(for: address, by: deployment.browser())
            deployment.clock.advance(by: .seconds(15))
            let second = try await deployment.waiting(for: address, by: deployment.browser())
            #expect(try Self.news(second).words.contains("will be sent in 45 seconds"))
        }
    }

    @Test("an email without a client names the identity provider, and its page links to a clean address")
    func withoutService() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.header("subject") == "Your code to sign in to Main App")
            #expect(email.text.contains("Your code to sign in to Main App:"))
            #expect(try asking.waiting.page().links.contains("/sign-in"))
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let waiting = try await browser.ask(for: "ben@example.com", on: form)
            let flow = try #require(form.address.query("flow"))
            #expect(try waiting.page().links.contains("/sign-in?flow=\(flow)"))
        }
    }
}
