import Foundation
import GRDB

/// Looks whether a database could be opened, without making, changing or leaving anything: for `check`.
extension SQLiteOpening {
    /// - Throws: ``DatabaseFailure/refused(_:)`` with what opening it would say.
    func inspect() throws(DatabaseFailure) {
        guard try file.isThere() else { return }
        do {
            try looking { reader in
                try SQLiteSoundness(reader: reader).check()
                _ = try reader.unsafeRead { try stepsMissing(migrator.applied(SQLiteConnection($0))) }
            }
        } catch {
            throw refusal(error)
        }
    }

    /// Opens the file for a look that leaves no trace.
    func looking(_ look: (any DatabaseReader) throws -> Void) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "inspection"
        configuration.busyMode = .timeout(2)
        let reader = try DatabaseQueue(path: address, configuration: configuration)
        defer { try? reader.close() }
        try look(reader)
    }

    /// A log beside the file: a program has it open, or died with it, and what the log holds counts. Without one the file
    /// is whole by itself, and is opened as one that does not change, so that no log is made for it.
    /// Source: SQLite, "URI Filenames", `immutable`.
    private var address: String {
        guard SQLiteFile.identity(file.logPath) == nil else { return file.path }
        let path = file.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? file.path
        let isAbsolute = path.hasPrefix("/")
        return "file:\(isAbsolute ? path : "./" + path)?immutable=1"
    }
}

extension SQLiteFile {
    /// Whether the file is there; when it is not, whether it could be made.
    ///
    /// - Throws: ``DatabaseFailure/refused(_:)``.
    fileprivate func isThere() throws(DatabaseFailure) -> Bool {
        if Self.identity(path) != nil {
            try checkExisting()
            return true
        }
        if Self.identity(logPath) != nil {
            throw refusal(
                "it is missing, but its log \(logPath) is there",
                "Put the file back, or move the log away to begin anew with an empty database")
        }
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while Self.identity(folder) == nil, folder != "/", !folder.isEmpty {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(folder, W_OK | X_OK) == 0 else {
            throw refusal("it cannot be made below \(folder)", "Make that a folder which this user may write to")
        }
        return false
    }
}

extension SQLiteDatabase {
    /// Says whether the database at `path` could be opened, and leaves everything as it is.
    ///
    /// - Throws: ``DatabaseFailure/refused(_:)`` with the line that opening it would end with.
    public static func inspect(path: String, migrations: [Migration]) async throws(DatabaseFailure) {
        let opening = SQLiteOpening(
            file: SQLiteFile(path: path), migrator: Migrator(migrations: migrations),
            busy: BusyWait(patience: .seconds(2)))
        try await offPool { () throws(DatabaseFailure) in try opening.inspect() }
    }
}
