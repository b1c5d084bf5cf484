import Foundation
package import Storage

/// A file as one end of a copy between databases (`idp database copy`).
extension SQLiteDatabase {
    /// Lets `body` read the file, which no other process uses, or can begin to use meanwhile. Then marks it as moved.
    ///
    /// - Parameter target: where it moves to; nil for a source that goes on.
    /// - Throws: ``DatabaseError/refused(_:)`` for a file that is missing, in use, not ours, or of another step of the schema.
    package static func copySource(
        path: String, migrations: [Migration], movingTo target: String?, _ body: CopyBody
    ) throws(DatabaseError) -> ([CopiedTable], CopiedSource) {
        guard exists(path: path) else { throw .refused("there is no database at \(path).") }
        return try SQLiteCopyEnd(path: path, migrations: migrations).copy(movingTo: target, body)
    }

    /// Takes the mark of a copy from the file, which no other process uses.
    ///
    /// - Returns: whether there was one.
    package static func unmark(path: String) throws(DatabaseError) -> Bool {
        guard exists(path: path) else { throw .refused("there is no database at \(path).") }
        return try SQLiteCopyEnd(path: path, migrations: []).unmark()
    }

    /// - Throws: ``DatabaseError/refused(_:)`` where another process uses the file.
    package static func checkUnused(path: String) throws(DatabaseError) { try UnusedFile(path)?.release() }

    /// Lets `body` fill the file. Makes it if it is missing; then it appears under its name when all of it is on the disk.
    ///
    /// - Throws: what `body` throws, and as ``copySource(path:migrations:_:)``. Then the file is as it was.
    package static func copyTarget(
        path: String, migrations: [Migration], _ body: CopyBody
    ) throws(DatabaseError) -> [CopiedTable] {
        let end = SQLiteCopyEnd(path: path, migrations: migrations)
        return try end.file.exists() ? end.use(body) : end.create(body)
    }
}

private struct SQLiteCopyEnd {
    let file: SQLiteFile
    let opening: SQLiteOpening
    private let migrator: Migrator

    init(path: String, migrations: [Migration]) {
        (file, migrator) = (SQLiteFile(path: path), Migrator(migrations: migrations))
        opening = SQLiteOpening(file: file, migrator: migrator, patience: .seconds(5))
    }

    /// Reads the file, and marks it.
    func copy(
        movingTo target: String?, _ body: CopyBody
    ) throws(DatabaseError) -> ([CopiedTable], CopiedSource) {
        var source = CopiedSource.kept
        var copied: [CopiedTable]?
        let reason = whyReadOnly()
        do throws(DatabaseError) {
            let tables = try use(isReadOnly: reason != nil) { connection throws(DatabaseError) in
                let tables = try body(connection)
                copied = tables
                if let target {
                    source = reason.map { .unmarked($0) } ?? .marked
                    if reason == nil { try MovedDatabase.mark(target, connection) }
                }
                return tables
            }
            return (tables, source)
        } catch {
            // The target is complete: no mark and no COMMIT of the source that fails undoes it.
            guard let copied else { throw error }
            return (copied, target == nil ? .kept : .unmarked("\(error)"))
        }
    }

