import CSQLite
import Storage

/// ``SQLConnection`` over one connection of SQLite. Valid only on the thread of that connection.
final class SQLiteConnection: CallConnection {
    let handle: SQLiteHandle
    var actions: [CommitAction] = []

    /// The first error of the connection itself (disk full, I/O). A body may ignore the error that it got, but SQLite may have
    /// rolled back everything by then. The transaction must not commit.
    private(set) var failure: DatabaseError?
    /// SQLite's primary result code of ``failure``.
    private(set) var failureCode = SQLITE_OK

    init(_ handle: SQLiteHandle) { self.handle = handle }

    func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
        var rows: [SQLRow] = []
        try run(sql, values) { rows.append($0.row) }
        return rows
    }

    func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
        // An error of the body is not one of the connection.
        var failure: (any Error)?
        do throws(DatabaseError) {
            try run(sql, values) { row in
                do { try body(row) } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
        let before = handle.totalChanges
        try run(sql, values) { _ in }
        return Int(handle.totalChanges &- before)
    }

    /// Runs one statement to its end and calls `onRow` at each row.
    private func run(
        _ sql: String, _ values: SQLArguments, onRow: (SQLiteStatement) throws -> Void
    ) throws(DatabaseError) {
        do {
            try handle.statement(sql).run(values, onRow: onRow)
        } catch {
            let failure = DatabaseError(error)
            if let error = error as? SQLiteError, case .unavailable = failure, self.failure == nil {
                (self.failure, failureCode) = (failure, error.primary)
            }
            throw failure
        }
    }
}
