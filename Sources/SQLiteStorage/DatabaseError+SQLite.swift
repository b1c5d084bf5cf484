import GRDB
import Storage

import enum Storage.DatabaseError

extension DatabaseError {
    /// Translates any error of GRDB or of a body.
    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError: self = error
        case let error as GRDB.DatabaseError:
            self.init(code: error.extendedResultCode.rawValue, message: error.message)
        default: self = .misuse("\(type(of: error))")
        }
    }

    /// Translates an SQLite result code. Keeps SQLite's message, never the statement or its values.
    init(code: CInt, message: String?) {
        let words = "\(message ?? "no message") (SQLite \(code))"
        switch GRDB.ResultCode(rawValue: code).primaryResultCode {
        case .SQLITE_CONSTRAINT: self = .conflict(words)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CANTOPEN,
            .SQLITE_PROTOCOL, .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CORRUPT,
            .SQLITE_NOTADB:
            self = .unavailable(words)
        default: self = .misuse(words)
        }
    }
}
