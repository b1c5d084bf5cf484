import Storage
import Synchronization
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

@Suite("Reads on PostgreSQL", .deployment)
struct PostgresReadTests {
    @Test("a read of one statement has no transaction; one with several has one, from its second time on at once")
    func transactions() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(DatabaseClaim.steps, readers: 1)
        let runs = Mutex(0)
        let snapshot = "SELECT current_setting('transaction_isolation') AS level"
        for _ in 1...3 {
            let level = try await database.read { try $0.query(snapshot)[0].text("level") }
            #expect(level == "read committed")
        }
        let levels = try await atOnce(3) { _ in
            try await database.read { connection in
                runs.withLock { $0 += 1 }
                _ = try connection.query("SELECT 1 AS n")
                return try connection.query(snapshot)[0].text("level")
            }
        }
        #expect(levels == Array(repeating: "repeatable read", count: 3))
        #expect(runs.withLock { $0 } == 4, "only the first body ran twice")
        await database.close()
    }

    @Test("while one of four connections is lost and none can be opened, the others serve every read")
    func oneLost() async throws {
        let fixture = try await PostgresFixture.make()
        let relay = try PostgreSQLRelay(before: fixture.server)
        let address = try PostgresAddress(
            "postgres://postgres@127.0.0.1:\(relay.port)/postgres?options=-csearch_path%3D\(fixture.schema)",
            allowsPlaintext: false, readers: 4, program: "test")
        let database = try await PostgresDatabase(
            address, migrations: DatabaseClaim.steps, logger: CapturedLog().logger("node"), timing: PostgresTiming(),
            voidGrants: { _ in })
        // A connection is opened for its first call.
        try await eventually("four readers are connected") {
            _ = try await atOnce(4) { _ in try await database.read { try $0.query("SELECT 1 AS n FROM pg_sleep(0.1)") }
            }
            return relay.count == 4 ? () : nil
        }
        relay.network = .full
        relay.cutOne()
        for _ in 1...20 {
            #expect(try await database.items() == 0)
            // Meanwhile the thread of that read sleeps again, and the next read wakes another one.
            try await fixture.run("SELECT 1")
        }
        relay.network = .whole
        await database.close()
    }

    @Test("a single statement of a read cannot write either")
    func writing() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(DatabaseClaim.steps)
        for sql in [
            "INSERT INTO item (id, owner) VALUES (1, 'a')", "INSERT INTO item (id, owner) VALUES (1, 'a') RETURNING id",
        ] {
            await #expect(throws: DatabaseError.self) { try await database.read { try $0.query(sql) } }
        }
        #expect(try await database.items() == 0)
        await database.close()
    }
}
