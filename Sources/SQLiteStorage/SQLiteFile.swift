import Foundation
import Storage
import Synchronization

/// The database file and its log in their folder: checked before they are opened, created with tight modes, watched afterwards.
///
/// Uses `stat` only. Opening and closing the file here would drop SQLite's locks: POSIX locks belong to the process, and
/// closing any descriptor of the file releases them all. Source: https://www.sqlite.org/howtocorrupt.html, 2.2.
final class SQLiteFile: Sendable {
    /// Which file a name stands for.
    struct Identity: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    private struct Opened {
        let file, log: Identity?
        var lastCheck: ContinuousClock.Instant?
    }

    let path: String
    var logPath: String { path + "-wal" }
    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }
    private let opened = Mutex<Opened?>(nil)

    init(path: String) { self.path = path }

    // MARK: - Before it is opened

    /// Whether the file exists. A log without its file is refused: its writes would be lost.
    ///
    /// - Parameter isOnlyRead: whether the file may be one that this user cannot write to.
    /// - Throws: ``DatabaseError/refused(_:)`` also for what cannot be a database that we may use.
    func exists(isOnlyRead: Bool = false) throws(DatabaseError) -> Bool {
        // In this order: another process that creates the database makes the file first and the log later.
        let hasLog = (Self.size(logPath) ?? 0) > 0
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard !hasLog else {
                throw refusal(
                    "it is missing, but its log \(logPath) is there",
                    "Put the file back, or move the log away to start with an empty database")
            }
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("it is not a file", "Name the path of a file")
        }
        guard status.st_size > 0 else {
            throw refusal(
                "it is empty, 0 bytes", "Restore it from a backup, or move it away to start with an empty one")
        }
        guard !isOnlyRead || access(path, R_OK) == 0 else {
            throw refusal("it cannot be read", "Make it readable for this user")
        }
        guard isOnlyRead || access(path, R_OK | W_OK) == 0 else {
            guard errno != EROFS else {
                throw refusal("its file system is mounted read-only", "Mount it writable, or name another path")
            }
            throw refusal("it is read-only", "Make it readable and writable for this user")
        }
        return true
    }

    /// Creates the folder and an empty database. It is made under another name and linked, so that no process ever sees an
    /// empty file, and of two processes that start at once one creates it and the other finds it.
    func create() throws(DatabaseError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw refusal("its folder cannot be made", "Create \(folder) or name another path")
        }
        let draft = FileDraft(beside: path)
        defer { draft.remove() }
        guard (try? draft.create()) != nil else {
            throw refusal("it cannot be created: \(Self.lastError)", "Make \(folder) writable for this user")
        }
        do {
            let handle = try SQLiteHandle(path: draft.path, .readWrite)
            try handle.startLog(at: draft.path)
            handle.close()
        } catch {
            throw refusal("it cannot be created: \(DatabaseError(error))", "Look at the disk")
        }
        guard link(draft.path, path) == 0 || errno == EEXIST else {
            throw refusal("it cannot be created: \(Self.lastError)", "Make \(folder) writable for this user")
        }
        Self.synchronise(folder: folder)
    }

    /// Checks whether ``create()`` could succeed, without creating anything.
    func checkCreatable() throws(DatabaseError) {
        var folder = folder
        while Self.identity(folder) == nil, folder != "/", !folder.isEmpty {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(folder, W_OK | X_OK) == 0 else {
            throw refusal("it cannot be made below \(folder)", "Make that a folder which this user may write to")
        }
    }

    /// Checks that the log can be made beside the file.
    func checkFolder() throws(DatabaseError) {
        guard access(folder, W_OK | X_OK) == 0 else {
            throw refusal("its folder is read-only", "Make \(folder) writable for this user")
        }
    }

    /// One line: the path, what is wrong, what to do.
    func refusal(_ problem: String, _ remedy: String) -> DatabaseError {
        .refused("cannot use the database \(path): \(problem). \(remedy).")
    }

    // MARK: - While it is open

    /// Remembers the present file and log as the opened ones.
    func remember() {
        opened.withLock { $0 = Opened(file: Self.identity(path), log: Self.identity(logPath)) }
    }

    /// Checks that the file and its log are still the opened ones, unless that was checked within `maximumAge`.
    ///
    /// SQLite continues to write to a deleted file, and all of that would be lost at the next start.
    /// - Throws: `unavailable`, until the same files are back.
    func checkUnchanged(maximumAge: Duration = .seconds(1)) throws(DatabaseError) {
        try opened.withLock { opened throws(DatabaseError) in
            guard let now = opened else { return }
            if let last = now.lastCheck, ContinuousClock.now - last < maximumAge { return }
            opened?.lastCheck = nil
            guard let file = Self.identity(path) else { throw .unavailable("\(path) has vanished") }
            guard file == now.file else { throw .unavailable("\(path) was replaced by another file while in use") }
            guard Self.identity(logPath) == now.log else {
                throw .unavailable("\(logPath) was removed or replaced while in use")
            }
            opened?.lastCheck = .now
        }
    }

    /// Whether ``checkUnchanged(maximumAge:)`` has succeeded within ten seconds. Never waits.
    var isChecked: Bool {
        opened.withLockIfAvailable { opened in
            guard let opened else { return true }
            return opened.lastCheck.map { ContinuousClock.now - $0 < .seconds(10) } ?? false
        } ?? false
    }

    /// Lets only the owner read and write: the files hold sessions and addresses.
    func tightenModes() {
        for name in [path, logPath, path + "-shm"] { chmod(name, 0o600) }
    }

    // MARK: - Names in the file system

    /// Which file `path` stands for, nil when there is none.
    static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Makes a new name in the folder durable. Syncing the file alone does not.
    static func synchronise(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// What the last failed system call says.
    static var lastError: String { String(cString: strerror(errno)) }
}

/// A file under construction, in the folder of its later name.
struct FileDraft: Sendable {
    let path: String

    init(path: String) { self.path = path }

    init(beside target: String) {
        path = target + ".new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    }

    /// Removes the draft and its SQLite files. A draft that was renamed is no longer there.
    func remove() { for name in [path, path + "-wal", path + "-shm", path + "-journal"] { unlink(name) } }

    /// Creates the empty file. Only its owner can read it.
    func create() throws(DatabaseError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .refused("cannot write \(path): \(SQLiteFile.lastError).") }
        close(descriptor)
    }

    /// - Throws: ``DatabaseError/refused(_:)`` unless all of it is on the disk.
    func synchronise() throws(DatabaseError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("cannot read \(path): \(SQLiteFile.lastError).") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .refused("cannot write \(path): \(SQLiteFile.lastError).") }
    }
}
