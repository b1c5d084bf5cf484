import Foundation
import GRDB

extension SQLiteDatabase {
    /// Writes a consistent copy of the database at `path` into a new file, while other processes work on it. Afterwards it
    /// is on the disk, whole, checked, and readable for its owner alone.
    ///
    /// - Returns: its size in bytes.
    /// - Throws: ``DatabaseFailure/refused(_:)`` when the database is missing or not ours, or the file exists or cannot be
    ///   written.
    public static func backup(
        path: String, migrations: [Migration], to target: String
    ) async throws(DatabaseFailure) -> Int {
        let copy = SQLiteCopy(from: SQLiteFile(path: path), migrator: Migrator(migrations: migrations))
        return try await offPool { () throws(DatabaseFailure) in
            guard SQLiteFile.identity(path) != nil else {
                throw .refused("there is no database at \(path). Give the one of the IdP in IDP_DATABASE_URL.")
            }
            guard SQLiteFile.identity(target) == nil else {
                throw .refused("cannot back up into \(target): it exists already. Name a new file.")
            }
            let draft = FileDraft(beside: target)
            defer { draft.remove() }
            try copy.write(into: draft)
            // A link fails where a name is taken, a rename would overwrite it.
            guard link(draft.path, target) == 0 else {
                throw .refused("cannot back up into \(target): \(String(cString: strerror(errno))).")
            }
            SQLiteFile.synchronise(folder: URL(fileURLWithPath: target).deletingLastPathComponent().path)
            return SQLiteFile.size(target).map(Int.init) ?? 0
        }
    }

    /// Puts a backup in the place of the database at `path`, atomically, while no process uses it.
    ///
    /// - Parameters:
    ///   - suffix: what the old file is kept as: `path.suffix`, with its log if it has one.
    ///   - finish: changes the restored rows before anybody sees them.
    /// - Returns: the name of the old file, nil when there was none.
    /// - Throws: ``DatabaseFailure/refused(_:)`` when a process uses the database, or the backup is none of ours.
    public static func restore(
        path: String, migrations: [Migration], from backup: String, keepingOldAs suffix: String,
        _ finish: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws -> String? {
        let source = SQLiteFile(path: backup)
        try source.checkBackup()
        guard SQLiteFile.identity(backup) != SQLiteFile.identity(path) else {
            throw DatabaseFailure.refused("\(backup) is the database itself. Name a backup.")
        }
        // Held until the new file is in place: a process that starts meanwhile waits or fails, and changes nothing.
        let lock = try UnusedFile(path)
        defer { lock?.release() }
        let copy = SQLiteCopy(from: source, migrator: Migrator(migrations: migrations))
        let draft = FileDraft(beside: path)
        defer { draft.remove() }
        try await offPool { () throws(DatabaseFailure) in
            try? FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try copy.write(into: draft)
        }
        let restored = try await SQLiteDatabase(path: draft.path, migrations: migrations)
        do { try await restored.write(finish) } catch {
            await restored.close()
            throw error
        }
        await restored.close()
        return try await offPool { () throws(DatabaseFailure) in
            guard SQLiteFile.identity(draft.path + "-wal") == nil else {
                throw .refused("the restored database could not be closed. Look at the disk.")
            }
            return try SQLiteFile(path: path).replace(with: draft, keepingAs: "\(path).\(suffix)")
        }
    }
}

/// A file under construction, beside the name that it gets when it is whole.
struct FileDraft: Sendable {
    let path: String

    init(beside target: String) {
        path = target + ".new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    }

    /// Removes what is left of it: everything, unless it was renamed.
    func remove() { for name in [path, path + "-wal", path + "-shm", path + "-journal"] { unlink(name) } }

    /// Makes the empty file, for this user alone.
    func create() throws(DatabaseFailure) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .refused("cannot write \(path): \(String(cString: strerror(errno))).")
        }
        close(descriptor)
    }

    /// - Throws: ``DatabaseFailure/refused(_:)`` unless all of it is on the disk.
    func synchronise() throws(DatabaseFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("cannot read \(path): \(String(cString: strerror(errno))).") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .refused("cannot write \(path): \(String(cString: strerror(errno))).")
        }
    }
}

/// Copies a database of ours, as of one moment.
struct SQLiteCopy: Sendable {
    let source: SQLiteFile
    let migrator: Migrator

    init(from source: SQLiteFile, migrator: Migrator) { (self.source, self.migrator) = (source, migrator) }

