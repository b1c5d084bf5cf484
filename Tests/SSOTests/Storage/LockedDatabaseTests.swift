import Dispatch
import SSOShared
import Testing

@testable import IdP
@testable import SSOWeb

/// Another program that holds the write lock, say a backup or somebody's shell.
@Suite("A locked database")
struct LockedDatabaseTests {
    @Test("verify says 503 and nothing about the token, readyz says 503, and both work again after")
    func locked() async throws {
        try await House.open { house in
            let probe = HTTPProbe(port: house.port)
            let other = try await SQLiteDatabase(
                path: house.folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
            let lock = WriteLock()
            async let holding: Void = other.write { _ in lock.hold() }
            await lock.isHeld()

            let answer = try await house.verify(Visitor.someToken, as: house.partner)
            #expect(answer.status == 503)
            #expect(answer.text.contains("temporarily_unavailable"))
            let ready = try await eventually("readyz sees it") {
                let reply = try await probe.get("/readyz")
                return reply.status == 503 ? reply : nil
            }
            #expect(try JSONDecoding.value(ready.body)["reason"] == "database")
            #expect(try await probe.get("/healthz").status == 200)

            lock.release()
            try await holding
            #expect(try await probe.get("/readyz").status == 200)
            #expect(try await house.verify(Visitor.someToken, as: house.partner).status == 401)
            await other.close()
        }
    }

    @Test("the patience with a lock is less than half of what a partner waits for an answer")
    func patience() {
        #expect(SQLiteDatabase.patience * 2 < BackChannelLimits().call)
    }
}

/// A body of a transaction that stays until it is told to go.
private final class WriteLock: Sendable {
    private let entered = AsyncStream<Void>.makeStream()
    private let leave = DispatchSemaphore(value: 0)

    func hold() {
        entered.continuation.finish()
        leave.wait()
    }

    func isHeld() async { for await _ in entered.stream {} }
    func release() { leave.signal() }
}
