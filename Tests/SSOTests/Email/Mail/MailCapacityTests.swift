import ProbeKit
import Storage
import Testing

@testable import IdPMail
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The limit of emails per hour over all addresses", .program, .alsoOnPostgres)
struct MailCapacityTests {
    @Test(
        "seven of ten places are for any address, three more for accounts, and then only known browsers get emails",
        arguments: [
            (1000, 0, MailCapacity.Level.all), (1000, 699, .all), (1000, 700, .accountsOnly),
            (1000, 999, .accountsOnly), (1000, 1000, .knownBrowsersOnly), (1, 0, .all), (1, 1, .knownBrowsersOnly),
            (3, 2, .all), (3, 3, .knownBrowsersOnly),
        ])
    func levels(limit: Int, sent: Int, level: MailCapacity.Level) {
        #expect(MailCapacity(limit: limit).level(sent: sent) == level)
    }

    @Test(
        "made-up addresses use only their own share: accounts and known browsers still get emails, the log has an alarm, and every page says that emails are delayed"
    )
    func share() async throws {
        try await TestDeployment.open(settings: ["IDP_MAIL_HOURLY_LIMIT": "10"]) { deployment in
            let known = try await deployment.knownBrowser(of: "known@example.com")
            let account = try await deployment.asking("account@example.com")
            #expect(try await account.guess(account.code).status == 303)
            deployment.clock.advance(by: .hours(2))
            for number in 0..<9 {
                _ = try await deployment.waiting(for: "invented-\(number)@example.com", by: deployment.browser())
            }
            try await eventually("the alarm event") { deployment.log.contains("mail_limit_reached") ? () : nil }
            #expect(try await deployment.delivered("invented-") == 7)
            for address in ["account@example.com", "stray@nowhere.example", "invented-8@example.com"] {
                let page = try await deployment.waiting(for: address, by: deployment.browser())
                #expect(page.text.contains("Emails are delayed at the moment"), "\(address)")
            }
            let second = try await deployment.mailbox.email(to: "account@example.com", count: 2)
            #expect(second.code != nil)
            _ = try await deployment.asking("known@example.com", by: known)
            #expect(try await deployment.delivered("invented-") == 7)

            deployment.clock.advance(by: .hours(1))
            try await eventually("the event of its end") { deployment.log.contains("mail_limit_relaxed") ? () : nil }
            _ = try await deployment.asking("invented-8@example.com")
        }
    }

    @Test("the alarm begins at the share and ends well below it, so that not every email raises an alarm")
    func hysteresis() {
        let (delay, capacity) = (MailDelay(), MailCapacity(limit: 100))
        func note(_ sent: Int, isDrained: Bool = true) -> Bool? {
            delay.note(.init(level: capacity.level(sent: sent), sent: sent, isDrained: isDrained), capacity)
        }
        #expect(note(69) == nil)
        #expect(note(70) == true)
        for sent in [69, 70, 66, 70, 64] { #expect(note(sent) == nil) }
        #expect(delay.since(isKnownBrowser: false) != nil)
        #expect(note(10, isDrained: false) == nil, "some of those that were held back still wait")
        #expect(note(63) == false)
        #expect(delay.since(isKnownBrowser: false) == nil)
    }

    @Test(
        "what was due before the last round that left none waiting is not held back; a known browser's email never is")
    func since() {
        let (delay, capacity) = (MailDelay(), MailCapacity(limit: 100))
        let start = TestClock().now
        func note(_ sent: Int, after seconds: Int, isDrained: Bool = true, outage: Timestamp? = nil) {
            _ = delay.note(
                .init(
                    level: capacity.level(sent: sent), sent: sent, at: start + .seconds(seconds), isDrained: isDrained,
                    outageSince: outage), capacity)
        }
        note(10, after: 10)
        note(69, after: 20, isDrained: false)
        note(70, after: 30)
        #expect(delay.since(isKnownBrowser: false) == start + .seconds(10) - MailDelay.lateCommit)
        #expect(delay.since(isKnownBrowser: true) == nil)
        note(69, after: 40)
        #expect(delay.since(isKnownBrowser: false) == start + .seconds(40) - MailDelay.lateCommit)
        note(69, after: 50, outage: start)
        #expect(delay.since(isKnownBrowser: false) == start && delay.since(isKnownBrowser: true) == start)
    }

    @Test(
        "for a decoy the mail server is asked when its last answer is ten seconds old, in an outage two, by one at a time"
    )
    func contact() {
        let start = TestClock().now
        var contact = MailContact()
        func begins(after wait: Duration = .zero) -> Bool { contact.begin(start + wait) }
        var began = [begins(), begins(after: .seconds(60))]
        contact.end(true, start)
        began += [begins(after: .milliseconds(9_999)), begins(after: .seconds(10))]
        #expect(began == [true, false, false, true] && !contact.isOutage)
        contact.end(false, start + .seconds(10))
        began = [begins(after: .milliseconds(11_999)), begins(after: .seconds(12))]
        #expect(began == [false, true] && contact.isOutage)
        contact.end(nil, start + .seconds(12))
        #expect(contact.isOutage, "nobody knows")
        contact.end(true, start + .seconds(12))
        began = [begins()]
        #expect(began == [true] && !contact.isOutage, "the clock was set back")
    }

    @Test("emails that the mail server has not accepted do not count")
    func failing() async throws {
        try await TestDeployment.open(settings: ["IDP_MAIL_HOURLY_LIMIT": "3"]) { deployment in
            try deployment.mailbox.block()
            for number in 0..<5 {
                _ = try await deployment.waiting(for: "user-\(number)@example.com", by: deployment.browser())
            }
            try await eventually("all were tried") {
                try await deployment.stored.emails.tried(moreThan: 0).count() == 5 ? () : nil
            }
        }
    }

    @Test("4,000 decoys do not delay a real email: it is sent while they still wait")
    func decoys() async throws {
        try await TestDeployment.open { deployment in
            let now = deployment.clock.now
            try await deployment.stored.emails.addDecoys(4000, at: now - .milliseconds(1), until: now + .minutes(10))
            _ = try await deployment.asking()
            #expect(try await deployment.stored.emails.tried(0).count() >= 500)
            try await eventually("the decoys are processed as well") {
                try await deployment.stored.emails.unsent.count() == 0 ? () : nil
            }
        }
    }
}

extension TestDeployment {
    /// How many emails to addresses with this prefix were delivered.
    fileprivate func delivered(_ prefix: String) async throws -> Int {
        try await stored.emails.toAddresses(from: prefix).tried(moreThan: 0).real.count()
    }
}
