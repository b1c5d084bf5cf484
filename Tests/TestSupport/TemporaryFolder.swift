import Foundation
import Glibc

/// A folder for one test, deleted with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let root = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(root)/swift-sso-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ProbeFailure("no temporary folder under \(root): errno \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

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
