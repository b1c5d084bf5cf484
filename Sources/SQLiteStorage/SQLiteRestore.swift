import Foundation
public import SSOShared
public import Storage

/// The database that a restore replaces.
public enum ReplacedDatabase: Sendable {
    /// No file is at the path.
    case missing
    /// It is damaged, or not ours.
    case unreadable(String)
    /// A copy of it, with all steps of this version.
    case readable(any Database)
}

/// What a restore has done.
public struct Restored<Report: Sendable>: Sendable {
    /// The name of the old file, nil when there was none.
    public let kept: String?
    /// What is known about the origin of the backup.
    public let origin: BackupOrigin
    /// The result of `finish`.
    public let report: Report
}

extension SQLiteDatabase {
    /// Replaces the database at `path` with a backup, atomically, while no process uses it. Everything is checked on a copy
    /// before that.
    ///
    /// - Parameters:
    ///   - keys: check who has made the backup. Nil where no key is set.
    ///   - acceptsUnverified: takes a backup of another or unknown origin.
    ///   - suffix: the old file and its log are kept as `path.suffix`.
    ///   - finish: changes the restored rows before the database is in place. It may read the database that is replaced.
    /// - Throws: ``DatabaseError/refused(_:)`` when a process uses the database, or the backup is not ours.
    public static func restore<Report: Sendable>(
        path: String, migrations: [Migration], from backup: String, keys: DerivedKeys?, acceptsUnverified: Bool,
        keepingOldAs suffix: String,
        _ finish: @Sendable (_ restored: any Database, _ replaced: ReplacedDatabase) async throws -> Report
    ) async throws -> Restored<Report> {
        let source = SQLiteFile(path: backup)
        try source.checkBackup()
        guard SQLiteFile.identity(backup) != SQLiteFile.identity(path) else {
            throw DatabaseError.refused("\(backup) is the database itself. Name a backup.")
        }
        let opening = SQLiteOpening(
            file: SQLiteFile(path: path), migrator: Migrator(migrations: migrations), patience: .seconds(5))
        // Before the lock, which the end of any connection to the file in this process would release.
        try await BlockingWork.run { () throws(DatabaseError) in if let refusal = opening.settled() { throw refusal } }
        // Held until the new file is in place. A process that starts in the meantime waits or fails, and changes nothing.
        let lock = try UnusedFile(path)
        defer { lock?.release() }
        let (draft, old) = (FileDraft(beside: path), FileDraft(beside: path))
        defer {
            draft.remove()
            old.remove()
        }
        let origin = try await BlockingWork.run { () throws(DatabaseError) in
            try draft.take(source, BackupSeal(keys), migrations, acceptsUnverified: acceptsUnverified)
        }
        let restored = try await SQLiteDatabase(path: draft.path, migrations: migrations)
        let replaced = try await replaced(path, lock, copiedTo: old, migrations)
        let outcome: Result<Report, any Error>
        do { outcome = .success(try await finish(restored, replaced)) } catch { outcome = .failure(error) }
        await restored.close()
        await replaced.close()
        let report = try outcome.get()
        let kept = try await BlockingWork.run { () throws(DatabaseError) in
            try SQLiteFile(path: path).replace(with: draft, keepingAs: "\(path).\(suffix)")
        }
        return Restored(kept: kept, origin: origin, report: report)
    }

    /// Checks a backup as ``restore(path:migrations:from:keys:acceptsUnverified:keepingOldAs:_:)`` does. Only reads the file, which may
    /// be where nothing can be written.
    ///
    /// - Parameter keys: check who has made the backup. Nil where no key is set.
    /// - Returns: what is known about the origin of the backup.
    /// - Throws: ``DatabaseError/refused(_:)`` when a restore would refuse it.
    public static func verify(
        backup: String, migrations: [Migration], keys: DerivedKeys?
    ) async throws(DatabaseError) -> BackupOrigin {
        let source = SQLiteFile(path: backup)
        try source.checkBackup()
        return try await BlockingWork.run { () throws(DatabaseError) in
            let descriptor = Glibc.open(backup, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .refused("cannot read \(backup): \(SQLiteFile.lastError).") }
            defer { Glibc.close(descriptor) }
            let (origin, _) = try BackupSeal(keys).origin(of: descriptor, named: backup, acceptsUnverified: false)
            try source.checkContent(migrations) { try $0.immutable() }
            return origin
        }
    }

