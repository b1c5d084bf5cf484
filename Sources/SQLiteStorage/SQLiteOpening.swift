import CSQLite
import Dispatch
import Foundation
public import Storage

/// Opens the database: refuses a file that is damaged or not ours, sets up every connection alike, applies the migrations.
struct SQLiteOpening: Sendable {
    /// More than the cores of a small machine, so that a reader that waits for the disk does not delay the others.
    static let readers = 4

    private static let remedy = "Restore it from a backup, or move it and its -wal away to start with an empty one"

    let file: SQLiteFile
    let migrator: Migrator
    let patience: Duration

    /// Opens the connection that writes. Blocks on the disk, so it must not run on an event loop.
    ///
    /// - Throws: ``DatabaseError/refused(_:)``.
    func open() throws(DatabaseError) -> SQLiteHandle {
        if try !file.exists() { try file.create() }
        try file.checkFolder()
        do {
            // First of all: switching to WAL would already change another program's file.
            try inspectContent()
            // At start a lock is worth more patience: another process may be applying a step to a large table.
            var tries = 4
            while true {
                tries -= 1
                do { return try openWriter() } catch let error as SQLiteError
                    where error.primary == SQLITE_BUSY && tries > 0
                {}
            }
        } catch {
            throw refusal(error)
        }
    }

    /// Checks whether the database could be opened. Creates, changes and leaves nothing: for `check`.
    ///
    /// - Parameter isOnlyRead: whether it is for a command that writes nothing to the file.
    /// - Returns: the names of the steps that opening it would apply to what is there. None for a database that does not
    ///   exist yet.
    /// - Throws: ``DatabaseError/refused(_:)`` with what opening it would say.
    func inspect(isOnlyRead: Bool = false) throws(DatabaseError) -> [String] {
        guard try file.exists(isOnlyRead: isOnlyRead) else {
            try file.checkCreatable()
            return []
        }
        if !isOnlyRead { try file.checkFolder() }
        do {
            let missing = try inspectContent()
            return migrator.migrations.dropFirst(missing ?? migrator.migrations.count).map(\.name)
        } catch { throw refusal(error, isOnlyRead: isOnlyRead) }
    }

    // MARK: - Before it is used

    /// Checks that the file is a sound database of ours. Returns the first step that must be applied, or nil.
    @discardableResult
    private func inspectContent() throws -> Int? {
        let reader = try readOnly()
        defer { reader.close() }
        let missing = try missingSteps(reader)
        try quickCheck(reader)
        return missing
    }

    /// Runs SQLite's `quick_check` for at most a tenth of a second: all of a database of some tens of megabytes, a part of a
    /// larger one. Later damage is found at run time and is answered with 503.
    private func quickCheck(_ reader: SQLiteHandle) throws {
        let end = ContinuousClock.now + .milliseconds(100)
        let alarm = DispatchWorkItem { reader.interrupt() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: alarm)
        defer { alarm.cancel() }
        do {
            let verdict = try reader.text("PRAGMA quick_check(1)")
            // Some versions of SQLite report pages that an interrupted check has not reached.
            guard verdict != "ok", ContinuousClock.now < end else { return }
            let words = (verdict ?? "").replacingOccurrences(of: "\n", with: " ")
            throw file.refusal("it is damaged: \(words)", Self.remedy)
        } catch let error as SQLiteError where error.primary == SQLITE_INTERRUPT {
            // Nothing was found in time.
        }
    }

    // MARK: - The connections

    /// Savepoints copy pages: in memory, so that a full or read-only /tmp does not matter.
    private static let ofReaders = "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1024"

    /// A checkpoint after every 16 MB of log instead of 4: on a large table each commit touches other pages, and a checkpoint writes
    /// each of them once.
    ///
    /// Without `synchronous = FULL` a power failure may take back acknowledged commits, and a used token could be used again.
    private static let ofWriter = """
        PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4000;
        PRAGMA journal_size_limit = 67108864; PRAGMA synchronous = FULL
        """

    private func openWriter() throws -> SQLiteHandle {
        let writer = try SQLiteHandle(path: file.path, .readWrite, patience: .short(patience))
        try file.checkUnchanged(maximumAge: .zero)
        try writer.prepare(Self.ofWriter)
        try writer.startLog(at: file.path)
        guard try writer.text("PRAGMA synchronous") == "2" else {
            throw DatabaseError.unavailable("synchronous=FULL cannot be set")
        }
        file.tightenModes()
        file.remember()
        // Without the lock first: a program that starts beside a busy one need not wait for it.
        guard try missingSteps(writer) != nil else { return writer }
        try writer.run("BEGIN IMMEDIATE")
        do {
            if let first = try missingSteps(writer) {
                try migrator.apply(from: first, on: .sqlite, SQLiteConnection(writer))
            }
            try writer.run("COMMIT")
        } catch {
            try? writer.rollBack()
            throw error
        }
        return writer
    }

