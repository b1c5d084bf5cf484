import Foundation
import Synchronization

/// The database file and its log as they lie in the folder: made once with tight modes, and watched from then on.
///
/// Looks with `stat` alone. Opening and closing the file by hand would drop SQLite's locks on it: POSIX locks belong to the process, and
/// any close of the file releases them all ("How To Corrupt An SQLite Database File", 2.2).
final class SQLiteFile: Sendable {
    /// Which file a name stands for.
    struct Identity: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    let path: String
    private let opened = Mutex<(file: Identity?, log: Identity?)>((nil, nil))

    var logPath: String { path + "-wal" }

    init(path: String) { self.path = path }

    /// Remembers what is there now as ours.
    func remember() {
        opened.withLock { $0 = (Self.identity(path), Self.identity(logPath)) }
    }

    /// The file and its log are still those that were opened: costs two `stat`.
    ///
    /// SQLite goes on for hours on a deleted file, and every commit in it would be lost at the next start.
    /// - Throws: `unavailable` until the same files are back.
    func checkUnchanged() throws(DatabaseFailure) {
        let (file, log) = opened.withLock { $0 }
        guard let file else { return }
        guard let now = Self.identity(path) else { throw .unavailable("\(path) has vanished") }
        guard now == file else { throw .unavailable("\(path) was replaced by another file while in use") }
        guard Self.identity(logPath) == log else {
            throw .unavailable("\(logPath) was removed or replaced while in use")
        }
    }

    /// Takes reading and writing from everybody but the owner: sessions and addresses are in there.
    func tightenModes() {
        for name in [path, logPath, path + "-shm"] { chmod(name, 0o600) }
    }

    /// What lies under `path`, nil when nothing can be found there.
    static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
