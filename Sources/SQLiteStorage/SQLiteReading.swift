import Foundation
package import Storage

/// Reads a database file and leaves no trace, also where nothing can be written.
extension SQLiteOpening {
    /// Opens the file read-only.
    ///
    /// A file with a log is in use, or its last user crashed, and the log counts. A file without one is complete. It is opened as
    /// immutable, so that SQLite does not create a log. Source: https://www.sqlite.org/uri.html, `immutable`.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` for a log that SQLite cannot read here: without it the data would be old.
    func readOnly() throws -> SQLiteHandle {
        guard hasLog else { return try immutable() }
        // The index of the log is made again from it, but only where SQLite can make a file.
        // Source: https://www.sqlite.org/wal.html#readonly
        guard SQLiteFile.identity(file.indexPath) != nil || access(file.folder, W_OK | X_OK) == 0 else {
            throw file.refusal(
                "its log \(file.logPath) holds changes, and cannot be read without \(file.indexPath), which cannot be made here",
                "Copy the database and its log to a folder that this user can write to, and name the copy")
        }
        for path in [file.logPath, file.indexPath] where SQLiteFile.identity(path) != nil && access(path, R_OK) != 0 {
            throw file.refusal("\(path) holds changes of it, and cannot be read", "Make it readable for this user")
        }
        return try inspected(.readOnly)
    }

    /// Opens a file that nobody writes to, such as a backup. SQLite takes no lock, and makes no file beside it.
    func immutable() throws -> SQLiteHandle { try inspected(.immutable) }

    private func inspected(_ access: SQLiteHandle.Access) throws -> SQLiteHandle {
        let reader = try SQLiteHandle(path: file.path, access, patience: .seconds(2))
        try reader.prepare("")
        return reader
    }

    /// Lets `body` read the file. Runs it again when another process has begun to use a file that was read as immutable.
    ///
    /// - Throws: what `body` throws; ``DatabaseError/refused(_:)`` when the file cannot be read.
    func withReader<T>(_ body: (SQLiteHandle) throws -> T) throws -> T {
        for _ in 1...3 {
            let state = hasLog ? nil : FileState(file)
            let reader: SQLiteHandle
            do {
                try file.checkJournal()
                reader = try readOnly()
            } catch {
                throw refusal(error, isOnlyRead: true)
            }
            let result = Result { try body(reader) }
            reader.close()
            // SQLite's locks see to it that a file with a log is read as of one moment.
            guard let state, state != FileState(file) else { return try result.get() }
        }
        throw file.refusal("another process begins and ends to use it again and again", "Try it again later")
    }

    /// Whether SQLite has to look at the log. An empty one counts while it is in use, and then its index is there.
    private var hasLog: Bool {
        guard let size = SQLiteFile.size(file.logPath) else { return false }
        return size > 0 || SQLiteFile.identity(file.indexPath) != nil
    }

}

/// What changes when another process begins to use a file that had no log, or has used it meanwhile.
private struct FileState: Equatable {
    private let identity: SQLiteFile.Identity?
    private let log: SQLiteFile.Identity?
    private let content: [Int]

    init(_ file: SQLiteFile) {
        var status = stat()
        content =
            stat(file.path, &status) == 0
            ? [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec] : []
        (identity, log) = (SQLiteFile.identity(file.path), SQLiteFile.identity(file.logPath))
    }
}

extension SQLiteFile {
    /// The index of the log, which all connections share.
    fileprivate var indexPath: String { path + "-shm" }

    /// - Throws: ``DatabaseError/refused(_:)`` for a file that SQLite would first have to write to.
    fileprivate func checkJournal() throws(DatabaseError) {
        let journal = path + "-journal"
        guard (Self.size(journal) ?? 0) == 0 else {
            throw refusal(
                "a change to it was broken off, and \(journal) takes it back",
                "Start this version on it, or on a copy of both files where this user can write, and stop it")
        }
    }
}

/// ``Database`` in a file that is only read. Each call opens the file again, so that it sees what is then there: for commands.
final class SQLiteReader: Database {
    private let opening: SQLiteOpening

    /// - Parameter step: the last step that is needed; all of them by default.
    /// - Throws: ``DatabaseError/refused(_:)`` for a file that is missing, newer, not ours, damaged, or lacks steps of the schema.
    init(_ opening: SQLiteOpening, upTo step: String? = nil) throws(DatabaseError) {
        self.opening = opening
        guard SQLiteFile.identity(opening.file.path) != nil else {
            throw .refused("there is no database at \(opening.file.path).")
        }
        let missing = try opening.inspect(isOnlyRead: true)
        guard step.map({ !missing.contains($0) }) ?? missing.isEmpty else {
            throw opening.file.refusal(
                "it lacks steps of the schema that this version has",
                "Start this version on it once, or use the version that wrote it")
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let result: Result<T, any Error> = try await BlockingWork.run { [opening] () throws(DatabaseError) in
            Result { try opening.withReader { try Self.read(body, $0) } }
        }
        return try result.get()
    }

    /// Runs `body` in one transaction, so that all its statements see the same snapshot.
    private static func read<T>(_ body: (any SQLConnection) throws -> T, _ reader: SQLiteHandle) throws -> T {
        let connection = SQLiteConnection(reader)
        do {
            try reader.run("PRAGMA temp_store = MEMORY")
            try connection.execute("BEGIN")
        } catch {
            throw DatabaseError(error).asUnavailable
        }
        defer { _ = try? connection.execute("ROLLBACK") }
        return try body(connection)
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        throw isOnlyRead
    }

    func checkReady() async throws(DatabaseError) { throw isOnlyRead }

    func close() async {}

    private var isOnlyRead: DatabaseError { .misuse("\(opening.file.path) was opened to be read only") }
}

extension SQLiteDatabase {
    /// Opens the database at `path` for a command that only reads. The file may lie where nothing can be written.
    ///
    /// - Parameter step: the last step that is needed; all of them by default.
    /// - Throws: ``DatabaseError/refused(_:)`` for a file that is missing, newer, not ours, damaged, or lacks steps of the schema,
    ///   and for a log that cannot be read.
    package static func openToRead(
        path: String, migrations: [Migration], upTo step: String? = nil
    ) async throws(DatabaseError) -> any Database {
        let opening = SQLiteOpening(
            file: SQLiteFile(path: path), migrator: Migrator(migrations: migrations), patience: patience)
        return try await BlockingWork.run { () throws(DatabaseError) in try SQLiteReader(opening, upTo: step) }
    }

    /// Whether this user can write to the file at `path` and beside it.
    package static func isWritable(path: String) -> Bool {
        access(path, W_OK) == 0 && access(SQLiteFile(path: path).folder, W_OK | X_OK) == 0
    }
}
