import Foundation
public import SSOShared
public import Storage

extension SQLiteDatabase {
    /// Writes a consistent copy of the database at `path` into a new file, while other processes use it. On return the
    /// copy is durable and checked, and only its owner can read it. Its last line is a ``BackupSeal``.
    ///
    /// - Parameter keys: prove later who has made the backup. Nil where no key is set.
    /// - Returns: the size of the copy in bytes.
    /// - Throws: ``DatabaseError/refused(_:)`` when the database is missing or not ours, or the file exists or cannot be
    ///   written.
    public static func backup(
        path: String, migrations: [Migration], keys: DerivedKeys?, to target: String
    ) async throws(DatabaseError) -> Int {
        let copy = SQLiteCopy(from: SQLiteFile(path: path), migrator: Migrator(migrations: migrations))
        return try await BlockingWork.run { () throws(DatabaseError) in
            guard SQLiteFile.identity(path) != nil else {
                throw .refused("there is no database at \(path). Give the one of the IdP in IDP_DATABASE_URL.")
            }
            guard SQLiteFile.identity(target) == nil else {
                throw .refused("cannot back up into \(target): it exists already. Name a new file.")
            }
            let draft = FileDraft(beside: target)
            defer { draft.remove() }
            try copy.write(into: draft)
            try draft.seal(with: BackupSeal(keys))
            // A link fails when the name is taken. A rename would overwrite the file.
            guard link(draft.path, target) == 0 else {
                throw .refused("cannot back up into \(target): \(SQLiteFile.lastError).")
            }
            SQLiteFile.synchronise(folder: URL(fileURLWithPath: target).deletingLastPathComponent().path)
            return SQLiteFile.size(target).map(Int.init) ?? 0
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
    /// Source: https://www.sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause
    func write(into draft: FileDraft) throws(DatabaseError) {
        do {
            _ = try source.exists(isOnlyRead: true)
            try opening.withReader { original in
                // What a run before this one has left.
                draft.remove()
                try draft.create()
                // Another program's database is not a backup of ours, and a newer version's could not be read.
                _ = try opening.missingSteps(original)
                try original.statement("VACUUM INTO :path").run(["path": .text(draft.path)]) { _ in }
            }
            try opening.checkContent(of: try draft.opened(), "the database \(source.path)")
        } catch {
            if let refusal = error as? DatabaseError, refusal.isRefusal { throw refusal }
            throw .refused("cannot copy the database \(source.path): \(DatabaseError(error)).")
        }
    }
}

extension SQLiteOpening {
    /// Checks that a copy is whole, and that it has the tables and indexes of its steps and nothing else.
    ///
    /// - Parameters:
    ///   - copy: is closed afterwards.
    ///   - name: what it is a copy of, for the error.
    /// - Throws: ``DatabaseError/refused(_:)``, or ``SQLiteError`` for a file that is not a database.
    func checkContent(of copy: SQLiteHandle, _ name: String) throws {
        defer { copy.close() }
        // Before the schema is checked, nothing in it may call a function with an effect.
        try copy.run("PRAGMA trusted_schema = OFF")
        let known = try missingSteps(copy) ?? migrator.migrations.count
        let differences = try SchemaCheck(migrator.migrations.prefix(known)).differences(copy)
        guard differences.isEmpty else {
            throw DatabaseError.refused(
                """
                \(name) has a schema that its steps do not make: \(differences.prefix(10).joined(separator: ", ")). Remove what is \
                not ours with sqlite3, after you know where it comes from.
                """)
        }
        let verdict = try copy.text("PRAGMA integrity_check(1)")
        guard verdict == "ok" else {
            throw DatabaseError.refused("\(name) is damaged: \(verdict ?? "no verdict").")
        }
    }
}

extension FileDraft {
    /// Opens the database that lies here.
    func opened() throws -> SQLiteHandle {
        let handle = try SQLiteHandle(path: path, .readWrite)
        try handle.prepare("")
        return handle
    }

    /// Appends the last line of a backup.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` unless all of the file is on the disk.
    fileprivate func seal(with seal: BackupSeal) throws(DatabaseError) {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("cannot write \(path): \(SQLiteFile.lastError).") }
        defer { close(descriptor) }
        guard let size = SQLiteFile.size(path), let digest = SHA256.hash(file: descriptor, count: UInt64(size)) else {
            throw .refused("cannot read \(path): \(SQLiteFile.lastError).")
        }
        let line = seal.line(for: digest)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            throw .refused("cannot write \(path): \(SQLiteFile.lastError).")
        }
    }
}
