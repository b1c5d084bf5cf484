import GRDB

/// An error of the storage. Its text never contains a bound value.
public enum DatabaseError: Error, Equatable, CustomStringConvertible {
    /// The storage cannot answer now: busy past the timeout, disk full, I/O error, file deleted, too many calls waiting.
    /// Nothing was written. Clients get 503, never a verdict about a token or a code.
    case unavailable(String)
    /// A unique or foreign key, a CHECK or a NOT NULL constraint failed. The statement had no effect.
    case conflict(String)
    /// A mistake in our own SQL or in how it is called.
    case misuse(String)
    /// The database cannot be used. Only at start and in commands. One line with the path and what to do.
    case refused(String)

    public var description: String {
        switch self {
        case .unavailable(let reason): "database unavailable: \(reason)"
        case .conflict(let reason): "database conflict: \(reason)"
        case .misuse(let reason): "database misuse: \(reason)"
        case .refused(let reason): reason
        }
    }

    /// The same error for a caller outside the transaction: try again later, nothing was written.
    var asUnavailable: DatabaseError {
        switch self {
        case .unavailable: self
        case .conflict(let words), .misuse(let words), .refused(let words): .unavailable(words)
        }
    }
}

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
