import Foundation
import ProbeKit
import SQLiteStorage
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPMail
@testable import IdPProviders
@testable import IdPSchema
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// No change of how a user signs in without an email about it.
@Suite("Notices of changes to an account", .program)
struct AccountNoticeTests {
    @Test("an added and a removed provider are reported to the account's address")
    func addedAndRemoved() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            try place.standIn(.oidc).user.email = "ann@elsewhere.example"
            let browser = try await place.owner(adding: .oidc)
            let added = try #require(try await place.notices(1).first)
            #expect(added.header("subject") == "Provider work was added to your account")
            #expect(added.header("auto-submitted") == "auto-generated")
            let text = added.text.decodingQuotedPrintable()
            #expect(text.contains("Provider work was added to the account ann@example.com at Main App."))
            #expect(text.contains("21 November 2026 at 12:00 UTC from a Linux computer."))
            #expect(text.contains("Not you? Sign in at \(place.origin) and remove Provider work there."))
            #expect(text.contains("\(place.origin)/sessions"))
            #expect(text.contains("<html lang=\"en\">"))

            _ = try await browser.pressRemove(on: browser.home(of: place.deployment))
            let both = try await place.notices(2)
            #expect(
                Set(both.compactMap { $0.header("subject") }) == [
                    "Provider work was added to your account", "Provider work was removed from your account",
                ])
            #expect(place.deployment.mailbox.all(to: "ann@elsewhere.example").isEmpty)
        }
    }

    @Test("the email speaks the language of the browser that made the change, and names the support page")
    func language() async throws {
        let settings = ["IDP_SUPPORT_URL": "https://example.com/help"]
        try await ProviderDeployment.open([.oidc], settings: settings) { place in
            let browser = place.deployment.browser(language: "de")
            _ = try await browser.signIn(at: place.client, of: place.deployment, as: "ann@example.com")
            _ = try await place.add(.oidc, in: browser)
            let notice = try #require(try await place.notices(1).first)
            #expect(notice.header("content-language") == "de")
            let text = notice.text.decodingQuotedPrintable()
            #expect(text.contains("Provider work wurde dem Konto ann@example.com bei Main App hinzugefügt."))
            #expect(text.contains("https://example.com/help"))
        }
    }

    @Test("an identity that was linked by proving the account's address is reported")
    func linkedBySignIn() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let owner = try await place.owner()
            try await owner.signOut(of: place.deployment)
            place.deployment.clock.advance(by: .minutes(2))
            let browser = place.deployment.browser()
            let page = try await place.signIn(.oidc, in: browser)
            let earlier = place.deployment.mailbox.all(to: "ann@example.com")
            let waiting = try await browser.follow(browser.submit(page.page().form(to: "/sign-in"), on: page))
            let code = try await place.deployment.mailbox.code(to: "ann@example.com", besides: earlier)
            _ = try await browser.enter(code, on: waiting)
            let notice = try #require(try await place.notices(1).first)
            #expect(notice.header("subject") == "Provider work was added to your account")
        }
    }

    @Test("what the first proof of the address has ended is reported")
    func revoked() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.signIn(.oidc, in: place.deployment.browser())
            _ = try await place.owner()
            let notice = try #require(try await place.notices(1).first)
            let text = notice.text.decodingQuotedPrintable()
            #expect(text.contains("was confirmed by email at Main App for the first time"))
            #expect(text.contains("we removed Provider work"))
        }
    }

    @Test("an attacker who uses up the codes of the address and of the hour cannot suppress a notice")
    func budgets() async throws {
        try await ProviderDeployment.open([.oidc], settings: ["IDP_MAIL_HOURLY_LIMIT": "1"]) { place in
            let deployment = place.deployment
            // The one email of the hour.
            let browser = try await place.owner()
            for _ in 1...6 { _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser()) }
            let queued = try await deployment.emailsQueued()
            _ = try await place.add(.oidc, in: browser)
            _ = try await place.notices(1)
            #expect(try await deployment.emailsQueued() == queued, "and it uses nothing up")
        }
    }

    @Test("notices use up neither the hour nor the address's own codes")
    func noBudget() async throws {
        try await ProviderDeployment.open([.oidc], settings: ["IDP_MAIL_HOURLY_LIMIT": "2"]) { place in
            let browser = try await place.owner()
            for _ in 1...3 {
                _ = try await place.add(.oidc, in: browser)
                _ = try await browser.pressRemove(on: browser.home(of: place.deployment))
            }
            _ = try await place.notices(6)
            place.deployment.clock.advance(by: .seconds(61))
            // A browser that is not known yet, by the second email of the hour.
            #expect(try await place.deployment.asking().code.utf8.count == 6)
        }
    }

    @Test("a mail server that is down for a day delays a notice, and does not lose it")
    func mailDown() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let (deployment, browser) = (place.deployment, try await place.owner())
            let outbox = deployment.mailbox.folder
            try FileManager.default.removeItem(atPath: outbox)
            try Data().write(to: URL(fileURLWithPath: outbox))
            _ = try await place.add(.oidc, in: browser)
            try await eventually("a failed attempt") {
                deployment.log.contains("mail_delivery_failed") ? () : nil
            }
            let later = deployment.clock.now + .hours(25)
            let queue = MailQueue(
                database: deployment.database, clock: ServiceClock { later }, capacity: MailCapacity(limit: 10))
            _ = try await queue.purge(limit: 100)
            #expect(try await deployment.stored.emails.notices.count() == 1)
            try FileManager.default.removeItem(atPath: outbox)
            try FileManager.default.createDirectory(atPath: outbox, withIntermediateDirectories: true)
            deployment.clock.advance(by: .hours(25))
            _ = try await place.notices(1)
        }
    }

    @Test("a notice that was due long ago is still taken, and is no email with a code")
    func dueLongAgo() async throws {
        try await TestDeployment.open { deployment in
            let queue = MailQueue(
                database: deployment.database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 10))
            let now = deployment.clock.now
            try await deployment.database.write { connection in
                try queue.enqueueNotice("not_1", kind: "unknown", subjectID: "not_1", now: now - .hours(30), connection)
            }
            #expect(try await deployment.stored.emails.valid(after: now).count() == 0, "no email with a code")
            // Its template is not known, so it leaves the queue without an email.
            try await eventually("the notice was taken") {
                try await deployment.stored.emails.sent.count() == 1 ? () : nil
            }
        }
    }

    @Test("a notice waits three days at most, in pauses of up to a quarter of an hour")
    func bounds() async throws {
        #expect(MailQueueWorker.pause(after: 1, isNotice: true) == .seconds(2))
        #expect(MailQueueWorker.pause(after: 30, isNotice: true) == .minutes(15))
        #expect(MailQueueWorker.pause(after: 30) == .seconds(30))
        try await TestDeployment.open { deployment in
            let queue = MailQueue(
                database: deployment.database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 10))
            let old = deployment.clock.now - MailQueue.noticeLifetime
            try await deployment.database.write { connection in
                try queue.enqueueNotice("not_1", kind: "unknown", subjectID: "not_1", now: old, connection)
            }
            let round = try await queue.exchange([], forNext: 10)
            #expect(round.emails.isEmpty)
            // The program's own purge may have been faster.
            #expect(try await queue.purge(limit: 100) <= 1)
            #expect(try await deployment.rows(of: "mail_queue") == 0)
        }
    }

    @Test("notices leave sending slots for codes")
    func slots() async throws {
        try await TestDeployment.open { deployment in
            // A database of its own, which no worker empties.
            let file = deployment.folder.path(of: "queue.sqlite")
            let database = try await SQLiteDatabase(path: file, migrations: IdPMigrations.all)
            let queue = MailQueue(
                database: database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 10))
            let now = deployment.clock.now
            try await database.write { connection in
                for number in 1...12 {
                    try queue.enqueueNotice(
                        "not_\(number)", kind: "notice", subjectID: "x", now: now, connection)
                }
            }
            #expect(try await queue.exchange([], forNext: 10).emails.count == 7)
            #expect(try await queue.exchange([], forNext: 3).emails.isEmpty)
            await database.close()
        }
    }

    @Test("after twenty a day one email stands for all removals of the next day; what is added is always reported")
    func loop() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let (deployment, browser) = (place.deployment, try await place.owner())
            func loop(_ rounds: Int) async throws {
                for _ in 1...rounds {
                    _ = try await place.add(.oidc, in: browser)
                    _ = try await browser.pressRemove(on: browser.home(of: deployment))
                }
            }
            try await loop(13)
            // The thief's turn after all the noise.
            _ = try await place.add(.oidc, in: browser)
            func rows(_ change: AccountNotice.Change) async throws -> Int {
                try await deployment.stored.notices.about(change.rawValue).count()
            }
            #expect(try await rows(.linked) == 14)
            #expect(try await rows(.unlinked) == 10)
            #expect(try await rows(.further) == 1)
            let texts = try await place.notices(25).map { $0.text.decodingQuotedPrintable() }
            #expect(texts.count { $0.contains("For a day we don't send you an email when one is removed") } == 1)
            #expect(texts.count { $0.contains("was added to the account") } == 14)
            #expect(deployment.events("account_notice_limit_reached") == 1, "with that email")

            deployment.clock.advance(by: .days(1) + .minutes(1))
            let again = try await deployment.signedIn()
            _ = try await again.pressRemove(on: again.home(of: deployment))
            #expect(try await rows(.unlinked) == 11, "the next day")
        }
    }

    @Test("rows of notices go when none of them can be sent any more")
    func purge() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.owner(adding: .oidc)
            _ = try await place.notices(1)
            let deployment = place.deployment
            let notices = AccountNotices(
                mail: MailQueue(
                    database: deployment.database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 10)),
                providers: ProviderRegistry(.none, logger: deployment.log.logger("test")),
                clock: deployment.clock.clock, randomness: SystemRandomness())
            deployment.clock.advance(by: MailQueue.noticeLifetime)
            #expect(try await notices.purge(limit: 100) == 0)
            deployment.clock.advance(by: .days(1))
            #expect(try await notices.purge(limit: 100) == 1)
            #expect(try await deployment.rows(of: "account_notice") == 0)
        }
    }
}
