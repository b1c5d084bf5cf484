import Foundation
import SSOWeb

/// The text of a settings file that is edited: what an operator wrote stays as it is, and the place of a setting is where it stood,
/// also as a comment.
struct SettingsText: Equatable {
    private(set) var text: String

    init(_ text: String) { self.text = text }

    /// Sets a value: in place of the line that has it, else of the one that shows it as a comment, else at the end.
    ///
    /// - Throws: ``SettingError`` for a value that systemd and this program would read in two ways, or as two settings.
    mutating func set(_ name: String, to value: String) throws(SettingError) {
        let line = "\(name)=\(try Self.quoted(value, of: name))"
        var lines = Self.lines(text)
        let places = lines.indices.filter { Self.name(in: lines[$0]) == name }
        let examples = lines.indices.filter { Self.name(in: String(lines[$0].drop { $0 == "#" })) == name }
        if let place = places.last ?? examples.first {
            lines[place] = line
        } else {
            if lines.last?.isEmpty == true { lines.removeLast() }
            lines += [line, ""]
        }
        text = lines.joined(separator: "\n")
    }

    /// Removes the lines that set a value.
    mutating func remove(_ name: String) {
        text = Self.lines(text).filter { Self.name(in: $0) != name }.joined(separator: "\n")
    }

    /// By scalar: "\r\n" is one Character.
    private static func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    /// Whether no line sets a value.
    func hasNo(_ name: String) -> Bool { Self.lines(text).allSatisfy { Self.name(in: $0) != name } }

    private static func name(in line: String) -> String? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        // As DotEnvFile reads it: `export`, and a byte order mark at the start of the file.
        let text = line[..<equals].trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"]))
        let name = text.hasPrefix("export ") ? text.dropFirst(7).trimmingCharacters(in: .whitespaces) : text
        return name.hasPrefix("#") ? nil : name
    }

    /// What is wrong with a value for a file of lines; nil when it fits. The text after a line break would be another setting.
    static func problem(with value: String) -> String? {
        let isControl: (Unicode.Scalar) -> Bool = { $0.properties.generalCategory == .control }
        guard value.unicodeScalars.contains(where: isControl) else { return nil }
        return "has a line break or another control character. Write the value on one line."
    }

    /// Plain where both readers take it so, else between quotation marks (systemd.exec(5), `EnvironmentFile=`).
    private static func quoted(_ value: String, of name: String) throws(SettingError) -> String {
        if let words = problem(with: value) { throw SettingError("\(name): \(words)") }
        let needsMarks = value.contains("\\") || value.hasPrefix("\"") || value.hasPrefix("'")
        guard needsMarks else { return value }
        guard !value.contains("'") else {
            throw SettingError("\(name): leave out the \\ or the ' of the value. No quotation marks can hold both.")
        }
        return "'\(value)'"
    }

    /// Writes the file in one step, readable for its owner alone.
    ///
    /// - Throws: ``SettingError``, and then the file is as it was.
    func write(to path: String) throws(SettingError) {
        // A link stays one: what it names is replaced.
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
        let path = isLink ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        let draft = "\(path).new"
        // One that is there may have another owner, or be open to others.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.synchronize()
            try handle.close()
        } catch {
            unlink(draft)
            throw Self.failure(path)
        }
        guard rename(draft, path) == 0 else {
            let failure = Self.failure(path)
            unlink(draft)
            throw failure
        }
    }

    private static func failure(_ path: String) -> SettingError {
        SettingError("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
