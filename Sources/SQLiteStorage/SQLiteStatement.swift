import CSQLite
import Glibc
import Storage

/// A prepared statement with the names of its values and columns. It is a row while it runs.
///
/// The bytes of its values lie here while it runs: SQLite reads them in place and makes no copies of its own.
final class SQLiteStatement: SQLColumns {
    private let statement: OpaquePointer
    private let connection: OpaquePointer
    /// The names of the values, in the order of their numbers.
    private let names: [String]
    /// Whether a value has no name: `?`.
    let hasNameless: Bool
    /// Where the values of the last run stood among its arguments.
    private var places: [Int]
    private var columns: [String]
    /// How often SQLite had prepared the statement when ``columns`` were read.
    private var preparations: CInt = 0
    /// The column behind the one that was read last: rows are mostly read in the order of their columns.
    private var nextColumn = 0
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var isRunning = false

    /// What larger values have needed is given back after the run.
    private static let keptBytes = 16_384

    init(_ sql: String, _ connection: OpaquePointer) throws(SQLiteError) {
        var (prepared, isWhole): (OpaquePointer?, Bool) = (nil, true)
        let code = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &rest)
            isWhole = rest.map { String(cString: $0).allSatisfy(\.isWhitespace) } ?? true
            return code
        }
        guard code == SQLITE_OK else { throw SQLiteError(of: connection) }
        guard let prepared else { throw SQLiteError(code: SQLITE_ERROR, message: "the statement is empty") }
        guard isWhole else {
            sqlite3_finalize(prepared)
            throw SQLiteError(code: SQLITE_MISUSE, message: "there is more than one statement")
        }
        (statement, self.connection) = (prepared, connection)
        let count = sqlite3_bind_parameter_count(prepared)
        // A name begins with its `:`.
        names = (0..<count).compactMap { sqlite3_bind_parameter_name(prepared, $0 + 1).map { String(cString: $0 + 1) } }
        hasNameless = names.count != Int(count)
        places = Array(names.indices)
        columns = Self.columns(of: prepared)
    }

    deinit {
        sqlite3_finalize(statement)
        bytes.deallocate()
    }

    /// The names of the columns. Of several with one name the first one has it, and the others have none.
    private static func columns(of statement: OpaquePointer) -> [String] {
        (0..<sqlite3_column_count(statement)).reduce(into: []) { names, column in
            let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
            names.append(names.contains(name) ? "" : name)
        }
    }

    // MARK: - A run

    /// Binds the values of a run, and calls `onRow` at each row.
    ///
    /// - Throws: what `onRow` throws, ``SQLiteError``, or ``DatabaseError/misuse(_:)`` for a value that is missing or cannot be bound.
    func run(_ values: SQLArguments, onRow: (SQLiteStatement) throws -> Void) throws {
        isRunning = true
        // Also on an error, or the statement would keep its lock.
        defer {
            sqlite3_reset(statement)
            if bytes.count > Self.keptBytes { release() }
            isRunning = false
        }
        try bind(values)
        guard try step() else { return }
        // SQLite prepares it again after a change of the schema, and then `*` may stand for other columns.
        let count = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if count != preparations { (columns, preparations) = (Self.columns(of: statement), count) }
        repeat {
            nextColumn = 0
            try onRow(self)
        } while try step()
    }

    /// Runs up to the next row. False at the end.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(of: connection)
        }
    }

    // MARK: - Values

    private func bind(_ values: SQLArguments) throws {
        guard !hasNameless else { throw DatabaseError.misuse("a parameter has no name") }
        guard !names.isEmpty else { return }
        var needed = 0
        for index in names.indices {
            guard let place = values.place(of: names[index], near: places[index]) else {
                throw DatabaseError.misuse("no value for :\(names[index])")
            }
            places[index] = place
            needed += values.pairs[place].1.byteCount
        }
        reserve(needed)
        var used = 0
        for index in names.indices {
            let code = try bind(values.pairs[places[index]].1, to: CInt(index + 1), at: &used)
            guard code == SQLITE_OK else { throw SQLiteError(of: connection) }
        }
    }

    /// Binds a value and returns SQLite's result code.
    ///
    /// - Parameter used: where the free bytes begin, and where they begin afterwards.
    /// - Throws: `misuse` for a text with a NUL byte. SQLite would cut it there, and `a@x.example\0@evil.example` would become
    ///   another address.
    private func bind(_ value: SQLValue, to number: CInt, at used: inout Int) throws(DatabaseError) -> CInt {
        // SQLite's own copies would cost more than the rest of the binding. A nil pointer would bind NULL.
        guard let start = bytes.baseAddress.map({ $0 + used }) else { throw .misuse("no room for a value") }
        switch value {
        case .null: return sqlite3_bind_null(statement, number)
        case .integer(let integer): return sqlite3_bind_int64(statement, number, integer)
        case .text(let text):
            let count = text.utf8.count
            UnsafeMutableRawBufferPointer(start: start, count: count).copyBytes(from: text.utf8)
            guard memchr(start, 0, count) == nil else { throw .misuse("a text value holds a NUL byte") }
            used += count
            return sqlite3_bind_text(statement, number, start.assumingMemoryBound(to: CChar.self), CInt(count), nil)
        case .blob(let blob):
            UnsafeMutableRawBufferPointer(start: start, count: blob.count).copyBytes(from: blob)
            used += blob.count
            return sqlite3_bind_blob(statement, number, start, CInt(blob.count), nil)
        }
    }

    /// Makes room for the values of one run.
    private func reserve(_ needed: Int) {
        guard bytes.count < max(needed, 1) else { return }
        bytes.deallocate()
        bytes = .allocate(byteCount: max(needed, 64), alignment: 1)
    }

    /// Gives the bytes of the values back. SQLite must not look at them any more.
    private func release() {
        sqlite3_clear_bindings(statement)
        bytes.deallocate()
        bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    // MARK: - The current row

    func value(_ column: String) throws(DatabaseError) -> SQLValue? {
        guard isRunning else { throw .misuse("a row was read after its call") }
        for _ in 0..<columns.count {
            if nextColumn >= columns.count { nextColumn = 0 }
            let index = nextColumn
            nextColumn += 1
            if columns[index] == column { return value(at: CInt(index)) }
        }
        throw .missing(column)
    }

    /// A copy of the current row.
    var row: SQLRow { SQLRow(columns: columns, values: columns.indices.map { value(at: CInt($0)) }) }

    /// The text of the first column, whatever its type is.
    var firstText: String? { sqlite3_column_text(statement, 0).map { String(cString: $0) } }

    private func value(at column: CInt) -> SQLValue? {
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
}

extension SQLValue {
    /// How many bytes of a text or blob are bound.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
