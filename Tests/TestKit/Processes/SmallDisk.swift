import Foundation
import Glibc

/// A file system of a few kilobytes in memory, to test a full disk. Needs permission to mount.
final class SmallDisk: Sendable {
    /// Tried once: a container may refuse it to root.
    static let canMount: Bool = (try? SmallDisk(kilobytes: 64)) != nil

    private let folder: TemporaryFolder
    var path: String { folder.path }

    init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            throw ProbeFailure("cannot mount: errno \(errno)")
        }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    func remount(_ options: String) throws {
        let readOnly = options == "ro" ? UInt(MS_RDONLY) : 0
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT) | readOnly, nil) == 0 else {
            throw ProbeFailure("cannot remount: errno \(errno)")
        }
    }

    /// Makes it the user's under whom root runs PostgreSQL.
    func giveToNobody() throws {
        guard chown(path, 65_534, 65_534) == 0 else { throw ProbeFailure("cannot change the owner: errno \(errno)") }
    }

    /// Fills the remaining space and returns the path of the file that fills it.
    func fill() throws -> String {
        let ballast = path + "/ballast"
        let descriptor = open(ballast, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ProbeFailure("cannot create the ballast: errno \(errno)") }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 1_024)
        while write(descriptor, block, block.count) > 0 {}
        return ballast
    }
}

/// A folder once more, under a path at which nothing can be written, as a container has it: processes can use it at both paths.
final class ReadOnlyView: Sendable {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    /// - Throws: `ProbeFailure` where ``SmallDisk/canMount`` is false.
    init(of original: String) throws {
        folder = try TemporaryFolder()
        guard mount(original, folder.path, nil, UInt(MS_BIND), nil) == 0,
            mount(nil, folder.path, nil, UInt(MS_BIND) | UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0
        else { throw ProbeFailure("cannot mount: errno \(errno)") }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }
}
