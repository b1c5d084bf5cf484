import Dispatch
import PostgresStorage
import Storage
import Testing

@testable import TestKit
@testable import WebTestKit

/// What the stores rely on. A new engine needs one more test here, with the same arguments.
@Suite("What the stores rely on", .rules)
struct DatabaseClaimTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    @Test("on SQLite", arguments: DatabaseClaim.all)
    func sqlite(claim: DatabaseClaim) async throws {
        let fixture = fixture
        try await claim.check { try await fixture.open($0) }
    }

    @Test("on a database that runs each body twice and keeps the second run", arguments: DatabaseClaim.all)
    func rerunning(claim: DatabaseClaim) async throws {
        let fixture = fixture
        try await claim.check { RerunningDatabase(try await fixture.open($0)) }
    }

    @Test("on PostgreSQL", arguments: DatabaseClaim.all)
    func postgres(claim: DatabaseClaim) async throws {
        let fixture = try await PostgresFixture.make()
        try await claim.check { try await fixture.open($0) }
    }

    @Test("on PostgreSQL with each body run twice", arguments: DatabaseClaim.all)
    func postgresRerunning(claim: DatabaseClaim) async throws {
        let fixture = try await PostgresFixture.make()
        try await claim.check { RerunningDatabase(try await fixture.open($0)) }
    }

    @Test("both engines count the writes that wait, the commits and the writes in them")
    func numbers() async throws {
        let databases: [any CountingDatabase] = [
            try await fixture.open(), try await PostgresFixture.make().open(StorageFixture.migrations),
        ]
        for database in databases {
            let gate = DispatchSemaphore(value: 0)
            let holder = await database.hold(gate)
            let before = database.numbers
            #expect(before.waitingWrites == 0 && before.waitingReads == 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in Int64(1)...8 { group.addTask { try await database.insertToken(id) } }
                try await eventually("8 writes wait") { database.numbers.waitingWrites == 8 ? () : nil }
                gate.signal()
                try await group.waitForAll()
            }
            try await holder.value
            let after = database.numbers
            // PostgreSQL also ends the holder's transaction, which has read, with a commit.
            let held = database is PostgresDatabase ? 1 : 0
            #expect(after.commits == before.commits + 1 + held, "\(after)")
            #expect(after.writes == before.writes + 8 + held, "\(after)")
            #expect(after.time > before.time && after.waitingWrites == 0)
            try await database.write { _ in }
            #expect(database.numbers == after, "what does nothing counts for nothing")
            #expect(after.waitsForStandby == (database is PostgresDatabase ? false : nil))
            await database.close()
        }
    }
}
