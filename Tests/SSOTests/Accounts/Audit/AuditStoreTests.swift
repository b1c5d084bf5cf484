import Foundation
import IdPAccountPages
import IdPAccounts
import IdPApps
import IdPAuthorization
import IdPFlow
import IdPMail
import IdPOIDC
import IdPSignIn
import IdPSignOut
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The rows of the audit log", .program)
struct AuditStoreTests {
    @Test(
        "an event that visitors cause gets a thousand rows in an hour, then one row with the count; the next hour begins anew"
    )
    func flood() async throws {
        try await AuditScene.open { scene in
            let row = Event(.codeRejected, by: .visitor, cause: "wrong")
            try await scene.write(row, times: 1000)
            #expect(try await scene.page().count == 1000, "the count is not shown while each has a row")
            try await scene.write(row, times: 5)
            try await scene.write(Event(.linkRejected, by: .visitor))
            var rows = try await scene.page()
            #expect(rows.count == 1002 && rows.filter { $0.event == "link_rejected" }.count == 1)
            #expect(rows.compactMap(\.count) == [5] && rows.last?.count == 5)
            scene.clock.advance(by: .hours(1))
            try await scene.write(row)
            rows = try await scene.page()
            #expect(rows.count == 1003 && rows.last?.count == nil)
        }
    }

    @Test("what operators do is never left out")
    func noLimit() async throws {
        try await AuditScene.open { scene in
            let actor = AuditActor.command(user: "root", sudo: nil)
            try await scene.write(Event(.userChanged, by: actor, account: "usr_1"), times: 1100)
            #expect(try await scene.page().count == 1100)
        }
    }

    /// Threat 304.
    @Test(
        "a user who causes events in a loop gets 600 rows in an hour and 20 more of each event, so a flood of one hides no other; a row for each event has the number that was left out; nobody else loses one"
    )
    func share() async throws {
        try await AuditScene.open { scene in
            func row(_ event: EventKind, _ account: String = "usr_1") -> Event {
                Event(event, by: .user(account), account: account, client: "wiki")
            }
            try await scene.write(row(.tokenIssued), times: 5000)
            #expect(try await scene.page().count { $0.count == nil } == 620)
            try await scene.write(row(.identityLinked))
            try await scene.write(row(.tokenIssued, "usr_2"), times: 3)
            for event in IdPEvents.audited where !event.isOfVisitors { try await scene.write(row(event), times: 100) }
            let rows = try await scene.page()
            #expect(rows.count { $0.account == "usr_2" } == 3)
            #expect(rows.first { $0.event == "identity_linked" }?.count == nil)
            let left = rows.filter { $0.count != nil }
            #expect(left.first { $0.event == "token_issued" }?.count == 4380 + 100)
            #expect(left.first { $0.event == "identity_linked" }?.count == 81)
            #expect(left.allSatisfy { $0.account == "usr_1" && $0.actor == "user:usr_1" })
            #expect(try await scene.store.newest(of: "usr_1", before: nil, limit: 5000).allSatisfy { $0.count == nil })
            scene.clock.advance(by: .hours(1))
            try await scene.write(row(.tokenIssued), times: 10)
            #expect(try await scene.page({ $0.event = "token_issued" }).count == 620 + 1 + 3 + 10)
        }
    }

    @Test("all that one browser can cause in a loop is at most a thousand rows in an hour")
    func browserShare() async throws {
        let ofBrowser: [EventKind] = [
            .signedIn, .secondFactorRequired, .signedOut, .appSignedOut, .tokenIssued, .tokenRedeemed, .handoffSignedIn,
            .accessRefused, .sessionEnded, .signOutQueued, .signOutDelivered, .signOutFailed, .signOutGivenUp,
            .codeReused, .refreshTokenReused, .refreshTokensEnded, .identityLinked, .identityUnlinked,
            .identityRevoked, .userChanged,
        ]
        try await AuditScene.open { scene in
            for event in ofBrowser {
                try await scene.write(Event(event, by: .user("usr_1"), account: "usr_1"), times: 700)
            }
            #expect(try await scene.page().count { $0.count == nil } == 1000)
        }
    }

