import Foundation
import GRDB
import GRDBSQLite
import Storage

import enum Storage.DatabaseError

/// ``SQLConnection`` over one GRDB connection. Valid only on that connection's queue.
///
/// Statements are prepared and cached by GRDB, and bound and stepped here through SQLite's C interface: GRDB's own arguments
/// and rows are made for general use and cost several times as much per statement.
final class SQLiteConnection: CallConnection {
    private let db: GRDB.Database
    var actions: [CommitAction] = []

    /// The first error of the connection itself (disk full, I/O). A body may ignore the error that it got, but SQLite may have
    /// rolled back everything by then. The transaction must not commit.
    private(set) var failure: DatabaseError?
    /// SQLite's primary result code of ``failure``.
    private(set) var failureCode = SQLITE_OK

    /// The bytes of a statement's values while it runs: SQLite reads them here and makes no copies of its own.
    private var bound = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ db: GRDB.Database) { self.db = db }

    deinit { bound.deallocate() }

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
            // Also on an error, or the statement would keep its lock. Its values go: the next statement uses their place.
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
        reserve(values.values.reduce(0) { $0 + $1.byteCount })
        var used = 0
        for index in 1...count {
            // The name is nil for `?`, and begins with its `:` otherwise.
            guard let name = sqlite3_bind_parameter_name(statement, index) else {
                throw .misuse("a parameter has no name")
            }
            guard let value = values[String(cString: name + 1)] else {
                throw .misuse("no value for \(String(cString: name))")
            }
            let place = UnsafeMutableRawBufferPointer(rebasing: bound[used..<(used + value.byteCount)])
            used += value.byteCount
            guard try value.bind(to: statement, at: index, in: place) == SQLITE_OK else { throw lastError() }
        }
    }

    /// Makes room for the values of one statement, each of which has one parameter.
    private func reserve(_ bytes: Int) {
        guard bound.count < max(bytes, 1) else { return }
        bound.deallocate()
        bound = .allocate(byteCount: max(bytes, 1024), alignment: 1)
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

    /// How many bytes of a text or blob are bound.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }

    /// Binds the value and returns SQLite's result code.
    ///
    /// - Parameter place: receives the bytes of a text or blob. They stay there until the statement has run.
    /// - Throws: `misuse` for a text with a NUL byte. SQLite would cut it there, and `a@x.example\0@evil.example` would become
    ///   another address.
    fileprivate func bind(
        to statement: OpaquePointer, at index: CInt, in place: UnsafeMutableRawBufferPointer
    ) throws(DatabaseError) -> CInt {
        // SQLite's own copies would cost more than the rest of the binding. A nil pointer would bind NULL.
        guard let start = place.baseAddress else { throw .misuse("no room for a value") }
        let count = CInt(place.count)
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
        case .text(let text):
            guard !text.utf8.contains(0) else { throw .misuse("a text value holds a NUL byte") }
            place.copyBytes(from: text.utf8)
            return sqlite3_bind_text(statement, index, start.assumingMemoryBound(to: CChar.self), count, nil)
        case .blob(let bytes):
            place.copyBytes(from: bytes)
            return sqlite3_bind_blob(statement, index, start, count, nil)
        }
    }
}
