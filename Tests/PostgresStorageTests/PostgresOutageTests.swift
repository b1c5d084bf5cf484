import Foundation
import Glibc
import Storage
import Synchronization
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// Servers that are killed, stopped or slow, under load.
@Suite("Outages of PostgreSQL", .deployment, .serialized)
struct PostgresOutageTests {
    private static func open(_ server: PostgreSQLServer, readers: Int = 4) async throws -> PostgresDatabase {
        let address = try PostgresAddress(
            "host=\(server.socket) user=postgres dbname=postgres", allowsPlaintext: false, readers: readers,
            program: "test")
        return try await PostgresDatabase(
            address, migrations: DatabaseClaim.steps, logger: CapturedLog().logger("node"), timing: PostgresTiming(),
            voidGrants: { _ in Issue.record("a restart is no promotion") })
    }

    /// Writers that add items, each its own, until they are told to stop.
    private final class Load: Sendable {
        private let state = Mutex((next: Int64(0), acknowledged: Set<Int64>(), isRunning: true))

        var count: Int { state.withLock { $0.acknowledged.count } }
        var acknowledged: Set<Int64> { state.withLock { $0.acknowledged } }
        func stop() { state.withLock { $0.isRunning = false } }

        func run(_ nodes: [PostgresDatabase]) async throws {
            _ = try await atOnce(30) { [self] writer in
                while state.withLock({ $0.isRunning }) {
                    let id = state.withLock { state in
                        state.next += 1
                        return state.next
                    }
                    let kind = try await DatabaseError.kind { try await nodes[writer % nodes.count].add(items: [id]) }
                    #expect(kind == nil || kind == .unavailable)
                    if kind == nil { state.withLock { _ = $0.acknowledged.insert(id) } }
                }
            }
        }

        /// Waits until more writes were acknowledged.
        func goOn() async throws {
            let before = count
            try await eventually("writes go on") { count > before + 50 ? () : nil }
        }
    }

    /// Lets an outage happen again and again under load. Nothing that was acknowledged is lost, and nothing needs a restart.
    private static func outages(
        _ rounds: Int, _ outage: (PostgreSQLServer) async throws -> Void
    ) async throws {
        try await PostgreSQLServer.open { server in
            let nodes = [try await open(server), try await open(server)]
            let load = Load()
            async let running: Void = load.run(nodes)
            // An error below ends the writers as well: they look at nothing else.
            defer { load.stop() }
            for _ in 0..<rounds {
                try await load.goOn()
                try await outage(server)
            }
            try await load.goOn()
            load.stop()
            try await running
            let stored = try await nodes[0].read { connection in
                Set(try connection.query("SELECT id FROM item").map { try $0.integer("id") })
            }
            #expect(load.acknowledged.isSubset(of: stored), "\(load.acknowledged.subtracting(stored))")
            for node in nodes { await node.close() }
        }
    }

    @Test("backends that are killed under load lose nothing that was acknowledged")
    func backends() async throws {
        try await Self.outages(TestLength.of(short: 5, nightly: 50)) { server in
            // While it recovers from the last kill the server takes no connection.
            let pids = try await eventually("the server names its backends") { try? await server.backends() }
            for pid in pids.prefix(1) { Glibc.kill(pid, SIGKILL) }
        }
    }

    @Test(
        "a server that is stopped at once under load and started again loses nothing, and the nodes go on by themselves"
    )
    func restarts() async throws {
        try await Self.outages(TestLength.of(short: 3, nightly: 20)) { server in
            try await server.kill(SIGQUIT)
            try await server.start()
        }
    }

    @Test(
        "while every statement takes too long 500 reads and 500 writes are answered in time, and then all is as before")
    func slow() async throws {
        try await PostgreSQLServer.open { server in
            let node = try await Self.open(server)
            let begin = ContinuousClock.now
            let slowest = try await atOnce(1000) { number in
                let kind = try await DatabaseError.kind {
                    if number.isMultiple(of: 2) {
                        _ = try await node.read { try $0.query("SELECT 1 AS n FROM pg_sleep(3)") }
                    } else {
                        _ = try await node.write { try $0.query("SELECT 1 AS n FROM pg_sleep(3)") }
                    }
                }
                #expect(kind == .unavailable)
                return ContinuousClock.now - begin
            }.max()
            // A relying party waits five seconds.
            #expect(try #require(slowest) < .seconds(5))
            try await node.add(items: [1])
            #expect(try await node.items() == 1)
            await node.close()
        }
    }