    /// Opens a copy of the database that is replaced. The file itself is only read, through the descriptor that holds the
    /// lock: closing any other one would release the lock.
    ///
    /// - Throws: ``DatabaseError/outOfUse(_:)`` for one that was copied elsewhere.
    private static func replaced(
        _ path: String, _ lock: UnusedFile?, copiedTo draft: FileDraft, _ migrations: [Migration]
    ) async throws(DatabaseError) -> ReplacedDatabase {
        guard let lock else { return .missing }
        do throws(DatabaseError) {
            try await BlockingWork.run { () throws(DatabaseError) in
                try draft.create()
                try draft.append(from: lock.descriptor, of: path)
                let log = path + "-wal"
                guard SQLiteFile.identity(log) != nil else { return }
                try FileDraft(path: draft.path + "-wal").copy(log)
            }
            return .readable(try await SQLiteDatabase(path: draft.path, migrations: migrations))
        } catch {
            let words = "\(error)".replacing(draft.path, with: path)
            if case .outOfUse = error { throw .outOfUse(words) }
            return .unreadable(words)
        }
    }
}

extension ReplacedDatabase {
    fileprivate func close() async { if case .readable(let database) = self { await database.close() } }
}

extension FileDraft {
    /// Copies a backup here, checks it and removes its last line. The folder is made where it is missing.
    fileprivate func take(
        _ backup: SQLiteFile, _ seal: BackupSeal, _ migrations: [Migration], acceptsUnverified: Bool
    ) throws(DatabaseError) -> BackupOrigin {
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try create()
        try copy(backup.path)
        let origin = try checkSeal(seal, of: backup.path, acceptsUnverified: acceptsUnverified)
        try backup.checkContent(migrations) { _ in try opened() }
        return origin
    }

    /// Appends a file.
    fileprivate func copy(_ source: String) throws(DatabaseError) {
        let descriptor = open(source, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("cannot read \(source): \(SQLiteFile.lastError).") }
        defer { close(descriptor) }
        try append(from: descriptor, of: source)
    }

    /// Appends an open file, from its beginning on. Creates a missing draft.
    fileprivate func append(from source: CInt, of name: String) throws(DatabaseError) {
        let descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .refused("cannot write \(path): \(SQLiteFile.lastError).") }
        defer { close(descriptor) }
        var (buffer, offset) = ([UInt8](repeating: 0, count: 1 << 16), off_t(0))
        while true {
            let count = pread(source, &buffer, buffer.count, offset)
            guard count >= 0 else { throw .refused("cannot read \(name): \(SQLiteFile.lastError).") }
            guard count > 0 else { return }
            guard write(descriptor, buffer, count) == count else {
                throw .refused("cannot write \(path): \(SQLiteFile.lastError).")
            }
            offset += off_t(count)
        }
    }

    /// Checks the last line of the backup that was copied here, and removes it.
    fileprivate func checkSeal(
        _ seal: BackupSeal, of backup: String, acceptsUnverified: Bool
    ) throws(DatabaseError) -> BackupOrigin {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("cannot read \(path): \(SQLiteFile.lastError).") }
        defer { close(descriptor) }
        let (origin, bytes) = try seal.origin(of: descriptor, named: backup, acceptsUnverified: acceptsUnverified)
        guard ftruncate(descriptor, off_t(bytes)) == 0 else {
            throw .refused("cannot write \(path): \(SQLiteFile.lastError).")
        }
        return origin
    }
}

