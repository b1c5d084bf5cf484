import GRDB

extension DatabaseFailure {
    /// What an error of GRDB or SQLite means to the caller. Takes the code and SQLite's own words, never the statement or its values.
    init(sqlite error: any Error) {
        if let failure = error as? DatabaseFailure {
            self = failure
            return
        }
        guard let error = error as? DatabaseError else {
            self = .misuse("\(type(of: error))")
            return
        }
        let words = "\(error.message ?? "no message") (SQLite \(error.extendedResultCode.rawValue))"
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: self = .conflict(words)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CANTOPEN,
            .SQLITE_PROTOCOL,
            .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .unavailable(words)
        default: self = .misuse(words)
        }
    }

    /// The error says that another connection holds the lock: worth waiting for, unlike a full disk.
    static func isBusy(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
    }
}
