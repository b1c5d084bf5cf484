import Foundation
import Glibc

/// A folder for one test, deleted with the test.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter inMemory: keeps the files in memory where there is room: a commit then waits for no disk. For tests
    ///   whose subject is neither a disk nor a process.
    init(inMemory: Bool = false) throws {
        let root = inMemory && Self.hasMemory ? Self.memory : ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(root)/swift-sso-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ProbeFailure("no temporary folder under \(root): errno \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let memory = "/dev/shm"

    /// Whether the file system in memory has a gigabyte left, ten times what a run of all tests keeps at once. Docker's has
    /// 64 MB by default. Looked at once.
    private static let hasMemory: Bool = {
        var room = statvfs()
        return statvfs(memory, &room) == 0 && access(memory, W_OK) == 0
            && UInt64(room.f_bavail) * UInt64(room.f_frsize) >= 1 << 30
    }()

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside, existing or not.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// A folder inside, made when missing.
    func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(of: name), withIntermediateDirectories: true)
        return path(of: name)
    }

    /// Writes `text` to `name` and returns the path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(of: name)))
        return path(of: name)
    }

    /// The text of `name`, empty when the file does not exist yet.
    func text(of name: String) -> String {
        guard let data = FileManager.default.contents(atPath: path(of: name)) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension TemporaryFolder {
    /// Runs a command in this folder to its end. Its output is in two files with that name.
    /// - Throws: `ProbeFailure` with its standard error when it fails.
    func run(_ program: String, _ arguments: [String], named name: String) async throws {
        for kind in ["out", "err"] { try? FileManager.default.removeItem(atPath: self.path(of: "\(name).\(kind)")) }
        let child = try ChildProcess(
            program, arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], folder: path,
            standardOutput: self.path(of: "\(name).out"), standardError: self.path(of: "\(name).err"))
        let exit = try await child.waitForExit()
        guard exit == .code(0) else {
            throw ProbeFailure("\(program): \(exit) \(text(of: "\(name).out"))\(text(of: "\(name).err"))")
        }
    }
}
