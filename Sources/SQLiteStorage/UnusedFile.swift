import Foundation
import Storage

/// A database file that no other process uses, locked so that none can start to.
///
/// Takes SQLite's own locks without SQLite, because the file may be damaged. An open connection in WAL mode holds a shared
/// lock on these bytes. Source: https://www.sqlite.org/lockingv3.html and os.h, `PENDING_BYTE`.
final class UnusedFile: Sendable {
    let descriptor: Int32

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
