import Storage
import Synchronization
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// Nodes are replaced one after another while all of them write, and the first new one applies a step to a large table.
@Suite("A rolling upgrade over a step on a large table", .deployment)
struct PostgresRollingUpgradeTests {
    /// Users who sign in one time after another: a row and its use, in two transactions, at the node of the moment.
    private final class Load: Sendable {
        static let users = 4

        private struct State {
            var nodes: [any Database]
            var begun = [Int](repeating: 0, count: Load.users)
            var logins: Int64 = 0
            var longest: Duration = .zero
            var failures: [String] = []
            var isOver = false
        }

        private let state: Mutex<State>
        private let firstID: Int64

        init(_ nodes: [any Database], after rows: Int) {
            state = Mutex(State(nodes: nodes))
            firstID = Int64(rows) + 1
        }

        var logins: Int64 { state.withLock { $0.logins } }
        var longest: Duration { state.withLock { $0.longest } }
        var failures: [String] { state.withLock { $0.failures } }
        var nodes: [any Database] { state.withLock { $0.nodes } }

        func stop() { state.withLock { $0.isOver = true } }

        /// Signs one user in until ``stop()``.
        func run(_ user: Int) async {
            while let (node, id) = begin(user) {
                let start = ContinuousClock.now
                do {
                    try await node.write { try $0.add(item: id) }
                    let used = try await node.write { connection in
                        try connection.execute(
                            "UPDATE item SET used_by = 1 WHERE id = :id AND used_by IS NULL", ["id": .integer(id)])
                    }
                    if used != 1 { throw ProbeFailure("the row \(id) is gone") }
                } catch {
                    state.withLock { $0.failures.append("\(error)") }
                }
                let took = ContinuousClock.now - start
                state.withLock { $0.longest = max($0.longest, took) }
            }
        }

        private func begin(_ user: Int) -> (any Database, Int64)? {
            state.withLock { state in
                guard !state.isOver else { return nil }
                defer { state.logins += 1 }
                state.begun[user] += 1
                return (state.nodes[user % state.nodes.count], firstID + state.logins)
            }
        }

        /// Returns when no user is at the former node, and each has signed in since.
        func replace(_ place: Int, by node: any Database) async throws {
            let before = state.withLock { state in
                state.nodes[place] = node
                return state.begun
            }
            try await eventually("every user has signed in twice since") { () -> Void? in
                let now = state.withLock { $0.begun }
                return zip(before, now).allSatisfy { $1 >= $0 + 2 } ? () : nil
            }
        }
    }

    @Test("no login fails, none is lost, and old nodes serve on beside the new one")
    func index() async throws {
        let rows = TestLength.of(short: 50_000, nightly: 1_000_000)
        let fixture = try await PostgresFixture.make()
        let later =
            DatabaseClaim.steps + [
                Migration(name: "v002-index", sql: ["CREATE INDEX item_used ON item (used_by, owner)"])
            ]
        // As in production: a write that takes longer than four seconds fails.
        func open(_ steps: [Migration]) async throws -> PostgresDatabase {
            try await fixture.open(steps, timing: PostgresTiming())
        }
        var old: [PostgresDatabase] = []
        for _ in 1...3 { old.append(try await open(DatabaseClaim.steps)) }
        // A statement has two seconds.
        for first in stride(from: 1, through: rows, by: 50_000) {
            try await fixture.run(
                """
                INSERT INTO item (id, owner) SELECT n, 'owner-' || n FROM generate_series(\(first), \(first + 49_999)) AS n
                """)
        }
        let load = Load(old, after: rows)
        try await withThrowingTaskGroup { group in
            for user in 0..<Load.users { group.addTask { await load.run(user) } }
            for (place, node) in old.enumerated() {
                try await load.replace(place, by: try await open(later))
                await node.close()
            }
            load.stop()
            try await group.waitForAll()
        }
        print("\(rows) rows, \(load.logins) logins: the longest took \(load.longest)")
        #expect(load.failures == [])
        let node = load.nodes[0]
        #expect(try await node.items() == Int64(rows) + load.logins)
        #expect(try await node.number("SELECT COUNT(*) AS n FROM item WHERE used_by = 1") == load.logins)
        #expect(try await fixture.run("SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'item_used'") == ["1"])
        for node in load.nodes { await node.close() }
    }
}
