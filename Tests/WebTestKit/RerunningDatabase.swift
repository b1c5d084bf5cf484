import Storage

/// A database that runs each write body twice and rolls the first run back, as a database does that retries transactions.
///
/// A body that follows the rules of ``Database`` behaves as on any other database.
final class RerunningDatabase: Database {
    private let real: any Database

    init(_ real: any Database) { self.real = real }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await real.read { connection in
            _ = try? body(connection)
            return try body(connection)
        }
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await real.write { connection in
            try connection.execute("SAVEPOINT first_run")
            _ = try? body(FirstRun(real: connection))
            try connection.execute("ROLLBACK TO first_run")
            try connection.execute("RELEASE first_run")
            return try body(connection)
        }
    }

    func checkReady() async throws(DatabaseError) { try await real.checkReady() }
    func close() async { await real.close() }

    /// What the first run asks for after the commit never happens: an engine forgets it with the run.
    private struct FirstRun: SQLConnection {
        let real: any SQLConnection

        func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
            try real.query(sql, values)
        }

        func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
            try real.forEachRow(sql, values, body)
        }

        func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
            try real.execute(sql, values)
        }

        func send(_ sql: String, _ values: SQLArguments) throws(DatabaseError) { try real.send(sql, values) }

        func afterCommit(_ action: @escaping CommitAction) {}
    }
}
