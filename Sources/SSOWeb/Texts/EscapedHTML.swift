import Mustache

/// Escapes the five special characters of HTML byte by byte. Mustache's own type compares whole characters: a `"` followed
/// by a combining accent is another character, and would end an attribute.
struct EscapedHTML: MustacheContentType {
    static let name = "ESCAPED_HTML"

    func escapeText(_ text: String) -> String {
        // The usual case.
        guard text.utf8.contains(where: { Self.escape(of: $0) != nil }) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 64)
        Self.forEachPiece(of: text) { result += $0 }
        return result
    }

    /// Passes on the escaped text: what needs no escape in one piece, and what stands for each special character.
    static func forEachPiece(of text: String, _ take: (Substring) -> Void) {
        var rest = text[...]
        while let index = rest.utf8.firstIndex(where: { escape(of: $0) != nil }) {
            take(rest[..<index])
            if let escape = escape(of: rest.utf8[index]) { take(escape[...]) }
            rest = rest[rest.utf8.index(after: index)...]
        }
        take(rest)
    }

    /// What stands for a special character in text and attributes; nil for every other byte.
    static func escape(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
