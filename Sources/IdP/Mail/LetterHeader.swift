import Foundation
import SSOWeb

extension Unicode.Scalar {
    /// Neither a control nor one of the invisible characters that reorder or break lines: `\r`, `\n`, U+2028, U+202E.
    var isSafeInHeader: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}

/// The values of header lines, so written that no value can end its line and begin another one.
enum LetterHeader {
    /// RFC 5322 2.1.1 wants at most 78 on a line, RFC 2047 2 at most 76 on one with an encoded word.
    static let lineLimit = 76

    /// `Name: text`, as it is when that is plain ASCII that fits, else as encoded words.
    static func unstructured(_ name: String, _ text: String) -> String {
        let clean = cleaned(text)
        let line = "\(name): \(clean)"
        // A text that looks like an encoded word would be decoded by the reader.
        if clean.utf8.allSatisfy({ $0 < 0x7f }), line.utf8.count <= lineLimit, !clean.contains("=?") { return line }
        return "\(name): " + encodedWords(clean, firstLimit: lineLimit - name.utf8.count - 2)
    }

    /// `Name: display name <address>` (RFC 5322 3.4), folded before the address when it is long.
    static func mailbox(_ name: String, _ sender: MailFrom) -> String {
        guard !sender.name.isEmpty else { return "\(name): \(sender.address.text)" }
        let phrase = phrase(cleaned(sender.name), firstLimit: lineLimit - name.utf8.count - 2)
        let address = "<\(sender.address.text)>"
        let line = "\(name): \(phrase) \(address)"
        return line.utf8.count <= lineLimit ? line : "\(name): \(phrase)\r\n \(address)"
    }

    /// Atoms as they are, other ASCII as a quoted-string, the rest as encoded words.
    private static func phrase(_ text: String, firstLimit: Int) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x7f }), !text.contains("=?") else {
            return encodedWords(text, firstLimit: firstLimit)
        }
        if text.utf8.allSatisfy({ LetterAddress.isAtomText($0) || $0 == 0x20 }) { return text }
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return escaped.utf8.count + 2 <= firstLimit ? "\"\(escaped)\"" : encodedWords(text, firstLimit: firstLimit)
    }

    /// RFC 2047: `=?utf-8?B?…?=`, no word over 75 characters, no character torn apart, one word a line.
    static func encodedWords(_ text: String, firstLimit: Int) -> String {
        let (opening, closing) = ("=?utf-8?B?", "?=")
        let space = min(firstLimit, 75) - opening.utf8.count - closing.utf8.count
        // Four characters of base64 carry three bytes.
        let chunk = max(space / 4 * 3, 4)
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > chunk { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { opening + Data($0).base64EncodedString() + closing }.joined(separator: "\r\n ")
    }

    private static func cleaned(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(scalar.isSafeInHeader ? scalar : " ") }
        return String(result)
    }

    /// `Sat, 21 Nov 2026 03:35:29 +0000` (RFC 5322 3.3): no locale, no time zone of the machine.
    static func date(_ moment: Timestamp) -> String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let numbers = PlainDate.rfc3339(moment).split { !$0.isWholeNumber }.compactMap { Int($0) }
        // 1970 began on a Thursday.
        let weekday = days[max(0, moment.seconds / 86_400) % 7]
        guard numbers.count >= 6, months.indices.contains(numbers[1] - 1) else {
            return "Thu, 1 Jan 1970 00:00:00 +0000"
        }
        let time = numbers[3...5].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(weekday), \(numbers[2]) \(months[numbers[1] - 1]) \(numbers[0]) \(time) +0000"
    }
}