    /// Why the file cannot be marked; nil if it can.
    private func whyReadOnly() -> String? {
        guard SQLiteDatabase.isWritable(path: file.path) else {
            return "it cannot be written"
        }
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "it cannot be read" }
        defer { close(descriptor) }
        let size = UInt64(SQLiteFile.size(file.path) ?? 0)
        return BackupSeal(nil).verdict(on: descriptor, size: size) == .missing ? nil : "it is a backup"
    }

    func unmark() throws(DatabaseError) -> Bool {
        try UnusedFile(file.path)?.release()
        var wasMarked = false
        do {
            _ = try run(at: file.path, isExclusive: true) { _, connection in
                guard try connection.tables().contains("schema_migration") else {
                    throw file.refusal("its tables are not ours", "Name another path")
                }
                wasMarked = try MovedDatabase.unmark(connection)
                return []
            }
        } catch let error as SQLiteError {
            throw opening.refusal(error)
        } catch {
            throw DatabaseError(error)
        }
        return wasMarked
    }

    /// Uses the file that is there.
    ///
    /// - Parameter isReadOnly: for a file that must stay as it is, byte for byte.
    func use(isReadOnly: Bool = false, _ body: CopyBody) throws(DatabaseError) -> [CopiedTable] {
        if !isReadOnly { try UnusedFile(file.path)?.release() }
        guard try opening.inspect(isOnlyRead: isReadOnly).isEmpty else {
            throw file.refusal(
                "it lacks steps of the schema that this version has", "Start this version on it once, and stop it")
        }
        do {
            return try run(at: file.path, isExclusive: true, isReadOnly: isReadOnly) { handle, connection in
                let differences = try SchemaCheck(migrator.migrations[...]).differences(handle)
                guard differences.isEmpty else {
                    throw file.refusal(
                        "it has a schema that its steps do not make (\(differences.prefix(10).joined(separator: ", ")))",
                        "Remove what is not ours")
                }
                return try body(connection)
            }
        } catch let error as SQLiteError {
            throw opening.refusal(error)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Makes the file, under another name until it is complete.
    func create(_ body: CopyBody) throws(DatabaseError) -> [CopiedTable] {
        try file.checkCreatable()
        try? FileManager.default.createDirectory(
            atPath: file.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let draft = FileDraft(beside: file.path)
        defer { draft.remove() }
        try draft.create()
        let tables: [CopiedTable]
        do {
            tables = try run(at: draft.path, isExclusive: false) { _, connection in
                try migrator.apply(from: 0, on: .sqlite, connection)
                return try body(connection)
            }
        } catch {
            throw DatabaseError(error)
        }
        try draft.synchronise()
        // A link fails when the name is taken. A rename would overwrite the file.
        guard link(draft.path, file.path) == 0 else {
            throw file.refusal("it cannot be created: \(SQLiteFile.lastError)", "Name another path")
        }
        SQLiteFile.synchronise(folder: file.folder)
        return tables
    }

    /// Runs `body` in one transaction.
    ///
    /// - Parameter isExclusive: keeps all other processes away. In WAL mode a connection has a shared lock as long as it is open,
    ///   so this fails while there is another. Source: https://www.sqlite.org/wal.html, "Use of WAL Without Shared-Memory".
    private func run(
        at path: String, isExclusive: Bool, isReadOnly: Bool = false,
        _ body: (SQLiteHandle, SQLiteCopyConnection) throws -> [CopiedTable]
    ) throws -> [CopiedTable] {
        let handle = isReadOnly ? try opening.readOnly() : try writable(path, isExclusive: isExclusive)
        defer { handle.close() }
        let connection = SQLiteCopyConnection(SQLiteConnection(handle))
        try connection.execute(isReadOnly ? "BEGIN" : "BEGIN IMMEDIATE")
        do {
            let tables = try body(handle, connection)
            try connection.execute("COMMIT")
            return tables
        } catch {
            _ = try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private func writable(_ path: String, isExclusive: Bool) throws -> SQLiteHandle {
        let handle = try SQLiteHandle(path: path, .readWrite, patience: .seconds(1))
        // Before the schema is checked, nothing in it may call a function with an effect.
        try handle.prepare(
            """
            PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
            \(isExclusive ? "PRAGMA locking_mode = EXCLUSIVE" : "")
            """)
        return handle
    }
}

private struct SQLiteCopyConnection: CopyConnection {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    func afterCommit(_ action: @escaping CommitAction) { connection.afterCommit(action) }

    func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
        try connection.query(sql, values)
    }

    func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
        try connection.forEachRow(sql, values, body)
    }

    func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
        try connection.execute(sql, values)
    }

    func tables() throws(DatabaseError) -> Set<String> {
        try names("SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'")
    }

    func columns(of table: String) throws(DatabaseError) -> [CopiedColumn] {
        try columns(of: table, "SELECT name, type, pk AS place FROM pragma_table_info(:name) ORDER BY cid")
    }

    /// SQLite's own conversion would cut a text at a NUL byte and repair bytes that are not UTF-8.
    func expression(for column: CopiedColumn) -> String {
        column.type == .text ? "CAST(\(column.name) AS BLOB)" : column.name
    }

    /// SQLite keeps a value of any type in any column.
    func misfit(of column: CopiedColumn) -> String? {
        let name = column.name
        return switch column.type {
        case .integer: "typeof(\(name)) NOT IN ('integer', 'null')"
        case .text: "typeof(\(name)) NOT IN ('text', 'null') OR instr(CAST(\(name) AS BLOB), x'00') > 0"
        case .blob: "typeof(\(name)) NOT IN ('blob', 'null')"
        }
    }
}
