import ProbeKit
import SSOWeb
import Synchronization
import Testing

@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Contract: while an email is held back the page never says that it was sent, with the same words for every address.
@Suite("While emails are held back", .program, .alsoOnPostgres)
struct HeldEmailTests {
    /// One with an account, one that may not sign in, and one that may and has no account.
    private static let addresses = ["account@example.com", "stray@nowhere.example", "new@example.com"]

    /// The page without what differs between two browsers that ask for two addresses.
    private static func words(_ page: Visit, _ address: String) -> String {
        page.text.replacing(address, with: "ADDRESS")
            .replacing(#/name="(form_token|flow)" value="[^"]*"/#) { "\($0.output.1)" }
    }

    private static func expectHeld(_ page: Visit, _ address: String, _ language: String) {
        let claim = language == "de" ? #/gesendet|letzten E-Mail/# : #/\b[Ss]ent\b|latest email still/#
        #expect(!page.text.contains(claim), "\(address): \(page.text)")
        let promise = language == "de" ? "senden wir einen sechsstelligen Code" : "send a six-digit code to it."
        #expect(page.text.contains(promise), "\(address): \(page.text)")
        #expect(page.text.contains(language == "de" ? "verzögert" : "Emails are delayed at the moment."), "\(address)")
    }

    @Test(
        "by the hourly limit, no page says that one was sent, for any address, when it is new, old or asked for again",
        arguments: ["en", "de"])
    func limit(language: String) async throws {
        try await TestDeployment.open(settings: ["IDP_MAIL_HOURLY_LIMIT": "10"]) { deployment in
            let known = try await deployment.knownBrowser(of: "known@example.com")
            let account = try await deployment.asking(Self.addresses[0])
            #expect(try await account.guess(account.code).status == 303)
            deployment.clock.advance(by: .hours(2))
            for number in 0..<7 { _ = try await deployment.asking("invented-\(number)@example.com") }
            try await eventually("the limit is reached") {
                deployment.log.contains("mail_limit_reached") ? () : nil
            }
            var pages: [(address: String, browser: Browser, page: Visit)] = []
            for address in Self.addresses {
                let browser = deployment.browser(language: language)
                pages.append((address, browser, try await deployment.waiting(for: address, by: browser)))
            }
            for step in 0..<4 {
                for index in pages.indices where step > 0 {
                    let (_, browser, page) = pages[index]
                    let isAgain = step == 1
                    pages[index].page =
                        isAgain ? try await deployment.resend(page, browser) : try await browser.get(page.address)
                }
                for (address, _, page) in pages {
                    Self.expectHeld(page, address, language)
                    #expect(Self.words(page, address) == Self.words(pages[0].page, pages[0].address), "\(step)")
                }
                if step < 2 {
                    // The limit keeps places for accounts: the page of one says the same although its email leaves.
                    let left = try await deployment.mailbox.email(to: Self.addresses[0], count: 2 + step)
                    #expect(left.code != nil)
                }
                deployment.clock.advance(by: .seconds(step == 3 ? 400 : 170))
            }
            let other = try await deployment.asking("known@example.com", by: known)
            #expect(other.waiting.text.contains("sent a six-digit code to it."), "not held back")

            let unsent = try await deployment.stored.emails.real.unsent.count()
            #expect(unsent >= 2, "both of the new address")
            try await eventually("lines say how many were dropped") { Self.dropped(deployment) >= 2 ? () : nil }
            let dropped = Self.dropped(deployment)
            #expect(dropped <= unsent)
            deployment.clock.advance(by: .hours(1))
            try await eventually("the end") { deployment.log.contains("mail_limit_relaxed") ? () : nil }
            let page = try await deployment.asking("later@example.com").waiting
            #expect(page.text.contains("sent a six-digit code to it."))
            #expect(Self.dropped(deployment) == dropped, "each once")
        }
    }

    /// How many emails the lines of the log count that have expired in the queue.
    private static func dropped(_ deployment: TestDeployment) -> Int {
        deployment.log.text.split(separator: "\n").filter { $0.contains(" mail_not_sent ") }
            .compactMap { $0.firstMatch(of: #/"emails": (\d+)/#).flatMap { Int($0.output.1) } }.reduce(0, +)
    }

    private final class SwitchedMailer: Mailer {
        private let outbox: OutboxMailer
        private let isDown = Atomic(true)

        init(_ folder: String) { outbox = OutboxMailer(folder: folder) }

        func repair() { isDown.store(false, ordering: .relaxed) }

        func send(_ email: EmailMessage) async throws(MailError) {
            if isDown.load(ordering: .relaxed) { throw .unreachable("down") }
            try await outbox.send(email)
        }

        func isReached(from: MailFrom) async -> Bool? { !isDown.load(ordering: .relaxed) }
    }

    @Test(
        "by a mail server that is down, all pages say so, whichever address was first to find out, until it is back",
        arguments: addresses, ["en", "de"])
    func outage(first: String, language: String) async throws {
        let mailer = Mutex<SwitchedMailer?>(nil)
        try await TestDeployment.open(
            mailer: { folder in
                let made = SwitchedMailer(folder)
                mailer.withLock { $0 = made }
                return made
            }
        ) { deployment in
            let browser = deployment.browser(language: language)
            let asked = try await deployment.waiting(for: first, by: browser)
            try await eventually("the outage is known") {
                let page = try await browser.get(asked.address)
                return page.text.contains(language == "de" ? "verzögert" : "delayed") ? () : nil
            }
            var pages = [(first, browser, try await browser.get(asked.address))]
            for address in Self.addresses where address != first {
                let browser = deployment.browser(language: language)
                pages.append((address, browser, try await deployment.waiting(for: address, by: browser)))
            }
            for (address, _, page) in pages {
                Self.expectHeld(page, address, language)
                #expect(Self.words(page, address) == Self.words(pages[0].2, pages[0].0), "\(address)")
            }
            mailer.withLock { $0?.repair() }
            deployment.clock.advance(by: .seconds(31))
            for (address, browser, page) in pages {
                try await eventually("the page of \(address) says that it was sent") {
                    let page = try await browser.get(page.address)
                    return page.text.contains(language == "de" ? "gesendet" : "sent a six-digit code") ? () : nil
                }
            }
        }
    }
}
