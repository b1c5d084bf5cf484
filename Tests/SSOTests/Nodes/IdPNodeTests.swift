import Storage
import Testing

@testable import IdP
@testable import IdPTestKit
@testable import PostgresStorage
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Nodes on one PostgreSQL")
struct IdPNodeTests {
    /// The settings of a node, with some in place of those that all have.
    private static func settings(
        _ fixture: PostgresFixture, key: String, _ changed: [String: String] = [:]
    ) throws -> IdPSettings {
        try TestDeployment.readIdPSettings(
            [
                "IDP_PUBLIC_URL": "https://idp.example.com", "IDP_LISTEN": "127.0.0.1:0",
                "IDP_DATABASE_URL": fixture.url, "IDP_SECRET_KEY": key, "IDP_MAIL_URL": "smtps://mail.example.com",
                "IDP_MAIL_FROM": "Main App <sign-in@main.example>", "IDP_ALLOWED_EMAILS": "*@example.com",
            ].merging(changed) { $1 })
    }

    @Test("one with another public address or without a common key is refused, by the setting; others join")
    func conflicts() async throws {
        let (fixture, log) = (try await PostgresFixture.make(), CapturedLog())
        let database = try await fixture.open(IdPMigrations.all)
        let (old, new) = (TestSecret.new(), TestSecret.new())
        func join(_ key: String, _ changed: [String: String] = [:]) async throws -> String {
            do {
                let settings = try Self.settings(fixture, key: key, changed)
                _ = try await IdPNode.join(
                    database, log.logger("idp"), describing: settings.node(try IdPSettings.nodeID()))
                return "joined"
            } catch let error as SettingError {
                #expect(!error.description.contains(old) && !error.description.contains(new))
                return String(error.description.prefix { $0 != ":" })
            }
        }
        #expect(try await join(old) == "joined")
        #expect(try await join(new) == "IDP_SECRET_KEY")
        #expect(try await join(old, ["IDP_PUBLIC_URL": "https://other.example.com"]) == "IDP_PUBLIC_URL")
        // While keys are rotated.
        #expect(try await join("\(new),\(old)") == "joined")
        #expect(try await database.status().nodes.count == 2)
        // Nodes without a heartbeat for ten seconds no longer count.
        try await database.write { try $0.execute("UPDATE node SET heartbeat_at = heartbeat_at - 11000") }
        #expect(try await join(TestSecret.new(), ["IDP_PUBLIC_URL": "https://other.example.com"]) == "joined")
        #expect(try await database.status().nodes.count { $0.isAlive } == 1)
        await database.close()
    }

    @Test("a heartbeat tells the others of it, and the end of a node is seen at once")
    func heartbeat() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(IdPMigrations.all)
        func node(_ id: String, _ clients: String) -> DatabaseNode {
            DatabaseNode(
                id: id, version: "1", publicURL: "a", keys: ["k"], files: ["IDP_CLIENTS_FILE": clients])
        }
        let (first, second) = (node("node_1", "x"), node("node_2", "y"))
        #expect(try await database.join(first).get().others.isEmpty)
        #expect(try await database.join(second).get().others == [first])
        let report = try await database.beat(first)
        #expect(report.others == [second] && first.differences(from: second) == ["IDP_CLIENTS_FILE"])
        // The file was read again.
        #expect(try await database.beat(node("node_2", "x")).others == [first])
        #expect(try await database.beat(first).others.flatMap { first.differences(from: $0) }.isEmpty)
        try await database.leave(second)
        #expect(try await database.beat(first).others.isEmpty)
        // A node whose row is gone, as after a point-in-time recovery, joins again.
        try await database.leave(first)
        _ = try await database.beat(first)
        #expect(try await database.beat(second).others == [first])
        await database.close()
    }

    @Test("every table has an ending for a database that has gone back")
    func tables() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(IdPMigrations.all)
        let names = try await database.read { connection in
            try connection.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()")
                .map { try $0.text("name") }
        }
        #expect(Set(names) == Set(IdPTable.all.map(\.name)).union(["schema_migration", "database_timeline", "node"]))
        let now = Timestamp(milliseconds: 1_000_000)
        for cause in [IdPTable.Cause.lostCommits, .restore] {
            try await database.write { try IdPTable.end(cause, at: now, $0) }
        }
        await database.close()
    }
}