extension BackupSeal {
    /// Reads the last line of a backup.
    ///
    /// - Parameter backup: its name, for the error.
    /// - Returns: the origin, and how many bytes are before the line.
    fileprivate func origin(
        of descriptor: CInt, named backup: String, acceptsUnverified: Bool
    ) throws(DatabaseError) -> (BackupOrigin, bytes: UInt64) {
        func refusal(_ problem: String) -> DatabaseError {
            .refused("the backup \(backup) \(problem)")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .refused("cannot read \(backup): \(SQLiteFile.lastError).") }
        let size = UInt64(status.st_size)
        let option = "If you are sure where it comes from, restore it with --unverified."
        switch verdict(on: descriptor, size: size) {
        case nil: throw .refused("cannot read \(backup): \(SQLiteFile.lastError).")
        case .damaged:
            throw refusal("is damaged: its content does not match its checksum. Use another backup.")
        case .missing:
            guard let expected = DatabaseHeader(descriptor)?.bytes else {
                throw refusal("is not an SQLite database. Name a file that idp backup has written.")
            }
            // A changed last line looks like none. Then there are bytes after the last page.
            guard expected == size else {
                throw refusal("is damaged: it has \(size) bytes, its header says \(expected). Use another backup.")
            }
            guard acceptsUnverified else {
                throw refusal(
                    "has no checksum. `idp backup` has not made it, or the checksum was removed. \(option)")
            }
            return (.unsealed, size)
        case .sealed(.otherKey, _) where !acceptsUnverified:
            throw refusal(
                """
                was made with another IDP_SECRET_KEY, or by others. If that key is an old one of this IdP, add it to \
                the end of the list in IDP_SECRET_KEY. \(option)
                """)
        case .sealed(.unsigned, _) where !acceptsUnverified && !keys.isEmpty:
            throw refusal("was made without IDP_SECRET_KEY, so anybody can have made it. \(option)")
        case .sealed(let origin, let contentBytes): return (origin, contentBytes)
        }
    }
}

/// How long a database file is, by its first page (https://www.sqlite.org/fileformat.html, section 1.3).
private struct DatabaseHeader {
    let bytes: UInt64

    /// Nil for a file that does not begin like a database.
    init?(_ descriptor: CInt) {
        var head = [UInt8](repeating: 0, count: 32)
        guard pread(descriptor, &head, head.count, 0) == head.count, head.starts(with: "SQLite format 3\0".utf8) else {
            return nil
        }
        func number(_ range: Range<Int>) -> UInt64 { head[range].reduce(0) { $0 << 8 | UInt64($1) } }
        let pageSize = number(16..<18)
        // 1 stands for 65536.
        bytes = (pageSize == 1 ? 65536 : pageSize) * number(28..<32)
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
        // What a crashed process has left counts as well: the file alone is not whole.
        guard (Self.size(logPath) ?? 0) == 0, (Self.size(path + "-journal") ?? 0) == 0 else {
            throw .refused("\(path) has a log beside it, so it is a database in use. Make a backup of it first.")
        }
    }

    /// - Parameter open: opens the file, or a copy of it.
    fileprivate func checkContent(
        _ migrations: [Migration], _ open: (SQLiteOpening) throws -> SQLiteHandle
    ) throws(DatabaseError) {
        let opening = SQLiteOpening(file: self, migrator: Migrator(migrations: migrations), patience: .seconds(5))
        do { try opening.checkContent(of: try open(opening), "the backup \(path)") } catch {
            if let refusal = error as? DatabaseError, refusal.isRefusal { throw refusal }
            throw .refused("cannot restore the backup \(path): \(DatabaseError(error)).")
        }
    }

    /// Puts the draft into place and keeps the old file. There is a complete database at the path at any time, also after a failure. Only
    /// a kill between the last two steps leaves the old file without its log, and a file has one then only if it cannot be opened
    /// (`settled`).
    fileprivate func replace(with draft: FileDraft, keepingAs kept: String) throws(DatabaseError) -> String? {
        func fail(_ what: String) -> DatabaseError {
            .refused("cannot \(what): \(SQLiteFile.lastError).")
        }
        guard Self.identity(draft.path + "-wal") == nil else {
            throw .refused("the restored database could not be closed. Look at the disk.")
        }
        try draft.synchronise()
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
            guard rename(logPath, kept + "-wal") == 0 else {
                defer { unlink(kept) }
                throw fail("keep \(logPath) as \(kept)-wal")
            }
        }
        unlink(path + "-shm")
        guard rename(draft.path, path) == 0 else {
            let failure = fail("put the backup at \(path)")
            rename(kept + "-wal", logPath)
            if isThere { unlink(kept) }
            throw failure
        }
        Self.synchronise(folder: folder)
        return isThere ? kept : nil
    }
}
