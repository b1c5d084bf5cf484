import CSQLite
import Storage

/// What SQLite itself has answered: for those who open a file and have to know why that failed.
struct SQLiteError: Error {
    /// The extended result code.
    let code: CInt
    let message: String

    /// The primary result code, such as `SQLITE_BUSY`.
    var primary: CInt { code & 0xff }

    init(code: CInt, message: String? = nil) {
        self.code = code
        self.message = message ?? sqlite3_errstr(code).map { String(cString: $0) } ?? "no message"
    }

    /// The last error of a connection.
    init(of connection: OpaquePointer) {
        self.init(
            code: sqlite3_extended_errcode(connection), message: sqlite3_errmsg(connection).map { String(cString: $0) })
    }
}

extension DatabaseError {
    /// Translates an error of SQLite or of a body.
    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError: self = error
        case let error as SQLiteError: self.init(error)
        default: self = .misuse("\(type(of: error))")
        }
    }

    /// Translates an error of SQLite. Keeps its message, never the statement or its values.
    init(_ error: SQLiteError) {
        let words = "\(error.message) (SQLite \(error.code))"
        switch error.primary {
        case SQLITE_CONSTRAINT: self = .conflict(words)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PROTOCOL,
            SQLITE_INTERRUPT, SQLITE_ABORT, SQLITE_READONLY, SQLITE_PERM, SQLITE_CORRUPT, SQLITE_NOTADB:
            self = .unavailable(words)
        default: self = .misuse(words)
        }
    }
}
