import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPMail
@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("What the audit log says of emails", .program, .alsoOnPostgres)
struct MailRowsTests {
    private static func lines(_ event: String, _ deployment: TestDeployment) -> [Substring] {
        deployment.log.text.split(separator: "\n").filter { $0.contains(" \(event) ") }
    }

    /// How many emails the lines say that have expired.
    private static func expired(_ deployment: TestDeployment) -> Int {
        lines("mail_not_sent", deployment).compactMap { $0.firstMatch(of: #/"emails": (\d+)/#) }
            .compactMap { Int($0.output.1) }.reduce(0, +)
    }

    @Test("one that the mail server has taken has one row, with the address and the flow of its line and no account")
    func sent() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "x")))
            _ = try await browser.ask(for: "bob@example.com", on: form)
            let rows = try await deployment.auditRows(.mailSent, untilThereAre: 2)
            let asked = try await deployment.auditRows(.mailQueued)
            try #require(rows.count == 2 && asked.count == 2)
            #expect(rows.map(\.address) == asked.map(\.address) && rows.map(\.addressID) == asked.map(\.addressID))
            #expect(rows.map(\.flow) == asked.map(\.flow) && rows[1].flow != nil)
            #expect(rows.allSatisfy { $0.account == nil && $0.actor == "idp" && $0.cause == nil && $0.network == nil })
            let line = try #require(Self.lines("mail_sent", deployment).last)
            #expect(Self.lines("mail_sent", deployment).count == 2)
            for part in ["\"flow\": \(rows[1].flow ?? "")", "\"address_id\": \(rows[1].addressID ?? "")"] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
        }
    }

    @Test("one to an address that may not sign in has none but that of its question")
    func decoy() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.waiting(for: "stray@nowhere.org", by: deployment.browser())
            try await eventually("the decoy is done") {
                try await deployment.stored.emails.sent.count() == 1 ? () : nil
            }
            #expect(try await deployment.auditRows(.mailNotSent).map(\.cause) == ["address_not_allowed"])
            #expect(try await deployment.auditRows(.mailSent).isEmpty)
        }
    }

    @Test("the row is written in the transaction that ends the email, and not in one of its own")
    func sameTransaction() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            try await eventually("a failed try") {
                try await deployment.stored.emails.tried(1).putOff.count()
                    == 1 && !Self.lines("mail_delivery_failed", deployment).isEmpty ? () : nil
            }
            try await deployment.stored.refuseRows(in: "audit_event")
            try deployment.mailbox.unblock()
            deployment.clock.advance(by: .seconds(3))
            _ = try await deployment.mailbox.email(to: "ann@example.com")
            try await eventually("the round has failed") {
                Self.lines("mail_queue_unavailable", deployment).isEmpty ? nil : ()
            }
            #expect(try await deployment.stored.emails.sent.count() == 0)
            try await deployment.stored.takeRows(in: "audit_event")
            #expect(try await deployment.auditRows(.mailSent, untilThereAre: 1).count == 1)
            #expect(try await deployment.stored.emails.sent.count() == 1)
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1)
            #expect(Self.lines("mail_sent", deployment).count == 1)
        }
    }

    @Test("those that expire while they wait have one row of a round with their number, and one line")
    func dropped() async throws {
        try await TestDeployment.open(settings: ["IDP_MAIL_HOURLY_LIMIT": "10"]) { deployment in
            for number in 0..<7 { _ = try await deployment.asking("invented-\(number)@example.com") }
            try await eventually("the limit is reached") { deployment.log.contains("mail_limit_reached") ? () : nil }
            for name in ["late", "later"] {
                _ = try await deployment.waiting(for: "\(name)@example.com", by: deployment.browser())
            }
            deployment.clock.advance(by: .seconds(601))
            let rows = try await deployment.auditRows(.mailNotSent, untilThereAre: 1)
            #expect(rows.map(\.cause) == ["expired"] && rows.map(\.detail) == ["2"])
            #expect(rows.allSatisfy { $0.address == nil && $0.account == nil })
            try await eventually("the line") { Self.lines("mail_not_sent", deployment).isEmpty ? nil : () }
            #expect(Self.expired(deployment) == 2 && Self.lines("mail_not_sent", deployment).count == 1)
            #expect(Self.lines("mail_not_sent", deployment).allSatisfy { $0.hasPrefix("warning ") })
        }
    }

    @Test(
        "one whose last try fails has a row with its address and the class of the answer; a line counts those of a round"
    )
    func lastTry() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            for name in ["ann", "bob"] {
                _ = try await deployment.waiting(for: "\(name)@example.com", by: deployment.browser())
            }
            try await eventually("both were tried") {
                try await deployment.stored.emails.tried(1).putOff.count()
                    == 2 && Self.lines("mail_delivery_failed", deployment).count == 2 ? () : nil
            }
            deployment.clock.advance(by: .seconds(599))
            let rows = try await deployment.auditRows(.mailNotSent, untilThereAre: 2)
            #expect(rows.map(\.cause) == ["expired", "expired"])
            #expect(rows.map(\.detail) == ["unreachable", "unreachable"])
            #expect(Set(rows.map(\.address)) == ["a…@example.com", "b…@example.com"])
            try await eventually("lines count both") { Self.expired(deployment) == 2 ? () : nil }
            #expect(Self.lines("mail_not_sent", deployment).allSatisfy { !$0.contains("address") })
            #expect(Self.lines("mail_delivery_failed", deployment).count { !$0.contains("retry_after_seconds") } == 2)
        }
    }
}
