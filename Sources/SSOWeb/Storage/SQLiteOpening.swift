import GRDB

/// Opens the pool: every connection set up alike, the file sound, the schema ours.
struct SQLiteOpening: Sendable {
    /// More than the cores of a small machine: a reader that waits for the disk does not hold up the others.
    static let readers = 4

    let file: SQLiteFile
    let migrator: Migrator
    let busy: BusyWait

    /// Blocks on the disk: not for an event loop.
    ///
    /// - Throws: ``DatabaseFailure/refused(_:)``.
    func open() throws(DatabaseFailure) -> DatabasePool {
        try file.prepare()
        do {
            // Before anything is set: switching to WAL would already change what may be somebody else's.
            try looking { try $0.unsafeRead { _ = try stepsMissing(migrator.applied(SQLiteConnection($0))) } }
            // Longer than at run time: another process may be applying a step to a large table.
            busy.begin(arrived: .now + .seconds(5))
            let pool = try DatabasePool(path: file.path, configuration: configuration)
            try pool.writeWithoutTransaction(makeDurable)
            file.tightenModes()
            file.remember()
            try SQLiteSoundness(reader: pool).check()
            try migrate(pool)
            return pool
        } catch {
            throw refusal(error)
        }
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "database"
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = Self.readers
        configuration.persistentReadOnlyConnections = true
        configuration.busyMode = .callback { [busy] tries in busy.mayRetry(tries: tries) }
        // A rollback that fails on a dying disk would otherwise end the process. The next batch rolls back first.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { [file] db in
            // Readers are opened when they are first needed: by then another file may lie there.
            try file.checkUnchanged()
            // Savepoints copy pages aside: in memory, for a full or read-only /tmp must not matter.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            if db.configuration.readonly {
                try db.execute(sql: "PRAGMA busy_timeout = 2000; PRAGMA cache_size = -1024")
            } else {
                // A checkpoint every 16 MB of log, not 4: on a large table every commit touches other pages, and a
                // checkpoint writes each of them once.
                try db.execute(
                    sql: """
                        PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4000;
                        PRAGMA journal_size_limit = 67108864
                        """)
            }
        }
        return configuration
    }

    /// GRDB sets NORMAL when it turns on WAL. Under NORMAL a power loss may take back acknowledged commits: a used token revives.
    private func makeDurable(_ db: GRDB.Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
            throw DatabaseFailure.unavailable("synchronous=FULL cannot be set")
        }
    }

    /// Looks without a lock first: a program that starts beside a busy one need not wait for it.
    private func migrate(_ pool: DatabasePool) throws {
        let applied = try pool.unsafeRead { try migrator.applied(SQLiteConnection($0)) }
        guard try stepsMissing(applied) != nil else { return }
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                let connection = SQLiteConnection(db)
                if let first = try stepsMissing(migrator.applied(connection)) {
                    try migrator.apply(from: first, connection)
                }
                return .commit
            }
        }
    }

    func stepsMissing(_ applied: [String]) throws(DatabaseFailure) -> Int? {
        switch migrator.plan(applied: applied) {
        case .nothing: return nil
        case .apply(let first): return first
        case .newer(let name):
            throw file.refusal("it was written by a newer version (step \(name))", "Install that version")
        case .foreign(let position, let found):
            throw file.refusal("its schema is not ours (step \(position) is \(found))", "Name another path")
        }
    }

    func refusal(_ error: any Error) -> DatabaseFailure {
        if case .refused(let words) = error as? DatabaseFailure {
            return words.contains(file.path) ? .refused(words) : file.refusal(words, "Name another path")
        }
        let backup = "Restore it from a backup, or move it and its -wal away to begin anew"
        guard let code = (error as? DatabaseError)?.resultCode else {
            if case .unavailable(let verdict) = error as? DatabaseFailure {
                return file.refusal("it is damaged: \(verdict)", backup)
            }
            return file.refusal("\(DatabaseFailure(sqlite: error))", "Report this, it is a defect of the program")
        }
        let words = DatabaseFailure(sqlite: error).description
        switch code {
        case .SQLITE_NOTADB: return file.refusal("it is not an SQLite database", backup)
        case .SQLITE_CORRUPT: return file.refusal("it is damaged or cut off", backup)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return file.refusal(
                "another process holds its lock for some seconds", "Find and end that process")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            return file.refusal("it cannot be opened for writing", "Make it and its folder writable for this user")
        case .SQLITE_FULL: return file.refusal("its disk is full", "Make room")
        case .SQLITE_IOERR: return file.refusal("its disk reports errors, \(words)", "Look at the disk")
        default: return file.refusal(words, "Restore it from a backup, or name another path")
        }
    }
}
