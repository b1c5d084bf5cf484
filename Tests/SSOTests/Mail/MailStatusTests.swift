import SSOWeb
import Testing

@testable import TestSupport

/// What the page says of the letter is so, for whoever asks and whether or not the address may sign in.
@Suite("What the page says of the letter")
struct MailStatusTests {
    private static let addresses = ["known@example.com", "stray@nowhere.org"]
    private static let none = "No letter comes now."

    /// The sentence on the letter, and the wait for another one.
    private static func news(_ visit: Visit) throws -> (words: String, wait: Int?) {
        let main = visit.text.split(separator: "<h1>Check your mail</h1>").last ?? ""
        let line = main.split(separator: "\n").first { $0.hasPrefix("<p>") } ?? ""
        let wait = try visit.page().tags.lazy.compactMap { $0["data-countdown"] }.first.flatMap { Int($0) }
        return (String(line), wait)
    }

    @Test(
        "past five in the hour: none comes, how long to wait, and after the wait the next one leaves",
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
            #expect(sixth.text.contains("One address gets five within an hour and ten within a day."))
            #expect(try sixth.page().form(with: "code") != nil, "the field is there all the same")
            deployment.clock.advance(by: .seconds(55 * 60 - 1))
            let early = try await deployment.waiting(for: address, by: browser)
            // The rest of the wait is shorter than a code's life: the letter is queued, and the page says for when.
            #expect(try Self.news(early).words.contains("leaves for there in 1 second"))
            deployment.clock.advance(by: .seconds(1))
            let page = try await browser.get(early.address)
            #expect(try Self.news(page).words.contains("is on its way"))
            #expect(try await deployment.count("SELECT COUNT(*) FROM mail_queue WHERE address = '\(address)'") == 6)
        }
    }

    @Test("past ten in the day the page says none, with the wait", arguments: addresses)
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
        "a code's letter that left a while ago is not promised anew, nor one that was not sent again",
        arguments: addresses)
    func again(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let first = try await deployment.waiting(for: address, by: browser)
            deployment.clock.advance(by: .minutes(4))
            #expect(
                try Self.news(try await browser.get(first.address)).words.contains("has been on its way for 4 minutes"))
            for _ in 0..<4 {
                _ = try await deployment.waiting(for: address, by: browser)
                deployment.clock.advance(by: .seconds(61))
            }
            let late = try await deployment.waiting(for: address, by: browser)
            #expect(try Self.news(late).words.contains("has been on its way for 61 seconds"))
            #expect(try Self.news(late).wait ?? 0 > 60)
        }
    }

    @Test("a letter that waits for its turn is told with its moment", arguments: addresses)
    func deferred(address: String) async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.waiting(for: address, by: deployment.browser())
            deployment.clock.advance(by: .seconds(15))
            let second = try await deployment.waiting(for: address, by: deployment.browser())
            #expect(try Self.news(second).words.contains("leaves for there in 45 seconds"))
        }
    }

    @Test("a letter for nobody's service names this one, and its page leads back to a clean address")
    func withoutService() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let letter = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(letter.header("subject") == "Your code to sign in to Main App")
            #expect(letter.text.contains("Your code to sign in to Main App:"))
            #expect(try asking.waiting.page().links.contains("/sign-in"))
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let waiting = try await browser.ask(for: "ben@example.com", on: form)
            let flow = try #require(form.address.query("flow"))
            #expect(try waiting.page().links.contains("/sign-in?flow=\(flow)"))
        }
    }
}
