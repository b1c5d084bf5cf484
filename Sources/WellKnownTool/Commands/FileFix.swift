import Foundation
import Glibc
import WellKnown

/// Makes the edits of a local file's findings, and writes the file in one step.
struct FileFix {
    /// The bytes of the file afterwards.
    private(set) var body: [UInt8]
    private(set) var fixed = 0
    /// The reason why the file stays as it is.
    private(set) var untouched: String?

    /// - Parameters:
    ///   - ignored: findings that it leaves out are not mended.
    ///   - isWritten: whether the file is written. Otherwise only ``body`` has the edits.
    init(
        _ name: String, _ body: [UInt8], kind: AssociationKind, options: LintOptions, ignored: IgnoreList,
        isWritten: Bool
    ) {
        self.body = body
        untouched = Self.refusal(name) ?? AssociationFix.untouched(body, as: kind)
        guard untouched == nil else { return }
        var ignored = ignored
        let fix = AssociationFix(body, as: kind, options: options) { !ignored.kept([$0], in: name).findings.isEmpty }
        guard fix.body != body else { return }
        if isWritten, let failure = Self.replace(name, body, by: fix.body) {
            untouched = failure
            return
        }
        (self.body, fixed) = (fix.body, fix.fixed.count)
    }

    /// Why a file of this name is never written.
    private static func refusal(_ name: String) -> String? {
        guard name != "-" else { return "it is standard input" }
        var entry = stat()
        guard lstat(name, &entry) == 0 else { return "it cannot be opened" }
        switch entry.st_mode & S_IFMT {
        case S_IFREG: return entry.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH) == 0 ? "it is read-only" : nil
        case S_IFLNK: return "it is a symbolic link"
        default: return "it is no regular file"
        }
    }

    /// Writes a new file beside the old one, with its mode and owner, and renames it: readers see one of the two.
    ///
    /// - Returns: the reason why the file is not written. `nil` if it is.
    private static func replace(_ name: String, _ old: [UInt8], by new: [UInt8]) -> String? {
        func failure() -> String { "it cannot be written: \(String(cString: strerror(errno)))" }
        var entry = stat()
        guard stat(name, &entry) == 0, access(name, W_OK) == 0 else { return failure() }
        let temporary = name + "." + UUID().uuidString.prefix(8)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return failure() }
        defer { unlink(temporary) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        _ = fchown(file, entry.st_uid, entry.st_gid)
        guard fchmod(file, entry.st_mode & 0o777) == 0, (try? handle.write(contentsOf: new)) != nil, fsync(file) == 0
        else { return failure() }
        guard let now = try? InputBytes.read(name), now.elementsEqual(old) else { return "it was changed meanwhile" }
        return rename(temporary, name) == 0 ? nil : failure()
    }
}
