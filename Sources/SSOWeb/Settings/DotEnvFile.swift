/// Looks at the `.env` file for lines that its reader (swift-configuration) leaves out or takes otherwise than they read.
///
/// Does not read settings: one reader is enough. A line that is dropped in silence is a setting somebody believes in.
struct DotEnvFile {
    /// One sentence a line, with the place.
    private(set) var problems: [String] = []
    /// The names that stand there, with their lines.
    private(set) var names: [(name: String, line: Int)] = []

    /// A file that is not there has nothing wrong with it.
    init(path: String) {
        guard let bytes = BoundedFile.read(path, upTo: 1 << 20) else { return }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            problems.append("\(path): is not text in UTF-8.")
            return
        }
        // By bytes: CR LF is one Character.
        for (index, line) in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let content = Self.trimmed(line)
            guard let first = content.first, first != UInt8(ascii: "#") else { continue }
            if let fault = take(content, line: index + 1) { problems.append("\(path), line \(index + 1): \(fault)") }
        }
    }

    /// - Returns: what is wrong; never the value, which may be a secret.
    private mutating func take(_ line: Substring.UTF8View, line number: Int) -> String? {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            return "has no = in it. Write NAME=value, or # in front of a remark."
        }
        let name = String(Substring(Self.trimmed(line[..<equals])))
        if name.hasPrefix("export ") { return "leave out \"export\": this file is read, not run by a shell." }
        let isName =
            name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
            && name.utf8.allSatisfy { $0 == 0x5f || (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf) }
        guard isName else { return "there is no name of a setting before the =." }
        if let earlier = names.first(where: { $0.name == name }) {
            return "\(name) stands in line \(earlier.line) already. Keep one of them."
        }
        names.append((name, number))
        let value = Self.trimmed(line[line.index(after: equals)...])
        if let first = value.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            return "leave out the quotes around the value of \(name): they would be part of it."
        }
        return nil
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return bytes[bytes.startIndex..<bytes.startIndex] }
        return bytes[first...last]
    }
}

/// Names that look like settings of a program and are none: a slip of the keyboard changes nothing and says nothing.
enum UnknownSettings {
    /// - Parameter known: every name the program reads.
    /// - Returns: a warning for each name with the program's own prefix that it does not read.
    static func warnings(_ names: [(name: String, place: String)], known: [String]) -> [String] {
        let all = Set(known + known.map { $0 + "_FILE" })
        let prefixes = Set(known.compactMap { $0.split(separator: "_").first }).subtracting(["SSO", "LOG"])
        return names.compactMap { name, place in
            guard !all.contains(name), let prefix = name.split(separator: "_").first, name.contains("_"),
                prefixes.contains(prefix)
            else { return nil }
            let nearest = known.map { ($0, distance($0, name)) }.min { $0.1 < $1.1 }
            let hint = nearest.flatMap { $0.1 <= 3 ? " Did you mean \($0.0)?" : nil } ?? ""
            return "\(name) (\(place)): is no setting of this program.\(hint)"
        }
    }

    /// Levenshtein's distance; names are short.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
        var row = Array(0...b.count)
        for (i, byte) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let change = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
