import Foundation
import ProbeKit
import SQLiteStorage
import SSOWeb
import Storage
import Testing

@testable import IdPMail
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The mail queue", .program, .alsoOnPostgres)
struct MailQueueTests {
    @Test("while no email can be sent, the page is unchanged; when sending works again, the email is sent")
    func downAndBack() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            let browser = deployment.browser()
            let waiting = try await deployment.waiting(for: "ann@example.com", by: browser)
            #expect(waiting.status == 200)
            try await Self.attempted(deployment)
            try deployment.mailbox.unblock()
            deployment.clock.advance(by: .seconds(30))
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let asking = PendingCode(browser: browser, waiting: waiting, code: code)
            #expect(try await asking.guess(code).status == 303)
        }
    }

    @Test("an email whose code has expired meanwhile is not sent, and does not count as waiting")
    func tooLate() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            try await Self.attempted(deployment)
            deployment.clock.advance(by: .seconds(600))
            try deployment.mailbox.unblock()
            // A later email that arrives shows that the queue has been processed.
            _ = try await deployment.asking("ben@example.com")
            #expect(deployment.mailbox.all(to: "ann@example.com").allSatisfy { $0.code != nil })
            try await eventually("the later one is marked") {
                try await deployment.stored.emails.sent.count() == 1 ? () : nil
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: deployment.mailbox.folder)
            #expect(files.count { $0.hasSuffix(".eml") } == 1)
            let queue = MailQueue(
                database: deployment.database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 1))
            try await eventually("nothing waits") {
                let waiting = try await queue.waiting()
                return waiting.count == 0 && waiting.oldest == nil ? () : nil
            }
        }
    }

    @Test("no email is sent for a code that has been used meanwhile")
    func used() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            try deployment.mailbox.block()
            deployment.clock.advance(by: .seconds(60))
            _ = try await deployment.waiting(for: "ann@example.com", by: asking.browser)
            try await Self.attempted(deployment)
            #expect(try await asking.guess(asking.code).status == 303)
            try deployment.mailbox.unblock()
            deployment.clock.advance(by: .seconds(60))
            _ = try await eventually("the queue is empty") {
                try await deployment.stored.emails.unsent.count() == 0 ? true : nil
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: deployment.mailbox.folder).isEmpty)
        }
    }

    @Test("a waiting email survives a killed process")
    func restart() async throws {
        let pair = try ProcessDeployment()
        try await pair.start()
        try pair.mailbox.block()
        let browser = Browser()
        let waiting = try await browser.ask(for: "ann@example.com", on: browser.get(pair.origin + "/sign-in"))
        // Returned after a failed attempt: an email in delivery when the process is killed has a lease of a minute.
        let database = try await SQLiteDatabase(path: pair.databasePath, migrations: IdPMigrations.all)
        try await eventually("the email is returned") {
            let returned = database.stored.emails.tried(moreThan: 0).putOff(lessThan: .seconds(30))
            return try await returned.count() == 0 ? nil : ()
        }
        await database.close()
        try await pair.idp.kill()
        try pair.mailbox.unblock()
        try await pair.idp.start()
        let code = try await pair.mailbox.code(to: "ann@example.com")
        let form = try waiting.page().form(with: "code")
        #expect(try await browser.submit(form, on: waiting, ["code": code]).status == 303)
        try await pair.stop()
    }

    /// Waits until a delivery attempt has failed.
    private static func attempted(_ deployment: TestDeployment) async throws {
        _ = try await eventually("a failed attempt") {
            deployment.log.contains("mail_delivery_failed") ? true : nil
        }
    }
}
