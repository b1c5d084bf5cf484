import Foundation
import Logging
import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// A primary, a standby, and nodes that know both.
@Suite("Failover of PostgreSQL", .deployment, .serialized)
struct PostgresFailoverTests {
    private static func address(_ server: PostgreSQLServer) throws -> PostgresAddress {
        try PostgresAddress(
            "host=\(server.socket),\(server.socket),\(server.socket) port=5432,5433,5434 user=postgres dbname=postgres",
            allowsPlaintext: false, readers: 2, program: "test")
    }

    /// Makes commits wait for a standby.
    private static func wait(on server: PostgreSQLServer, for standby: String) async throws {
        let outcome = try await server.run([
            "ALTER SYSTEM SET synchronous_standby_names = '\"\(standby)\"'", "SELECT pg_reload_conf()",
        ])
        #expect(outcome.errors.isEmpty)
        try await eventually("commits wait for \(standby)") { () -> Void? in
            let states = try await server.run(["SELECT sync_state FROM pg_stat_replication"]).rows
            return states == ["sync"] ? () : nil
        }
    }

    /// A node whose items are grants: `used_by` is null until one is used, and -1 when it is void.
    private static func node(_ server: PostgreSQLServer, _ log: CapturedLog) async throws -> PostgresDatabase {
        try await PostgresDatabase(
            try address(server), migrations: DatabaseClaim.steps, logger: log.logger("node"),
            timing: PostgresTiming(),
            voidGrants: { try $0.execute("UPDATE item SET used_by = -1 WHERE used_by IS NULL") })
    }

    private static func use(_ item: Int64, _ database: any Database) async throws -> Bool {
        try await database.write { connection in
            try connection.execute(
                "UPDATE item SET used_by = 1 WHERE id = :id AND used_by IS NULL", ["id": .integer(item)]) == 1
        }
    }

    /// Waits until a node writes again. Until then it fails as unavailable and never otherwise.
    private static func recovery(of database: any Database) async throws {
        try await eventually("the node writes again") { () -> Void? in
            let kind = try await DatabaseError.kind {
                _ = try await database.write { try $0.execute("UPDATE part SET id = id") }
            }
            guard let kind else { return () }
            #expect(kind == .unavailable)
            return nil
        }
    }

