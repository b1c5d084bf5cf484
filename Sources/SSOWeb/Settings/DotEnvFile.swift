import Foundation

/// Reads a file `.env`: lines `NAME=VALUE` or `export NAME=VALUE`, comments (`#`) and empty lines.
///
/// Strict, since a line that is silently left out costs somebody an afternoon. Values are taken as they stand, without
/// blanks at their ends; one pair of quotation marks around a value is taken off, and between double ones `\"` and `\\`
/// stand for `"` and `\`. Nothing is expanded, and a `#` behind a value belongs to it.
struct DotEnvFile: Sendable {
    /// Name to value; of a name that stands there twice the first.
    private(set) var values: [String: String] = [:]
    /// Name to the line it stands on, counted from 1.
    private(set) var lines: [String: Int] = [:]
    /// What cannot be used, each with file and line. Never what stands there: it may be a secret.
    private(set) var faults: [String] = []

    private let path: String
    /// No settings are longer.
    private static let longest = 1 << 20

    /// - Parameter path: a file that may be missing.
    init(path: String) {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else { return }
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: Self.longest + 1)
        else {
            // An empty file is read as nothing at all.
            if status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 || access(path, R_OK) != 0 {
                faults.append("\(path): cannot be read. Check the permissions, and that it is a file.")
            }
            return
        }
        guard data.count <= Self.longest, let text = String(validating: data, as: UTF8.self), !data.contains(0) else {
            faults.append("\(path): is not text in UTF-8 of at most 1 MiB.")
            return
        }
        read(text)
    }

    private mutating func read(_ text: String) {
        // Scalars: "\r\n" is one Character.
        for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = Self.trimmed(line)
            guard let first = trimmed.first, first != "#" else { continue }
            do throws(Fault) {
                let (name, value) = try Self.assignment(trimmed)
                if let earlier = lines[name] { throw Fault("\(name) stands there twice, first on line \(earlier).") }
                (values[name], lines[name]) = (value, index + 1)
            } catch {
                faults.append("\(path):\(index + 1): \(error.words)")
            }
        }
    }

    private struct Fault: Error {
        let words: String
        init(_ words: String) { self.words = words }
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func assignment(_ line: Scalars) throws(Fault) -> (String, String) {
        guard let equals = line.firstIndex(of: "=") else {
            throw Fault("has no = in it. A line is NAME=VALUE, a comment that begins with #, or empty.")
        }
        var name = trimmed(line[..<equals])
        if name.starts(with: "export ".unicodeScalars) { name = trimmed(name.dropFirst(7)) }
        guard let first = name.first, !("0"..."9").contains(first), name.allSatisfy(isNamePart) else {
            throw Fault("what stands before the = is no name: letters, digits and _ make one.")
        }
        return (String(name), try value(trimmed(line[line.index(after: equals)...])))
    }

    private static func value(_ text: Scalars) throws(Fault) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return String(text) }
        var (value, rest) = (String.UnicodeScalarView(), text.dropFirst())
        while let scalar = rest.popFirst() {
            if scalar == quote {
                guard rest.isEmpty else { throw Fault("something follows the closing quotation mark.") }
                return String(value)
            }
            if scalar == "\\", quote == "\"", let next = rest.first, next == "\"" || next == "\\" {
                value.append(next)
                rest.removeFirst()
            } else {
                value.append(scalar)
            }
        }
        throw Fault("a quotation mark is opened and not closed on this line.")
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
