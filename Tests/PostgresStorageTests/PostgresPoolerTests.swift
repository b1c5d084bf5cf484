import Logging
import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

@Suite(
    "A pooler before PostgreSQL", .deployment, .dependsOnMachine,
    .enabled(if: PgBouncer.isInstalled, "script/setup --test-all could not fetch pgbouncer"))
struct PostgresPoolerTests {
    /// What opening a database through a pooler says, as often as asked.
    private static func words(
        _ mode: String, _ settings: [String] = [], options: String = "", times: Int = 1
    ) async throws -> String {
        var found = ""
        try await PostgreSQLServer.open { server in
            let pooler = try await PgBouncer(before: server, mode: mode, settings: settings)
            let address = try PostgresAddress(
                "host=\(pooler.socket) port=6432 user=postgres dbname=postgres \(options)", allowsPlaintext: false,
                readers: 1, program: "test")
            for _ in 1...times {
                do throws(DatabaseError) {
                    _ = try await PostgresDatabase.inspect(address, migrations: DatabaseClaim.steps)
                    found = "usable"
                } catch { found = "\(error)" }
            }
            try await pooler.stop()
        }
        return found
    }

    @Test(
        "that gives each transaction another connection is refused; one of whole sessions works",
        arguments: [
            ("session", "usable"), ("transaction", "a connection pooler in transaction mode is before it"),
            ("statement", "transaction blocks not allowed in statement pooling mode"),
        ])
    func modes(mode: String, words: String) async throws {
        let found = try await Self.words(mode)
        #expect(found.contains(words), "\(found)")
        #expect(mode == "session" || found.contains("Set pool_mode = session"), "\(found)")
    }

    @Test(
        "says why it ends a connection, and the advice names its setting",
        arguments: [
            (["default_pool_size = 1", "query_wait_timeout = 1"], "query_wait_timeout", "Raise default_pool_size"),
            (["max_client_conn = 1"], "no more connections allowed", "Raise max_client_conn"),
            (["server_reset_query ="], "already exists (SQLSTATE 42P05)", "Set server_reset_query = DISCARD ALL"),
        ])
    func causes(settings: [String], words: String, advice: String) async throws {
        let found = try await Self.words("session", settings, times: 2)
        #expect(found.contains(words) && found.contains(advice), "\(found)")
        #expect(!found.contains("Check the address"), "\(found)")
    }

    @Test("that refuses options is named with its setting; one that drops them is refused for the schema")
    func options() async throws {
        let options = "options=-csearch_path=mine"
        let refused = try await Self.words("session", options: options)
        #expect(refused.contains("unsupported startup parameter: options"), "\(refused)")
        #expect(
            refused.contains("ignore_startup_parameters") && refused.contains("ALTER ROLE … SET search_path"),
            "\(refused)")
        let dropped = try await Self.words(
            "session", ["ignore_startup_parameters = options"], options: options)
        #expect(
            dropped.contains("options asks for search_path=mine, and the schema in use is public"), "\(dropped)")
        #expect(
            try await Self.words(
                "session", ["ignore_startup_parameters = options"], options: "options=-csearch_path=public")
                == "usable")
    }
}
