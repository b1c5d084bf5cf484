import Foundation
import GRDB

/// What is looked at before SQLite opens the file, so that a wrong path or a lost file is refused and never papered over.
extension SQLiteFile {
    /// Makes folder and file where there is none, refuses what cannot be a database of ours.
    ///
    /// - Throws: ``DatabaseFailure/refused(_:)``.
    func prepare() throws(DatabaseFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try makeFolder(folder)
        // In this order: another process that is just creating the database makes the file first and the log later.
        let hasLog = (Self.size(logPath) ?? 0) > 0
        if Self.size(path) != nil {
            try checkExisting()
        } else {
            if hasLog {
                throw refusal(
                    "it is missing, but its log \(logPath) is there",
                    "Put the file back, or move the log away to begin anew with an empty database")
            }
            try create(in: folder)
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw refusal("its folder is read-only", "Make \(folder) writable for this user")
        }
    }

    /// One line: the path, what is wrong, the way out.
    func refusal(_ problem: String, _ wayOut: String) -> DatabaseFailure {
        .refused("cannot use the database \(path): \(problem). \(wayOut).")
    }

    private func makeFolder(_ folder: String) throws(DatabaseFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw refusal("its folder cannot be made", "Create \(folder) or name another path")
        }
    }

    /// Refuses a file that is there and cannot be a database to write to.
    ///
    /// - Throws: ``DatabaseFailure/refused(_:)``.
    func checkExisting() throws(DatabaseFailure) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("it is not a file", "Name the path of a file")
        }
        guard status.st_size > 0 else {
            throw refusal("it is empty, 0 bytes", "Restore it from a backup, or move it away to begin anew")
        }
        guard access(path, R_OK | W_OK) == 0 else {
            throw refusal("it is read-only", "Make it readable and writable for this user")
        }
    }

    /// Makes the database under another name and links it into place whole, so that an empty file is never ours, and of two processes that
    /// start at once one makes it and the other finds it.
    private func create(in folder: String) throws(DatabaseFailure) {
        let draft = path + ".new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { for name in [draft, draft + "-wal", draft + "-shm"] { unlink(name) } }
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw refusal(
                "it cannot be created: \(String(cString: strerror(errno)))", "Make \(folder) writable for this user")
        }
        Foundation.close(descriptor)
        do {
            var configuration = Configuration()
            configuration.journalMode = .wal
            let draftQueue = try DatabaseQueue(path: draft, configuration: configuration)
            try draftQueue.close()
        } catch {
            throw refusal("it cannot be created: \(DatabaseFailure(sqlite: error))", "Look at the disk")
        }
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw refusal(
                "it cannot be created: \(String(cString: strerror(errno)))", "Make \(folder) writable for this user")
        }
        Self.synchronise(folder: folder)
    }

    /// Makes the new name durable, not only the file.
    static func synchronise(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Foundation.close(descriptor)
    }

    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
