import Storage
import Synchronization

/// Ends a process between two statements, or after a commit whose answer nobody hears: after so many steps every call of the
/// database fails, until the process is started again.
final class Breaking: Sendable {
    private let left = Mutex<Int?>(nil)

    /// - Parameter steps: statements and commits that still succeed; nil for all.
    func begin(after steps: Int?) { left.withLock { $0 = steps } }

    func wrapping(_ real: any Database) -> any Database { BreakingDatabase(real: real, breaking: self) }

    fileprivate func step() throws(DatabaseError) {
        let isBroken = left.withLock { left in
            guard let steps = left else { return false }
            left = max(0, steps - 1)
            return steps == 0
        }
        if isBroken { throw .unavailable("the process was killed") }
    }
}

private struct BreakingDatabase: Database {
    let real: any Database
    let breaking: Breaking

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await real.read { [breaking] in try body(Connection(real: $0, breaking: breaking)) }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let result = try await real.write { [breaking] in try body(Connection(real: $0, breaking: breaking)) }
        try breaking.step()
        return result
    }

    func checkReady() async throws(DatabaseError) { try await real.checkReady() }
    func close() async { await real.close() }

    private struct Connection: SQLConnection {
        let real: any SQLConnection
        let breaking: Breaking

        func afterCommit(_ action: @escaping CommitAction) { real.afterCommit(action) }

        func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
            try breaking.step()
            return try real.query(sql, values)
        }

        func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
            try breaking.step()
            try real.forEachRow(sql, values, body)
        }

        func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
            try breaking.step()
            return try real.execute(sql, values)
        }
    }
}