    @Test("with a synchronous standby everything that was acknowledged is there, used once, and nothing is void")
    func synchronous() async throws {
        try await PostgreSQLServer.open { primary in
            let standby = try await primary.standby(port: 5433)
            try await Self.wait(on: primary, for: "standby-5433")
            let log = CapturedLog()
            let nodes = try await atOnce(3) { _ in try await Self.node(primary, log) }
            try await nodes[0].add(items: Array(1...40))
            // Some are used, and every node has written.
            for item in Int64(1)...20 { #expect(try await Self.use(item, nodes[Int(item) % 3])) }
            try await primary.kill()
            try await standby.promote()
            for node in nodes { try await Self.recovery(of: node) }
            #expect(try await nodes[1].items() == 40)
            for item in Int64(1)...40 {
                let winners = try await atOnce(3) { try await Self.use(item, nodes[$0]) }.count { $0 }
                #expect(winners == (item <= 20 ? 0 : 1), "\(item)")
            }
            #expect(log.contains("warning database_failed_over") && !log.contains("error database_failed_over"))
            for node in nodes { await node.close() }
            try await standby.stop()
            try await primary.start()
        }
    }

    @Test(
        "a new primary with a new standby that it waits for loses nothing either, also after commits that waited for none"
    )
    func again() async throws {
        try await PostgreSQLServer.open { primary in
            let second = try await primary.standby(port: 5433)
            try await Self.wait(on: primary, for: "standby-5433")
            let log = CapturedLog()
            let nodes = try await atOnce(3) { _ in try await Self.node(primary, log) }
            try await nodes[0].add(items: Array(1...13))
            try await primary.kill()
            try await second.promote()
            for node in nodes { try await Self.recovery(of: node) }
            // The new primary waits for nobody yet.
            for item in Int64(1)...3 { #expect(try await Self.use(item, nodes[Int(item) - 1])) }
            let third = try await second.standby(port: 5434)
            try await Self.wait(on: second, for: "standby-5434")
            // Three commits of each node: a second one shows that it has waited, and covers all before it.
            for item in Int64(4)...12 { #expect(try await Self.use(item, nodes[Int(item) % 3])) }
            try await nodes[0].add(items: [14, 15])
            try await second.kill()
            try await third.promote()
            for node in nodes { try await Self.recovery(of: node) }
            #expect(try await nodes[1].items() == 15)
            for item in Int64(1)...15 {
                let winners = try await atOnce(3) { try await Self.use(item, nodes[$0]) }.count { $0 }
                #expect(winners == (item <= 12 ? 0 : 1), "\(item)")
            }
            #expect(log.contains("warning database_failed_over") && !log.contains("error database_failed_over"))
            // One that starts now finds the third of the three.
            let late = try await Self.node(primary, log)
            #expect(try await late.items() == 15)
            for node in nodes + [late] { await node.close() }
            try await third.stop()
            try await primary.start()
        }
    }

    @Test("after an asynchronous promotion what was unused is void, once, and the old primary is not used")
    func asynchronous() async throws {
        try await PostgreSQLServer.open { primary in
            let standby = try await primary.standby(port: 5433)
            let log = CapturedLog()
            let nodes = try await atOnce(3) { _ in try await Self.node(primary, log) }
            try await nodes[0].add(items: Array(1...20))
            try await eventually("the standby has the items") { () -> Void? in
                let rows = try await standby.run(["SELECT COUNT(*) FROM item"]).rows
                return rows == ["20"] ? () : nil
            }
            // The standby hears no more of the primary: what is acknowledged now is lost.
            _ = try await standby.run([
                "ALTER SYSTEM SET primary_conninfo = 'host=/nowhere'", "SELECT pg_reload_conf()",
                "SELECT pg_sleep(0.5)",
            ])
            for item in Int64(1)...10 { #expect(try await Self.use(item, nodes[Int(item) % 3])) }
            try await primary.kill()
            try await standby.promote()
            for node in nodes { try await Self.recovery(of: node) }
            for item in Int64(1)...20 {
                for node in nodes { #expect(try await !Self.use(item, node), "\(item) was used twice") }
            }
            #expect(try await nodes[0].number("SELECT COUNT(*) AS n FROM item WHERE used_by = -1") == 20)
            #expect(log.text.matches(of: /error database_failed_over/).count == 1)
            #expect(log.text.matches(of: /database_failed_over .*"synchronous": false/).count == 3)
            // What is made from now on works.
            try await nodes[2].add(items: [21])
            #expect(try await Self.use(21, nodes[1]))

            // The old primary comes back beside the new one, first in the list of hosts.
            try await primary.start()
            _ = try await standby.run([
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'test'"
            ])
            for (index, node) in nodes.enumerated() {
                try await Self.recovery(of: node)
                try await node.add(items: [22 + Int64(index)])
                #expect(try await node.items() == 22 + index)
            }
            #expect(log.contains("database_timeline_older"))
            // Each node names it once in a minute, however many connections it opens.
            #expect(log.text.matches(of: /error database_timeline_older/).count <= nodes.count)
            #expect(try await primary.run(["SELECT COUNT(*) FROM item WHERE id > 20"]).rows == ["0"])
            // One that starts now asks both, and takes the newer.
            let late = try await Self.node(primary, log)
            #expect(try await late.items() == 24)
            await late.close()
            try await primary.kill()
            for node in nodes { await node.close() }
            try await standby.stop()
            try await primary.start()
        }
    }

    @Test("without the standby that it waits for nothing is acknowledged, and it heals by itself")
    func standbyStopped() async throws {
        try await PostgreSQLServer.open { primary in
            let standby = try await primary.standby(port: 5433)
            try await Self.wait(on: primary, for: "standby-5433")
            let log = CapturedLog()
            let node = try await Self.node(primary, log)
            try await node.add(items: [1])
            #expect(try await node.missingStandby() == nil)
            try await standby.stop()
            let begin = ContinuousClock.now
            let ends = try await atOnce(50) { number in
                try await DatabaseError.kind { try await node.add(items: [Int64(number) + 2]) }
            }
            #expect(ends.allSatisfy { $0 == .unavailable }, "\(ends)")
            #expect(ContinuousClock.now - begin < .seconds(5))
            #expect(log.text.contains(#/database_commit_unknown .*commits wait for the standby .*standby-5433/#))
            // The next connections find the cause, and it is named once. Each call names it.
            for _ in 1...3 {
                let error = await #expect(throws: DatabaseError.self) { try await node.add(items: [99]) }
                #expect(error?.description.contains("standby-5433") == true, "\(error.map { "\($0)" } ?? "none")")
            }
            #expect(try await node.missingStandby()?.contains("standby-5433") == true)
            let names = log.text.matches(of: #/error database_waits_for_standby .*standby-5433/#).count
            #expect(names == 1, "\(log.text)")
            #expect(log.text.matches(of: /error database_unavailable/).count == 1, "\(log.text)")
            let connections = try await primary.run([
                "SELECT COUNT(*) <= 10 FROM pg_stat_activity WHERE application_name = 'test'"
            ])
            #expect(connections.rows == ["t"])
            try await standby.start()
            try await Self.recovery(of: node)
            await node.close()
            try await standby.stop()
        }
    }
}
