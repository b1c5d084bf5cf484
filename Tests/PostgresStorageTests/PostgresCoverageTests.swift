import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// PostgreSQL waits for a standby only where a transaction has changed something: an empty one says nothing about the standby.
@Suite("Commits that cover those before them", .deployment, .serialized)
struct PostgresCoverageTests {
    private static func set(_ standbys: String, on server: PostgreSQLServer) async throws {
        let outcome = try await server.run([
            "ALTER SYSTEM SET synchronous_standby_names = '\(standbys)'", "SELECT pg_reload_conf()",
        ])
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        try await eventually("the server has read its settings") { () -> Void? in
            try await server.run(["SHOW synchronous_standby_names"]).rows == (standbys.isEmpty ? [] : [standbys])
                ? () : nil
        }
    }

    /// Counts what voiding does: every item that is not used is void.
    private static func node(_ server: PostgreSQLServer, _ log: CapturedLog) async throws -> PostgresDatabase {
        let address = try PostgresAddress(
            "host=\(server.socket),\(server.socket) port=5432,5433 user=postgres dbname=postgres",
            allowsPlaintext: false, readers: 1, program: "test")
        return try await PostgresDatabase(
            address, migrations: DatabaseClaim.steps, logger: log.logger("node"), timing: .patient,
            voidGrants: { try $0.execute("UPDATE item SET used_by = -1 WHERE used_by IS NULL") })
    }

    /// Commits that the server cannot keep back, because they change nothing.
    private static func commitNothing(_ count: Int, _ node: PostgresDatabase) async throws {
        for _ in 1...count {
            let changed = try await node.write { try $0.execute("UPDATE item SET used_by = 7 WHERE id = -1") }
            #expect(changed == 0)
        }
    }

    private static func fail(
        over primary: PostgreSQLServer, to standby: PostgreSQLServer, _ node: PostgresDatabase
    ) async throws {
        try await primary.kill()
        try await standby.promote()
        try await eventually("the node writes again") { () -> Void? in
            try await DatabaseError.kind { _ = try await node.write { try $0.execute("UPDATE part SET id = id") } }
                == nil ? () : nil
        }
    }

    @Test(
        "ten commits that changed nothing cover no commit that waited for none, and those that changed a row do",
        arguments: [false, true])
    func coverage(changes: Bool) async throws {
        try await PostgreSQLServer.open { primary in
            let (standby, log) = (try await primary.standby(port: 5433), CapturedLog())
            let node = try await Self.node(primary, log)
            try await node.add(items: [1, 2])
            try await Self.set("\"standby-5433\"", on: primary)
            try await eventually("commits wait for the standby") { () -> Void? in
                try await primary.run(["SELECT sync_state FROM pg_stat_replication"]).rows == ["sync"] ? () : nil
            }
            try await Self.commitNothing(10, node)
            // The first of these may still have begun before the server had read its settings.
            if changes { for item in Int64(3)...6 { try await node.add(items: [item]) } }
            try await Self.fail(over: primary, to: standby, node)
            let voided = try await node.number("SELECT COUNT(*) AS n FROM item WHERE used_by = -1")
            #expect(voided == (changes ? 0 : 2))
            #expect(log.contains("error database_failed_over") == !changes)
            await node.close()
            try await standby.stop()
            try await primary.start()
        }
    }
}
