import Dispatch
import Logging
import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

@Suite("A copy from PostgreSQL", .deployment)
struct PostgresCopyTests {
    @Test("has what was committed while it waited for the writers' lock, and lets others write afterwards")
    func lastCommit() async throws {
        let url = try await PostgresFixture.makeDatabase()
        func address(_ url: String) throws -> PostgresAddress {
            try PostgresAddress(url, allowsPlaintext: false, readers: 1, program: "test")
        }
        let (migrations, own) = (StorageFixture.migrations, try address(url))
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        await (try await PostgresDatabase(own, migrations: migrations, logger: silent) { _ in }).close()
        // A program of another role, whose connections the copy does not see.
        let name = try #require(url.split(separator: "/").last)
        let other = try address(url.replacing("//\(name)@", with: "//postgres@"))
        let writer = try await PostgresDatabase(other, migrations: migrations, logger: silent) { _ in }
        let gate = DispatchSemaphore(value: 0)
        let (isHolding, signal) = AsyncStream<Never>.makeStream()
        async let written: Void = writer.write { connection in
            try connection.execute("INSERT INTO token (id, owner) VALUES (1, 'a')")
            signal.finish()
            gate.wait()
        }
        for await _ in isHolding {}
        async let copied = onOwnThread {
            var owners: [String] = []
            _ = try PostgresDatabase.copySource(own, migrations: migrations, movingTo: nil) {
                connection throws(DatabaseError) in
                for row in try connection.query("SELECT owner FROM token") { owners.append(try row.text("owner")) }
                return []
            }
            return owners
        }
        let fixture = try await PostgresFixture.make()
        try await eventually("the copy waits for the lock") {
            let waiting = try await fixture.run(
                """
                SELECT COUNT(*)::text FROM pg_locks JOIN pg_database d ON d.oid = database
                 WHERE d.datname = '\(name)' AND locktype = 'advisory' AND NOT granted
                """)
            return waiting == ["1"] ? () : nil
        }
        gate.signal()
        try await written
        #expect(try await copied == ["a"])
        try await writer.insertToken(2)
        await writer.close()
    }
}
