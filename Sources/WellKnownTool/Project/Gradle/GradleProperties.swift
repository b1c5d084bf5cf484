extension GradleFile {
    /// The values of a gradle.properties file by their names.
    ///
    /// Source: Java, `Properties.load`: a name ends at the first `=`, `:` or blank, a backslash joins lines and escapes.
    static func properties(_ bytes: [UInt8]) -> [String: GradleValue] {
        var values: [String: GradleValue] = [:]
        var lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)[...]
        while var line = lines.popFirst()?.drop(while: \.isWhitespace) {
            guard let first = line.first, first != "#", first != "!" else { continue }
            if goesOn(line) {
                var whole = String(line)
                while goesOn(whole[...]) {
                    whole.removeLast()
                    whole += (lines.popFirst() ?? "").drop(while: \.isWhitespace)
                }
                line = whole[...]
            }
            let name = part(&line) { $0 == "=" || $0 == ":" || $0.isWhitespace }
            line = line.drop(while: \.isWhitespace)
            if line.first == "=" || line.first == ":" { line = line.dropFirst().drop(while: \.isWhitespace) }
            values[name] = .text(part(&line) { _ in false })
        }
        return values
    }

    /// Whether the line ends with a backslash that is not escaped itself.
    private static func goesOn(_ line: Substring) -> Bool {
        line.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
    }

    /// The text up to a mark that is not escaped, without its escapes.
    private static func part(_ line: inout Substring, until isEnd: (Character) -> Bool) -> String {
        var text = ""
        while let character = line.first, !isEnd(character) {
            line = line.dropFirst()
            guard character == "\\", let next = line.popFirst() else {
                text.append(character)
                continue
            }
            if next == "u", let code = UInt32(line.prefix(4), radix: 16), let scalar = Unicode.Scalar(code) {
                text.unicodeScalars.append(scalar)
                line = line.dropFirst(4)
            } else {
                text.append(["n": "\n", "t": "\t", "r": "\r"][next] ?? next)
            }
        }
        return text
    }
}
