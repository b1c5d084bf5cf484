import Foundation
import SSOShared

/// Strict parser of a `.env` file: lines `NAME=VALUE` or `export NAME=VALUE`, comments (`#`) and empty lines.
///
/// The settings file of a service is read by systemd, too, as its `EnvironmentFile=` (systemd.exec(5)). A line that systemd
/// reads in another way is a problem there: a command would have another setting than the service.
///
/// The reader of swift-configuration skips invalid lines without a message and keeps quotation marks. A skipped line
/// would silently leave a default in force.
///
/// Blanks around a value are removed, and one pair of quotation marks. Between double ones `\"` and `\\` mean `"` and
/// `\`. Nothing is expanded, and a `#` after a value belongs to it.
struct DotEnvFile: Sendable {
    /// Value by name. Of a name that appears twice, the first value.
    private(set) var values: [String: String] = [:]
    /// Line number by name, counted from 1.
    private(set) var lines: [String: Int] = [:]
    /// What is invalid, with file and line. Never the text of the line: it may be a secret.
    private(set) var problems: [String] = []
    private(set) var warnings: [String] = []
    /// Whether none of it could be read, so that what is missing may be in it.
    private(set) var isUnreadable = false

    private static let maximumBytes = 1 << 20

    /// - Parameters:
    ///   - path: a file that may be missing.
    ///   - isOfService: whether systemd reads the file as well.
    init(path: String, isOfService: Bool = false) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        guard let bytes = BoundedFile.read(path, upTo: Self.maximumBytes) else {
            problems.append("\(path): cannot be read. It must be a readable file of at most 1 MiB.")
            isUnreadable = true
            return
        }
        defer { warnings += [Self.accessWarning(path, values, isOfService: isOfService)].compactMap(\.self) }
        guard let text = Entered.file(bytes), !bytes.contains(0) else {
            isUnreadable = true
            let line = bytes.firstIndex(of: 0).map { bytes[..<$0].count { $0 == UInt8(ascii: "\n") } + 1 }
            problems.append(
                line.map { "\(path):\($0): has a NUL byte. Save the file as text in UTF-8." }
                    ?? "\(path): is not text in UTF-8. Save it as UTF-8.")
            return
        }
        if isOfService, bytes.count > text.utf8.count {
            problems.append(
                "\(path):1: begins with a byte order mark, and systemd ignores such a line. Save it without.")
        }
        // Scalars: "\r\n" is one Character.
        for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = Self.trimmed(line)
            guard let first = trimmed.first, first != "#", first != ";" || !isOfService else { continue }
            do throws(SettingError) {
                let (name, value) = try Self.assignment(trimmed)
                if isOfService { try Self.checkForSystemd(trimmed) }
                if let earlier = lines[name] { throw SettingError("\(name) appears twice, first on line \(earlier).") }
                (values[name], lines[name]) = (value, index + 1)
            } catch {
                problems.append("\(path):\(index + 1): \(error)")
            }
        }
    }

    /// A warning when others have more rights to the file than what is in it allows. That of a service counts as a secret: it is
    /// where operators put a mail password.
    private static func accessWarning(_ path: String, _ values: [String: String], isOfService: Bool) -> String? {
        let label = isOfService ? path : path.split(separator: "/").last.map(String.init) ?? path
        return isOfService || values.contains(where: isSecret)
            ? FileAccess.warning(ofSecret: path, setting: label) : FileAccess.warning(ofSettings: path, setting: label)
    }

    private static func isSecret(_ name: String, _ value: String) -> Bool {
        guard !value.isEmpty, !name.hasSuffix("_FILE") else { return false }
        return name.contains("SECRET") || name.contains("PASSWORD")
            || ["_MAIL_URL", "_DATABASE_URL"].contains(where: name.hasSuffix) && SettingsArguments.holdsPassword(value)
    }

    /// - Throws: ``SettingError`` for a line that systemd reads in another way.
    private static func checkForSystemd(_ line: Scalars) throws(SettingError) {
        if line.starts(with: "export ".unicodeScalars) {
            throw SettingError("begins with export, and systemd ignores such a line. Leave the word out.")
        }
        let value = line.firstIndex(of: "=").map { trimmed(line[line.index(after: $0)...]) }
        guard let first = value?.first, first != "'", value?.contains("\\") == true else { return }
        throw SettingError("has a backslash, which systemd removes. Put the value between two ' characters.")
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func assignment(_ line: Scalars) throws(SettingError) -> (String, String) {
        guard let equals = line.firstIndex(of: "=") else {
            let unseen = UnseenCharacter.sentence(about: String(line), after: "", subject: "It")
            throw SettingError("has no =. A line must be NAME=VALUE, a comment that begins with #, or empty.\(unseen)")
        }
        var name = trimmed(line[..<equals])
        if name.starts(with: "export ".unicodeScalars) { name = trimmed(name.dropFirst(7)) }
        guard let first = name.first, !("0"..."9").contains(first), name.allSatisfy(isNamePart) else {
            let unseen = UnseenCharacter.sentence(about: String(name), after: "", subject: "The text")
            throw SettingError("the text before = is not a name. A name is letters, digits and _.\(unseen)")
        }
        return (String(name), try value(trimmed(line[line.index(after: equals)...])))
    }

    private static func value(_ text: Scalars) throws(SettingError) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return String(text) }
        var (value, rest) = (String.UnicodeScalarView(), text.dropFirst())
        while let scalar = rest.popFirst() {
            if scalar == quote {
                guard rest.isEmpty else { throw SettingError("has text after the closing quotation mark.") }
                return String(value)
            }
            if scalar == "\\", quote == "\"", let next = rest.first, next == "\"" || next == "\\" {
                value.append(next)
                rest.removeFirst()
            } else {
                value.append(scalar)
            }
        }
        throw SettingError("has a quotation mark that is not closed on this line.")
    }

    private static func trimmed(_ text: Scalars) -> Scalars {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        let rest = text.drop(while: isBlank)
        return rest.dropLast(rest.reversed().prefix(while: isBlank).count)
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "_": true
        default: false
        }
    }
}
