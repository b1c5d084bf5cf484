import Foundation
import GRDB

extension SQLiteDatabase {
    /// Writes a consistent copy of the database at `path` into a new file, while other processes use it. On return the
    /// copy is durable and checked, and only its owner can read it.
    ///
    /// - Returns: the size of the copy in bytes.
    /// - Throws: ``DatabaseError/refused(_:)`` when the database is missing or not ours, or the file exists or cannot be
    ///   written.
    public static func backup(
        path: String, migrations: [Migration], to target: String
    ) async throws(DatabaseError) -> Int {
        let copy = SQLiteCopy(from: SQLiteFile(path: path), migrator: Migrator(migrations: migrations))
        return try await offPool { () throws(DatabaseError) in
            guard SQLiteFile.identity(path) != nil else {
                throw .refused("there is no database at \(path). Give the one of the IdP in IDP_DATABASE_URL.")
            }
            guard SQLiteFile.identity(target) == nil else {
                throw .refused("cannot back up into \(target): it exists already. Name a new file.")
            }
            let draft = FileDraft(beside: target)
            defer { draft.remove() }
            try copy.write(into: draft)
            // A link fails when the name is taken. A rename would overwrite the file.
            guard link(draft.path, target) == 0 else {
                throw .refused("cannot back up into \(target): \(SQLiteFile.lastError).")
            }
            SQLiteFile.synchronise(folder: URL(fileURLWithPath: target).deletingLastPathComponent().path)
            return SQLiteFile.size(target).map(Int.init) ?? 0
        }
    }

    /// Replaces the database at `path` with a backup, atomically, while no process uses it.
    ///
    /// - Parameters:
    ///   - suffix: the old file and its log are kept as `path.suffix`.
    ///   - finish: changes the restored rows before the database is in place.
    /// - Returns: the name of the old file, nil when there was none.
    /// - Throws: ``DatabaseError/refused(_:)`` when a process uses the database, or the backup is not ours.
    public static func restore(
        path: String, migrations: [Migration], from backup: String, keepingOldAs suffix: String,
        _ finish: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws -> String? {
        let source = SQLiteFile(path: backup)
        try source.checkBackup()
        guard SQLiteFile.identity(backup) != SQLiteFile.identity(path) else {
            throw DatabaseError.refused("\(backup) is the database itself. Name a backup.")
        }
        // Held until the new file is in place. A process that starts in the meantime waits or fails, and changes nothing.
        let lock = try UnusedFile(path)
        defer { lock?.release() }
        let copy = SQLiteCopy(from: source, migrator: Migrator(migrations: migrations))
        let draft = FileDraft(beside: path)
        defer { draft.remove() }
        try await offPool { () throws(DatabaseError) in
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
        return try await offPool { () throws(DatabaseError) in
            guard SQLiteFile.identity(draft.path + "-wal") == nil else {
                throw .refused("the restored database could not be closed. Look at the disk.")
            }
            return try SQLiteFile(path: path).replace(with: draft, keepingAs: "\(path).\(suffix)")
        }
    }
}

/// Copies a database of ours, as of one moment.
struct SQLiteCopy: Sendable {
    private let source: SQLiteFile
    private let opening: SQLiteOpening

    init(from source: SQLiteFile, migrator: Migrator) {
        self.source = source
        opening = SQLiteOpening(file: source, migrator: migrator, patience: .seconds(5))
    }

    /// Writes and checks the copy. `VACUUM INTO` reads one snapshot, does not block writers, and leaves deleted rows out.
    /// It does not sync, so that is done here.
    /// Source: https://www.sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause
    func write(into draft: FileDraft) throws(DatabaseError) {
        try draft.create()
        do {
            let original = try open()
            try original.unsafeRead { db in
                // Another program's database is not a backup of ours, and a newer version's could not be read.
                _ = try opening.missingSteps(db)
                try db.execute(sql: "VACUUM INTO ?", arguments: [draft.path])
            }
            try original.close()
            let copy = try DatabaseQueue(path: draft.path)
            defer { try? copy.close() }
            let verdict = try copy.unsafeRead { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            guard verdict == "ok" else {
                throw DatabaseError.refused("the copy of \(source.path) is damaged: \(verdict ?? "no verdict").")
            }
        } catch {
            if case .refused(let words) = error as? DatabaseError { throw .refused(words) }
            throw .refused("cannot copy the database \(source.path): \(DatabaseError(error)).")
        }
        try draft.synchronise()
    }

    /// Opens the source without creating it. Without a log it is read as a file that does not change: a backup may be in a
    /// folder that cannot be written.
    private func open() throws -> DatabaseQueue {
        guard SQLiteFile.identity(source.logPath) != nil else { return try opening.readOnly() }
        var configuration = Configuration()
        configuration.label = "copy"
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: source.path, configuration: configuration)
    }
}

extension SQLiteFile {
    /// - Throws: ``DatabaseError/refused(_:)`` when the file cannot be a whole backup.
    fileprivate func checkBackup() throws(DatabaseError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else {
            throw .refused("cannot read the backup \(path). Check the path and the permissions.")
        }
        guard status.st_size > 0 else { throw .refused("the backup \(path) is empty.") }
        guard (Self.size(logPath) ?? 0) == 0 else {
            throw .refused("\(path) has a log beside it, so it is a database in use. Make a backup of it first.")
        }
    }

    /// Puts the draft into place and keeps the old file. There is a complete database at the path at any time.
    fileprivate func replace(with draft: FileDraft, keepingAs kept: String) throws(DatabaseError) -> String? {
        func fail(_ what: String) -> DatabaseError {
            .refused("cannot \(what): \(SQLiteFile.lastError).")
        }
        var status = stat()
        let isThere = stat(path, &status) == 0
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if isThere || stat(folder, &status) == 0 {
            // Has an effect only for root: the service's own user must be able to open the file.
            _ = chown(draft.path, status.st_uid, status.st_gid)
        }
        if isThere { guard link(path, kept) == 0 else { throw fail("keep \(path) as \(kept)") } }
        // The old log must be gone before the new file is there: SQLite would replay it into the new file.
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

/// A database file that no other process uses, locked so that none can start to.
///
/// Takes SQLite's own locks without SQLite, because the file may be damaged. An open connection in WAL mode holds a shared
/// lock on these bytes. Source: https://www.sqlite.org/lockingv3.html and os.h, `PENDING_BYTE`.
private final class UnusedFile: Sendable {
    private let descriptor: Int32

    /// Nil for a file that does not exist.
    init?(_ path: String) throws(DatabaseError) {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw .refused("cannot open \(path): \(SQLiteFile.lastError).")
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
