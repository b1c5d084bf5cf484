import Foundation
import GRDB
import GRDBSQLite
import Storage

import enum Storage.DatabaseError

/// ``SQLConnection`` over one GRDB connection. Valid only on that connection's queue.
///
/// Statements are prepared and cached by GRDB, and bound and stepped here through SQLite's C interface: GRDB's own arguments
/// and rows are made for general use and cost several times as much per statement.
final class SQLiteConnection: SQLConnection {
    private let db: GRDB.Database

    /// The first error of the connection itself (disk full, I/O). A body may ignore the error that it got, but SQLite may have
    /// rolled back everything by then. The transaction must not commit.
    private(set) var failure: DatabaseError?
    /// SQLite's primary result code of ``failure``.
    private(set) var failureCode = SQLITE_OK

    init(_ db: GRDB.Database) { self.db = db }

    func query(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseError) -> [SQLRow] {
        var rows: [SQLRow] = []
        try run(sql, values) { statement in
            let (columns, handle) = (statement.columnNames, statement.sqliteStatement)
            rows.append(
                SQLRow(columns: columns, values: columns.indices.map { SQLValue.read(column: CInt($0), of: handle) }))
        }
        return rows
    }

    func execute(_ sql: String, _ values: [String: SQLValue]) throws(DatabaseError) -> Int {
        let before = db.totalChangesCount
        try run(sql, values) { _ in }
        return db.totalChangesCount - before
    }

    /// Runs one statement to its end and calls `onRow` at each row.
    private func run(_ sql: String, _ values: [String: SQLValue], onRow: (Statement) -> Void) throws(DatabaseError) {
        do {
            let statement = try db.cachedStatement(sql: sql)
            let handle = statement.sqliteStatement
            // Also on an error, or the statement would keep its lock. The bound values go, they are digests and addresses.
            defer {
                sqlite3_reset(handle)
                sqlite3_clear_bindings(handle)
            }
            try bind(values, to: handle)
            while true {
                switch sqlite3_step(handle) {
                case SQLITE_ROW: onRow(statement)
                case SQLITE_DONE: return
                default: throw lastError()
                }
            }
        } catch {
            let failure = DatabaseError(error)
            if case .unavailable = failure, self.failure == nil {
                self.failure = failure
                failureCode = sqlite3_errcode(db.sqliteConnection) & 0xff
            }
            throw failure
        }
    }

    private func bind(_ values: [String: SQLValue], to statement: OpaquePointer) throws(DatabaseError) {
        let count = sqlite3_bind_parameter_count(statement)
        guard count > 0 else { return }
        for index in 1...count {
            // The name is nil for `?`, and begins with its `:` otherwise.
            guard let name = sqlite3_bind_parameter_name(statement, index) else {
                throw .misuse("a parameter has no name")
            }
            guard let value = values[String(cString: name + 1)] else {
                throw .misuse("no value for \(String(cString: name))")
            }
            guard try value.bind(to: statement, at: index) == SQLITE_OK else { throw lastError() }
        }
    }

    private func lastError() -> DatabaseError {
        let handle = db.sqliteConnection
        return DatabaseError(
            code: sqlite3_extended_errcode(handle), message: sqlite3_errmsg(handle).map { String(cString: $0) })
    }
}

extension SQLValue {
    /// Reads a column of the statement's current row, nil for NULL.
    fileprivate static func read(column: CInt, of statement: OpaquePointer) -> SQLValue? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_BLOB:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
            return .blob([UInt8](bytes))
        // A floating-point number becomes text: reading the column as an integer throws.
        default: return .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
        }
    }

    /// Binds the value and returns SQLite's result code.
    ///
    /// - Throws: `misuse` for a text with a NUL byte. SQLite would cut it there, and `a@x.example\0@evil.example` would become
    ///   another address.
    fileprivate func bind(to statement: OpaquePointer, at index: CInt) throws(DatabaseError) -> CInt {
        // SQLite copies the bytes before the call returns.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
        case .text(let text):
            guard !text.utf8.contains(0) else { throw .misuse("a text value holds a NUL byte") }
            return sqlite3_bind_text(statement, index, text, CInt(text.utf8.count), copying)
        case .blob(let bytes):
            // A nil pointer would bind NULL.
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return sqlite3_bind_blob(statement, index, bytes, CInt(bytes.count), copying)
        }
    }
}