    /// Writes and checks the copy. `VACUUM INTO` reads one snapshot, keeps no writer waiting, and leaves out what was
    /// deleted; it does not sync, so that is done here.
    /// Source: https://www.sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause
    func write(into draft: FileDraft) throws(DatabaseFailure) {
        try draft.create()
        do {
            let opening = SQLiteOpening(file: source, migrator: migrator, busy: BusyWait(patience: .seconds(5)))
            try opening.copying { db in
                // Another program's database is no backup of ours, and a newer version's could not be read.
                _ = try opening.stepsMissing(migrator.applied(SQLiteConnection(db)))
                try db.execute(sql: "VACUUM INTO ?", arguments: [draft.path])
            }
            let copy = try DatabaseQueue(path: draft.path)
            defer { try? copy.close() }
            let verdict = try copy.unsafeRead { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            guard verdict == "ok" else {
                throw DatabaseFailure.refused("the copy of \(source.path) is damaged: \(verdict ?? "no verdict").")
            }
        } catch {
            if case .refused(let words) = error as? DatabaseFailure { throw .refused(words) }
            throw .refused("cannot copy the database \(source.path): \(DatabaseFailure(sqlite: error)).")
        }
        try draft.synchronise()
    }
}

extension SQLiteOpening {
    /// Opens the file as it is, without making one.
    fileprivate func copying(_ copy: (GRDB.Database) throws -> Void) throws {
        // A file without a log is read as one that does not change: a backup may lie where nothing can be written.
        guard SQLiteFile.identity(file.logPath) != nil else {
            return try looking { reader in try reader.unsafeRead(copy) }
        }
        var configuration = Configuration()
        configuration.label = "copy"
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        try queue.unsafeRead(copy)
    }
}

extension SQLiteFile {
    /// - Throws: ``DatabaseFailure/refused(_:)`` when the file cannot be a whole backup.
    fileprivate func checkBackup() throws(DatabaseFailure) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else {
            throw .refused("cannot read the backup \(path). Check the path and the permissions.")
        }
        guard status.st_size > 0 else { throw .refused("the backup \(path) is empty.") }
        guard (Self.size(logPath) ?? 0) == 0 else {
            throw .refused("\(path) has a log beside it, so it is a database in use. Make a backup of it first.")
        }
    }

    /// Puts the draft into place and keeps what was there. The path always has a whole database.
    fileprivate func replace(with draft: FileDraft, keepingAs kept: String) throws(DatabaseFailure) -> String? {
        func fail(_ what: String) -> DatabaseFailure {
            .refused("cannot \(what): \(String(cString: strerror(errno))).")
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if isThere || stat(folder, &status) == 0 {
            // For root alone this does anything: the service's own user must be able to open the file.
            _ = chown(draft.path, status.st_uid, status.st_gid)
        }
        if isThere { guard link(path, kept) == 0 else { throw fail("keep \(path) as \(kept)") } }
        // The old log must be gone before the new file is there: SQLite would play it back into that.
        if Self.identity(logPath) != nil {
            guard rename(logPath, kept + "-wal") == 0 else { throw fail("keep \(logPath) as \(kept)-wal") }
        }
        unlink(path + "-shm")
        try draft.synchronise()
        guard rename(draft.path, path) == 0 else { throw fail("put the backup at \(path)") }
        Self.synchronise(folder: folder)
        return isThere ? kept : nil
    }
}

/// A database file that no other process uses, locked so that none begins to.
///
/// SQLite's own locks are asked for, without SQLite: the file may be damaged. While a connection in WAL mode is open it
/// holds a shared lock on these bytes. Source: https://www.sqlite.org/lockingv3.html and os.h, `PENDING_BYTE`.
private final class UnusedFile: Sendable {
    private let descriptor: Int32

    /// Nil for a file that does not exist.
    init?(_ path: String) throws(DatabaseFailure) {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw .refused("cannot open \(path): \(String(cString: strerror(errno))).")
        }
        guard Self.lock(descriptor, F_SETLK).result != 0 else { return }
        let owner = Self.lock(descriptor, F_GETLK).owner
        close(descriptor)
        let name = owner > 0 ? "process \(owner)" : "a process"
        throw .refused("\(name) uses the database \(path). Stop the service first.")
    }

    func release() { close(descriptor) }

    private static func lock(_ descriptor: Int32, _ command: Int32) -> (result: Int32, owner: pid_t) {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = 0x4000_0000
        range.l_len = 512
        let result = fcntl(descriptor, command, &range)
        return (result, range.l_pid)
    }
}