    @Test("an address that gets an email and one that gets none run the same statements, also in a flood")
    func sameStatements() async throws {
        try await AuditScene.open { scene in
            let keys = AuditAddressKeys(try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"))
            func statements(_ event: EventKind, _ address: String) async throws -> [String] {
                var row = Event(event, by: .visitor)
                row.address = keys.typed(try EmailAddress(address))
                _ = scene.database.takeStatements()
                try await scene.write(row)
                return scene.database.takeStatements()
            }
            let first = try await statements(.mailQueued, "known@example.com")
            #expect(first.count == 2)
            #expect(try await statements(.mailNotSent, "stray@nowhere.org") == first)
            // A flood of one kind ends the rows of both.
            try await scene.write(Event(.mailNotSent, by: .visitor), times: 1000)
            let later = try await statements(.mailQueued, "known@example.com")
            #expect(later.count == 1)
            #expect(try await statements(.mailNotSent, "stray@nowhere.org") == later)
        }
    }

    @Test("refusals without a transaction are counted in memory after a thousand, and added to the rows")
    func memory() throws {
        var waiting = WaitingRefusals(limit: 1000)
        let (row, now) = (Event(.verifyRefused, by: .visitor), TestClock().now)
        let begins = (0..<1007).map { _ in waiting.add(row, at: now) }
        #expect(begins.filter(\.self).count == 1 && begins[0], "the first one begins to write")
        let (rows, counts) = waiting.take()
        #expect(rows.count == 200 && counts.isEmpty)
        waiting.putBack(rows, counts)
        #expect(waiting.rows.count == 1000 && Array(waiting.counts.values) == [7])
        for _ in 1...5 { #expect(waiting.take().rows.count == 200) }
        let rest = waiting.take()
        #expect(rest.rows.isEmpty && Array(rest.counts.values) == [7] && !waiting.isWriting)
        waiting.putBack(rest.rows, rest.counts)
        #expect(Array(waiting.counts.values) == [7])
        let beginsAgain = waiting.add(row, at: now + .hours(1))
        #expect(beginsAgain && waiting.rows.count == 1, "a new hour has rows again")
    }

    @Test("counts of a flood reach the rows, and a database that fails loses nothing")
    func flush() async throws {
        try await AuditScene.open { scene in
            let keys = AuditAddressKeys(try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"))
            let log = AuditLog(store: scene.store, addresses: keys, logger: CapturedLog().logger("idp"))
            for _ in 0..<1010 { log.note(Event(.verifyRefused, by: .visitor, cause: "signature_wrong")) }
            try await eventually("the rows are written") { try await scene.page().count >= 1000 ? () : nil }
            let rows = try await eventually("a row with the count") {
                try await log.flush()
                let rows = try await scene.page()
                return rows.last?.count == nil ? nil : rows
            }
            #expect(rows.count == 1001 && rows.last?.count == 10)
        }
    }

    @Test("what has waited for a database that was away is written in transactions that are short enough")
    func manyWaiting() async throws {
        try await AuditScene.open { scene in
            let (outage, strict) = (Outage(), RecordingDatabase(scene.database, statements: 1000))
            let store = AuditStore(
                database: outage.wrapping(strict), clock: scene.clock.clock, randomness: SystemRandomness())
            let keys = AuditAddressKeys(try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"))
            let logged = CapturedLog()
            let log = AuditLog(store: store, addresses: keys, logger: logged.logger("idp"))
            outage.isOn = true
            for kind in [EventKind.verifyRefused, .codeRejected, .linkRejected, .mailNotSent] {
                for _ in 0..<1000 { log.note(Event(kind, by: .visitor)) }
            }
            try await eventually("the first try has failed") { logged.contains("audit_failed") ? () : nil }
            outage.isOn = false
            try await eventually("all rows are written") {
                await log.writeWaiting()
                return try await scene.page(limit: 6000).count == 4000 ? () : nil
            }
        }
    }

    @Test("a row that no database takes is dropped with a line in the log, and the others are written")
    func poison() async throws {
        try await AuditScene.open { scene in
            let logged = CapturedLog()
            let keys = AuditAddressKeys(try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"))
            let log = AuditLog(store: scene.store, addresses: keys, logger: logged.logger("idp"))
            for client in ["a", "b\u{0}", "c", "d"] { log.note(Event(.verifyRefused, by: .visitor, client: client)) }
            let rows = try await eventually("the other rows") {
                try await log.flush()
                let rows = try await scene.page()
                return rows.count == 3 ? rows : nil
            }
            #expect(Set(rows.map(\.client)) == ["a", "c", "d"])
            #expect(logged.contains("audit_failed") && logged.contains("verify_refused"))
        }
    }

    @Test("rows older than the days that they are kept go, a slice at a time, and no younger one does")
    func purge() async throws {
        try await AuditScene.open { scene in
            try await scene.write(Event(.signedIn, by: .user("usr_1")), times: 7)
            scene.clock.advance(by: .days(60))
            try await scene.write(Event(.signedOut, by: .user("usr_1")), times: 2)
            #expect(try await scene.store.purge(keeping: 90, limit: 5) == 0)
            scene.clock.advance(by: .days(31))
            #expect(try await scene.store.purge(keeping: 90, limit: 5) == 5)
            #expect(try await scene.store.purge(keeping: 90, limit: 5) == 2)
            #expect(try await scene.store.purge(keeping: 90, limit: 5) == 0)
            #expect(try await scene.page().map(\.event) == ["signed_out", "signed_out"])
        }
    }

    @Test("filters hold together, moments include their begin and not their end, and pages have each row once")
    func search() async throws {
        try await AuditScene.open { scene in
            let start = scene.clock.now
            for client in ["wiki", "shop", "wiki"] {
                try await scene.write(
                    Event(
                        .tokenIssued, by: .user("usr_1"), account: client == "shop" ? "usr_2" : "usr_1", client: client)
                )
                scene.clock.advance(by: .minutes(1))
            }
            func clients(_ change: (inout AuditSearch) -> Void) async throws -> [String?] {
                try await scene.page(change).map(\.client)
            }
            #expect(try await clients { _ in } == ["wiki", "shop", "wiki"])
            #expect(try await clients { $0.client = "wiki" } == ["wiki", "wiki"])
            #expect(try await clients { $0.since = start + .minutes(1) } == ["shop", "wiki"])
            #expect(try await clients { $0.until = start + .minutes(1) } == ["wiki"])
            #expect(try await clients { $0.user = .init(account: "usr_2", addresses: []) } == ["shop"])
            #expect(try await clients { ($0.client, $0.user) = ("wiki", .init(account: "usr_2", addresses: [])) } == [])
            #expect(try await clients { $0.event = "signed_in" } == [])

            let pages = try await scene.store.page(AuditSearch(), limit: 2)
            let rest = try await scene.store.page(AuditSearch(), after: pages.last?.id, limit: 2)
            #expect((pages + rest).map(\.client) == ["wiki", "shop", "wiki"])
        }
    }

    @Test("a typed address is found with the key, in any spelling of its domain, and with an older key of the list")
    func addresses() async throws {
        try await AuditScene.open { scene in
            let (old, new) = (TestSecret.new(), TestSecret.new())
            let before = AuditAddressKeys(try DerivedKeys.parse(old, setting: "IDP_SECRET_KEY"))
            let after = AuditAddressKeys(try DerivedKeys.parse("\(new),\(old)", setting: "IDP_SECRET_KEY"))
            var row = Event(.mailNotSent, by: .visitor, cause: "address_not_allowed")
            row.address = before.typed(try EmailAddress("Ann@Example.com"))
            try await scene.write(row)
            func found(_ address: String) async throws -> Int {
                let macs = after.macs(of: try EmailAddress(address))
                return try await scene.page { $0.user = .init(account: nil, addresses: macs) }.count
            }
            #expect(try await found("ann@example.com") == 1)
            #expect(try await found("bob@example.com") == 0)
        }
    }

    @Test(
        "the network of an address is its /24 or /48",
        arguments: [
            ("203.0.113.77", "203.0.113.0/24"), ("2001:db8:1:2::9", "2001:db8:1::/48"),
            ("::ffff:198.51.100.4", "198.51.100.0/24"), ("2001:db8::1", "2001:db8::/48"),
        ])
    func networks(address: String, network: String) throws {
        #expect(try #require(IPAddress(address)).auditNetwork == network)
    }

    @Test("each event is in the documentation of the audit log")
    func documented() throws {
        let text = try String(contentsOf: TestVectors.repository.appending(path: "docs/events.md"), encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## Audit events\n").last?.components(separatedBy: "\n## ").first)
        for event in IdPEvents.audited { #expect(section.contains("`\(event.id)`"), "\(event.id)") }
    }
}
