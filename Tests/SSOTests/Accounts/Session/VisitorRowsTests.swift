import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A visit without a submission leaves a row, and the number of rows must be limited.
@Suite("Rows of browsers who have submitted nothing", .program, .alsoOnPostgres)
struct VisitorRowsTests {
    private static func store(_ deployment: TestDeployment, maximum: Int?) -> SessionStore {
        SessionStore(
            database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)), maximumVisitors: maximum)
    }

    @Test(
        "there are never more than the maximum and one interval; the oldest are deleted, and no row with a submission")
    func bounded() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            let asking = try await deployment.asking("ben@example.com")
            let store = Self.store(deployment, maximum: 300)
            var visits: [SessionID] = []
            for _ in 0..<2000 {
                deployment.clock.advance(by: .milliseconds(1))
                visits.append(try await store.begin(isVisit: true).id)
                let count = try await deployment.stored.sessions.ofVisitors.count()
                guard count <= 300 + VisitorRows.interval else {
                    Issue.record("\(count) rows")
                    return
                }
            }
            for visit in visits.suffix(300) { #expect(try await store.find(visit) != nil) }
            for visit in visits.prefix(1400) { #expect(try await store.find(visit) == nil) }
            #expect(try await ann.isSignedInOnHomePage(of: deployment))
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("a table with far too many rows shrinks in steps, as browsers make requests")
    func shrinks() async throws {
        try await TestDeployment.open { deployment in
            let unbounded = Self.store(deployment, maximum: nil)
            for _ in 0..<2500 { _ = try await unbounded.begin(isVisit: true) }
            let store = Self.store(deployment, maximum: 100)
            _ = try await store.begin(isVisit: true)
            #expect(try await deployment.stored.sessions.ofVisitors.count() == 2501 - 4 * VisitorRows.interval)
            for _ in 0..<(2 * VisitorRows.interval) { _ = try await store.begin(isVisit: true) }
            #expect(try await deployment.stored.sessions.ofVisitors.count() <= 100 + VisitorRows.interval)
        }
    }

    @Test("viewing the form or authorize is a visit; the row counts as submitted after the address")
    func steps() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            #expect(try await deployment.stored.sessions.ofVisitors.count() == 1)
            _ = try await browser.get(deployment.origin + "/sign-in")
            #expect(try await deployment.stored.sessions.ofVisitors.count() == 1)
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            #expect(try await deployment.stored.sessions.ofVisitors.count() == 0)
            _ = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try await deployment.stored.sessions.ofVisitors.count() == 0)
            #expect(try await deployment.rows(of: "session") == 1)
        }
    }

    @Test("the newest row shows when the last session began")
    func newest() async throws {
        try await TestDeployment.open { deployment in
            let store = Self.store(deployment, maximum: nil)
            #expect(try await store.newestRow() == nil)
            _ = try await store.begin(isVisit: true)
            let moment = deployment.clock.now
            deployment.clock.advance(by: .hours(1))
            #expect(try await store.newestRow() == moment)
        }
    }
}
