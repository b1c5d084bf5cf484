import GRDBSQLite

/// SQLite's own C interface and nothing between: the yardstick must not carry anybody's wrapper.
final class SQLiteFile {
    private var handle: OpaquePointer?

    /// - Throws: `BenchFault` when the file cannot be opened.
    init(_ path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw BenchFault("cannot open \(path): \(message)") }
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = FULL")
        try run("PRAGMA foreign_keys = ON")
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw BenchFault("\(message) in: \(sql)") }
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw BenchFault("\(message) in: \(sql)")
        }
        return SQLiteStatement(statement)
    }

    /// The first column of every row, as text.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw BenchFault(message) }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }

    private var message: String { sqlite3_errmsg(handle).map { String(cString: $0) } ?? "" }
}

/// A prepared statement whose first parameter is a 32-byte blob.
final class SQLiteStatement {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    deinit {
        sqlite3_finalize(statement)
    }

    /// Runs it to the end. Answers the number of rows it returned.
    @discardableResult
    func run(_ blob: [UInt8] = []) throws -> Int {
        defer { sqlite3_reset(statement) }
        return try blob.withUnsafeBytes { bytes in
            // The bytes outlive the run: SQLite need not copy them (SQLITE_STATIC is nil).
            if !bytes.isEmpty { sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil) }
            var rows = 0
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: rows += 1
                case SQLITE_DONE: return rows
                case let code: throw BenchFault("SQLite answered \(code)")
                }
            }
        }
    }
}
