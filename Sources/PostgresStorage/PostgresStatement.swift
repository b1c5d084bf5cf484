import Storage

/// A statement as PostgreSQL takes it: `$1` in place of `:name`.
struct PostgresStatement: Sendable {
    let text: String
    /// The names in the order of their numbers. Each appears once, however often the statement uses it.
    let names: [String]

    /// Translates a statement of the stores. A colon inside a quoted text, a quoted name or a comment, and one of `::`, is
    /// none of a value.
    init(_ sql: String) {
        var (text, names): ([UInt8], [String]) = ([], [])
        let bytes = Array(sql.utf8)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                text.append(byte)
                index = Self.copy(bytes, from: index + 1, through: byte, to: &text)
            case UInt8(ascii: "-") where next == byte:
                index = Self.copy(bytes, from: index, through: UInt8(ascii: "\n"), to: &text)
            case UInt8(ascii: ":") where next == byte:
                text += [byte, next]
                index += 2
            case UInt8(ascii: ":") where Self.isOfName(next):
                let name = String(decoding: bytes[(index + 1)...].prefix(while: Self.isOfName), as: UTF8.self)
                let number = names.firstIndex(of: name) ?? names.count
                if number == names.count { names.append(name) }
                text += Array("$\(number + 1)".utf8)
                index += 1 + name.utf8.count
            default:
                text.append(byte)
                index += 1
            }
        }
        (self.text, self.names) = (String(decoding: text, as: UTF8.self), names)
    }

    /// Copies up to the next `end` and with it, or all that is left.
    ///
    /// - Returns: where the rest begins.
    private static func copy(_ bytes: [UInt8], from start: Int, through end: UInt8, to text: inout [UInt8]) -> Int {
        let rest = (bytes[start...].firstIndex(of: end) ?? bytes.count - 1) + 1
        text += bytes[start..<rest]
        return rest
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
