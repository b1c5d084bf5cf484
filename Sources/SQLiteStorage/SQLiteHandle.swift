import CSQLite
import Foundation
import Storage
import Synchronization

/// One open connection of SQLite with its prepared statements, for one thread at a time: the one that opens it hands it over to the
/// one that uses it. Hence `@unchecked`, and SQLite's own locks are off (`SQLITE_OPEN_NOMUTEX`).
///
/// Foreign keys are checked, and a text in double quotes is a name.
final class SQLiteHandle: @unchecked Sendable {
    enum Access {
        /// Creates a missing file.
        case readWrite
        case readOnly
        /// For a file that nobody writes to. SQLite takes no lock, and makes no file beside it.
        /// Source: https://www.sqlite.org/uri.html, `immutable`.
        case immutable
    }

    /// More than the statements of the programs. What is put together for one run must not stay for ever.
    static let statementLimit = 1_024

    /// What is set once, before the first connection.
    private static let library: Void = sso_sqlite_count_no_allocations()

    private let connection: OpaquePointer
    private let isOpen = Mutex(true)
    private var texts = StatementTexts(limit: statementLimit)
    /// By the numbers of their texts.
    private var statements: [SQLiteStatement] = []

    /// Opens a file. `":memory:"` is a database that lies in memory.
    ///
    /// - Parameter patience: how long a statement waits for a lock of another connection.
    init(path: String, _ access: Access, patience: Patience = .none) throws(SQLiteError) {
        Self.library
        // A library without threads has no locks of its own for what all connections share.
        guard sqlite3_threadsafe() != 0 else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "SQLite was built for one thread")
        }
        let (name, flags) =
            switch access {
            case .readWrite: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .readOnly: (path, SQLITE_OPEN_READONLY)
            case .immutable: (Self.immutableAddress(of: path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw SQLiteError(code: code)
        }
        connection = opened
        sqlite3_extended_result_codes(connection, 1)
        sso_sqlite_refuse_quoted_texts(connection)
        patience.set(for: connection)
        try run("PRAGMA foreign_keys = ON")
    }

    deinit { close() }

    private static func immutableAddress(of path: String) -> String {
        let name = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return "file:\(name.hasPrefix("/") ? name : "./" + name)?immutable=1"
    }

    /// Sets the connection up, and finds out whether its file is a database.
    func prepare(_ pragmas: String) throws(SQLiteError) {
        try run(pragmas)
        _ = try text("SELECT name FROM sqlite_schema LIMIT 1")
    }

    /// Switches the file to a log (WAL), and writes to the log. So the log is there for the connections that only read, and a full
    /// disk is found here.
    func startLog(at path: String) throws(SQLiteError) {
        guard try text("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteError(code: SQLITE_ERROR, message: "could not activate WAL Mode at path: \(path)")
        }
        guard (SQLiteFile.size(path + "-wal") ?? 0) == 0 else { return }
        // A new page replaces the last line of a backup that was put in place of a database: SQLite counts those bytes as a page
        // without knowing what is in it.
        try run("BEGIN IMMEDIATE; CREATE TABLE log_start (id INTEGER PRIMARY KEY); DROP TABLE log_start; COMMIT")
    }

    /// Closes the connection. The last one of a file that may write moves the log into the file and deletes it. If that fails the log
    /// stays until the next start.
    func close() {
        // The lock keeps `interrupt()` away.
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            // SQLite refuses to close a connection that has statements.
            statements = []
            texts.removeAll()
            if sqlite3_close(connection) != SQLITE_OK { sqlite3_close_v2(connection) }
        }
    }

    /// Breaks off the statement that runs. Any thread may call this.
    func interrupt() { isOpen.withLock { if $0 { sqlite3_interrupt(connection) } } }

    /// Lets a statement fail at once where it would wait for a lock.
    func stopWaiting() { sqlite3_busy_timeout(connection, 0) }

    // MARK: - Statements

    /// Runs statements without values, whose rows nobody looks at.
    func run(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(of: connection) }
    }

    /// The first column of the first row of a statement without values, as text; nil for NULL and without a row.
    func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try SQLiteStatement(sql, connection)
        return try statement.step() ? statement.firstText : nil
    }

    /// A statement that does not run. It is kept for the next time.
    func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let number = texts.find(sql) {
            let known = statements[number]
            // One that runs is at a row of its own. Its second run needs another statement, which goes afterwards.
            return known.isRunning ? try SQLiteStatement(sql, connection) : known
        }
        let new = try SQLiteStatement(sql, connection)
        let number = texts.add(sql)
        if number == statements.count { statements.append(new) } else { statements[number] = new }
        return new
    }

    /// How many statements are kept.
    var statementCount: Int { statements.count }

    /// How many rows all statements have inserted, updated and deleted.
    /// The number begins again after 2^31.
    var totalChanges: CInt { sqlite3_total_changes(connection) }

    /// Rolls the transaction back. Does nothing outside of one: SQLite ends it by itself after some errors.
    func rollBack() throws(SQLiteError) {
        guard sqlite3_get_autocommit(connection) == 0 else { return }
        try run("ROLLBACK")
    }
}

extension SQLiteHandle {
    /// How long a statement waits for a lock of another connection.
    enum Patience {
        case none
        /// With SQLite's own pauses, which grow to a tenth of a second.
        case seconds(Int)
        /// With pauses of at most five milliseconds. There is no queue between processes, so a connection with long pauses would
        /// lose to a process that commits without pause.
        case short(Duration)

        fileprivate func set(for connection: OpaquePointer) {
            switch self {
            case .none: break
            case .seconds(let seconds): sqlite3_busy_timeout(connection, CInt(seconds * 1_000))
            case .short(let duration):
                let tries = 10 + Int(duration / .milliseconds(5))
                // The number itself is the pointer.
                sqlite3_busy_handler(
                    connection,
                    { tries, count in
                        guard Int(count) < Int(bitPattern: tries) else { return 0 }
                        Thread.sleep(forTimeInterval: count < 10 ? 0.001 : 0.005)
                        return 1
                    }, UnsafeMutableRawPointer(bitPattern: tries))
            }
        }
    }
}
