import Dispatch
import SSOShared
import Testing

@testable import IdP
@testable import SSOWeb

/// Threats row 160: the database is locked by another process.
@Suite("Redeeming while the database is locked")
struct LockedDatabaseTests {
    @Test("the partner hears 503 before its own patience ends, nothing is used up, and the retry succeeds")
    func locked() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let complete = try await visitor.signIn(at: house.partner, of: house, as: "ann@example.com")
            let other = try await SQLiteDatabase(
                path: house.folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
            let gate = DispatchSemaphore(value: 0)
            let holder = await other.hold(gate)
            let page = try await visitor.get(complete.callback())
            #expect(page.status == 503)
            // Said by the IdP, and not concluded from its silence.
            #expect(house.log.contains("unavailable: status 503"), "\(house.log.text)")
            #expect(!house.log.contains("timed out"))
            gate.signal()
            try await holder.value
            #expect(try await house.verify(complete.token(), as: house.partner).error == "invalid_token")
            let second = try await visitor.follow(
                visitor.click(page.page().link(containing: "/auth/sso/"), on: page))
            _ = try await visitor.follow(visitor.get(second.callback()))
            #expect(try await visitor.isSignedIn(at: house.partner))
        }
    }

    @Test("the patience with a lock is less than half of what a partner waits for an answer")
    func patience() {
        #expect(SQLiteDatabase.patience * 2 < HTTPLimits().call)
    }
}
