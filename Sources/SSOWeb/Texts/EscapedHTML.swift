import Mustache

/// Escapes the five special characters of HTML byte by byte. Mustache's own type compares whole characters: a `"` followed
/// by a combining accent is another character, and would end an attribute.
struct EscapedHTML: MustacheContentType {
    static let name = "ESCAPED_HTML"

    func escapeText(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if let escape = Self.escape(of: byte) { bytes += escape.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
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
