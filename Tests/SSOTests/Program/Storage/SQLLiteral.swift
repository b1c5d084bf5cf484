import Foundation

@testable import TestKit
@testable import WebTestKit

/// An SQL statement that is a string literal in Swift source.
struct SQLLiteral: Sendable {
    /// File and line.
    let place: String
    /// The text around each interpolation, with normalised white space. One part is the whole statement.
    let parts: [String]

    var file: String { String(place.prefix { $0 != ":" }) }
    /// The whole statement; nil for one with interpolations.
    var statement: String? { parts.count == 1 ? parts[0] : nil }
    /// Whether it changes tables, as the steps of the schema do.
    var isSchema: Bool { ["CREATE", "ALTER", "DROP"].contains { parts[0].hasPrefix($0 + " ") } }

    /// Whether this literal makes a statement, whatever its interpolations are.
    ///
    /// - Parameter statement: with normalised white space.
    func makes(_ statement: String) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return parts == [statement] }
        guard statement.hasPrefix(first) else { return false }
        var rest = statement.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// All in the sources of the products, except those of the engines, each of which speaks to its own database.
    static func inSources() throws -> [SQLLiteral] {
        // Bench fills a file of SQLite by the program sqlite3.
        let others = ["Sources/SQLiteStorage/", "Sources/PostgresStorage/", "Sources/Bench/"]
        return try TextSources.files(in: "Sources", ending: "swift")
            .filter { file in !others.contains { file.path.hasPrefix($0) } }
            .flatMap { all(in: $0.text, file: $0.path) }
    }

    /// All in one source text.
    static func all(in source: String, file: String) -> [SQLLiteral] {
        SwiftLiterals.all(in: source).compactMap { literal in
            let parts = literal.parts.map(RecordingDatabase.Statement.normalised)
            guard isStatement(parts) else { return nil }
            return SQLLiteral(place: "\(file):\(literal.line)", parts: parts)
        }
    }

    private static func isStatement(_ parts: [String]) -> Bool {
        let verbs = [
            "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE", "CREATE", "ALTER", "DROP", "PRAGMA", "VACUUM",
        ]
        return verbs.contains { parts[0].hasPrefix($0 + " ") || (parts[0] == $0 && parts.count > 1) }
    }
}

/// The string literals of Swift source, in the order of their ends.
private struct SwiftLiterals {
    struct Literal {
        let line: Int
        /// The text around each interpolation.
        let parts: [String]
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var found: [Literal] = []

    static func all(in source: String) -> [Literal] {
        var literals = SwiftLiterals(bytes: Array(source.utf8))
        literals.readCode(isInterpolation: false)
        return literals.found
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func isNext(_ text: StaticString, at offset: Int = 0) -> Bool {
        let (start, count) = (index + offset, text.utf8CodeUnitCount)
        guard start + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[start + $0] == text.utf8Start[$0] }
    }

    /// How many `#` follow, from `offset` on.
    private func pounds(at offset: Int = 0) -> Int {
        var count = 0
        while index + offset + count < bytes.count, bytes[index + offset + count] == UInt8(ascii: "#") { count += 1 }
        return count
    }

    private mutating func skip(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
    }

    /// Reads code up to the end, or up to the bracket that ends an interpolation.
    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/") where isNext("//"):
                while index < bytes.count, !isNext("\n") { skip() }
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                let pounds = pounds()
                if isNext("\"", at: pounds) {
                    readString(pounds: pounds)
                } else if isNext("/", at: pounds) {
                    readRegex(pounds: pounds)
                } else {
                    skip(pounds)
                }
            case UInt8(ascii: ")") where isInterpolation && depth == 0: return
            case UInt8(ascii: "("):
                depth += 1
                skip()
            case UInt8(ascii: ")"):
                depth -= 1
                skip()
            default: skip()
            }
        }
    }

    private mutating func readRegex(pounds: Int) {
        skip(pounds + 1)
        while index < bytes.count, !(isNext("/") && self.pounds(at: 1) >= pounds) { skip(isNext("\\") ? 2 : 1) }
        skip(1 + pounds)
    }

    private mutating func readString(pounds: Int) {
        let start = line
        let quotes = isNext("\"\"\"", at: pounds) ? 3 : 1
        var (parts, part): ([String], [UInt8]) = ([], [])
        skip(pounds + quotes)
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\""), isNext(quotes == 3 ? "\"\"\"" : "\""), self.pounds(at: quotes) >= pounds {
                break
            }
            guard byte == UInt8(ascii: "\\"), self.pounds(at: 1) >= pounds else {
                part.append(byte)
                skip()
                continue
            }
            skip(1 + pounds)
            if isNext("(") {
                parts.append(String(decoding: part, as: UTF8.self))
                part = []
                skip()
                readCode(isInterpolation: true)
            } else if isNext("n") || isNext("t") {
                part.append(UInt8(ascii: " "))
            } else if !isNext("\n"), index < bytes.count {
                // Without the backslash: a quotation mark. A line break goes, the line continues.
                part.append(bytes[index])
            }
            skip()
        }
        skip(quotes + pounds)
        parts.append(String(decoding: part, as: UTF8.self))
        found.append(Literal(line: start, parts: parts))
    }
}