    @Test("a server that does not answer is given up in time, with a bounded number of connections, and used again")
    func stopped() async throws {
        try await PostgreSQLServer.open { server in
            let node = try await Self.open(server)
            try await node.add(items: [1])
            #expect(try await node.items() == 1)
            let pids = try await server.backends()
            #expect(pids.count >= 2)
            for pid in pids { Glibc.kill(pid, SIGSTOP) }
            let begin = ContinuousClock.now
            let ends = try await atOnce(20) { number in
                try await DatabaseError.kind { try await node.add(items: [Int64(number) + 2]) }
            }
            #expect(ContinuousClock.now - begin < .seconds(5))
            #expect(ends.contains(.unavailable), "the first ones met the connection that had stopped")
            // A new connection serves the next ones, while the old ones still hang.
            try await node.add(items: [100])
            #expect(try await server.backends().count <= 10)
            for pid in pids { Glibc.kill(pid, SIGCONT) }
            #expect(try await node.number("SELECT COUNT(*) AS n FROM item WHERE id = 100") == 1)
            await node.close()
        }
    }

    @Test("each reason why a node cannot come back is in its log once, and the last one in the errors of its calls")
    func reasons() async throws {
        let (url, fixture, log) = (
            try await PostgresFixture.makeDatabase(), try await PostgresFixture.make(), CapturedLog()
        )
        let name = try #require(url.split(separator: "/").last)
        let node = try await PostgresDatabase(
            try PostgresAddress(url, allowsPlaintext: false, readers: 1, program: "test"),
            migrations: DatabaseClaim.steps, logger: log.logger("node"), timing: PostgresTiming()
        ) { _ in }
        try await node.add(items: [1])
        let outages = [
            (["ALTER ROLE \(name) NOLOGIN"], "is not permitted to log in"),
            (
                ["ALTER DATABASE \(name) SET default_transaction_read_only = on", "ALTER ROLE \(name) LOGIN"],
                "session is read-only"
            ),
        ]
        for (changes, reason) in outages {
            for sql in changes { try await fixture.run(sql) }
            try await fixture.run(
                "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '\(name)'")
            try await eventually("calls fail because of it") { () -> Void? in
                do { try await node.add(items: [99]) } catch { return "\(error)".contains(reason) ? () : nil }
                return nil
            }
        }
        for (_, reason) in outages {
            let lines = log.text.split(separator: "\n").filter { $0.contains("error database_unavailable") }
            #expect(lines.count { $0.contains(reason) } == 1, "\(log.text)")
        }
        try await fixture.run("ALTER DATABASE \(name) RESET default_transaction_read_only")
        try await eventually("writes go on") { () -> Void? in
            try await DatabaseError.kind { try await node.add(items: [3]) } == nil ? () : nil
        }
        await node.close()
    }

    @Test("a node that stops inside its transaction keeps the others from writing for a few seconds only")
    func stoppedNode() async throws {
        try await PostgreSQLServer.open { server in
            let node = try await Self.open(server)
            try await node.add(items: [1])
            let stopped = try PostgresSession.open(
                try PostgresAddress(
                    "host=\(server.socket) user=postgres dbname=postgres", allowsPlaintext: false, readers: 1,
                    program: "stopped"
                ).parameters, answeringWithin: .seconds(30))
            stopped.deadline = .now + .seconds(30)
            _ = try stopped.run([.control(.beginWrite), .control(.lock)])
            let begin = ContinuousClock.now
            #expect(try await DatabaseError.kind { try await node.add(items: [2]) } == .unavailable)
            #expect(ContinuousClock.now - begin < .seconds(5))
            // Reads go on.
            #expect(try await node.items() == 1)
            try await eventually("writes go on") { () -> Void? in
                try await DatabaseError.kind { try await node.add(items: [3]) } == nil ? () : nil
            }
            #expect(throws: PostgresError.self) { try stopped.run([.control(.commit)]) }
            await node.close()
        }
    }
}

extension PostgreSQLServer {
    /// The processes that serve the connections of the test's nodes.
    func backends() async throws -> [pid_t] {
        let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'test' ORDER BY backend_start"
        return try await run([sql]).rows.compactMap { pid_t($0) }
    }
}