    /// Opens a connection beside the writer.
    func openReader() throws -> SQLiteHandle {
        // The last connection of another process may be closing, or a crashed one has left a log that is read again: both take a lock.
        let reader = try SQLiteHandle(path: file.path, .readOnly, patience: .seconds(10))
        // By now another file may be there.
        try file.checkUnchanged(maximumAge: .zero)
        try reader.prepare(Self.ofReaders)
        return reader
    }

    // MARK: - The schema

    /// The applied steps of a database.
    static func applied(_ migrator: Migrator, _ connection: any SQLConnection) throws(DatabaseError) -> [String] {
        try migrator.applied(
            connection,
            tables: """
                SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'
                 ORDER BY name = 'schema_migration' DESC LIMIT 1
                """)
    }

    /// Takes the log that a killed process has left into the file, so that the file alone is whole.
    ///
    /// - Returns: why the file must not be replaced: it was copied elsewhere. Nil for any other file, also one that cannot be read.
    func settled() -> DatabaseError? {
        guard SQLiteFile.identity(file.path) != nil,
            let handle = try? SQLiteHandle(path: file.path, .readWrite, patience: .seconds(2))
        else { return nil }
        // The last connection to a file writes its log back.
        defer { handle.close() }
        let names = try? Self.applied(migrator, SQLiteConnection(handle))
        guard let target = names?.last.flatMap(MovedDatabase.target) else { return nil }
        let (problem, remedy) = Migrator.moved(to: target)
        return .outOfUse(file.refusal(problem, remedy).description)
    }

    /// The first step that must be applied, nil when the schema is ours and complete.
    func missingSteps(_ handle: SQLiteHandle) throws -> Int? {
        switch migrator.plan(applied: try Self.applied(migrator, SQLiteConnection(handle))) {
        case .nothing: return nil
        case .apply(let first): return first
        case .newer(let name):
            let (problem, remedy) = try migrator.newer(name, SQLiteConnection(handle))
            throw file.refusal(problem, remedy)
        case .moved(let target):
            let (problem, remedy) = Migrator.moved(to: target)
            throw DatabaseError.outOfUse(file.refusal(problem, remedy).description)
        case .older(let name):
            let (problem, remedy) = Migrator.older(name)
            throw DatabaseError.outOfUse(file.refusal(problem, remedy).description)
        case .foreign(let position, let found):
            throw file.refusal("its schema is not ours (step \(position) is \(found))", "Name another path")
        }
    }

    /// - Parameter isOnlyRead: whether it was opened for a command that writes nothing to the file.
    func refusal(_ error: any Error, isOnlyRead: Bool = false) -> DatabaseError {
        if case .outOfUse? = error as? DatabaseError { return DatabaseError(error) }
        if case .refused(let words)? = error as? DatabaseError {
            return words.contains(file.path) ? .refused(words) : file.refusal(words, "Name another path")
        }
        switch (error as? SQLiteError)?.primary {
        case SQLITE_NOTADB?: return file.refusal("it is not an SQLite database", Self.remedy)
        case SQLITE_CORRUPT?: return file.refusal("it is damaged or cut off", Self.remedy)
        case SQLITE_BUSY?:
            return file.refusal("another process holds its lock for some seconds", "Find and end that process")
        case SQLITE_READONLY?, SQLITE_PERM?, SQLITE_CANTOPEN?:
            guard !isOnlyRead else {
                return file.refusal(
                    "it cannot be opened for reading", "Make it, its -wal and its -shm readable for this user")
            }
            return file.refusal("it cannot be opened for writing", "Make it and its folder writable for this user")
        default:
            return file.refusal("\(DatabaseError(error))", "Look at the disk, or restore the database from a backup")
        }
    }
}

extension SQLiteDatabase {
    /// Checks whether the database at `path` could be opened, and leaves everything as it is.
    ///
    /// - Returns: the names of the steps that opening it would apply.
    /// - Throws: ``DatabaseError/refused(_:)`` with the line that opening it would end with.
    public static func inspect(path: String, migrations: [Migration]) async throws(DatabaseError) -> [String] {
        let opening = SQLiteOpening(
            file: SQLiteFile(path: path), migrator: Migrator(migrations: migrations), patience: patience)
        return try await BlockingWork.run { () throws(DatabaseError) in try opening.inspect() }
    }

    /// Whether the file is there.
    public static func exists(path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
