import Foundation
import SSOShared
import SSOWeb

extension Unicode.Scalar {
    /// Whether the character is neither a control nor invisible and able to reorder or break lines: `\r`, `\n`, U+2028, U+202E.
    var isSafeInHeader: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}

/// The encodings of an email's header and body. No header value can end its line and begin another one.
enum MIME {
    /// RFC 5322 2.1.1 wants at most 78 on a line, RFC 2047 2 at most 76 on one with an encoded word.
    static let lineLimit = 76

    /// `Name: text`: unchanged if it is plain ASCII and short enough, otherwise as encoded words.
    static func unstructured(_ name: String, _ text: String) -> String {
        let clean = cleaned(text)
        let line = "\(name): \(clean)"
        // A text that looks like an encoded word would be decoded by the reader.
        if clean.utf8.allSatisfy({ $0 < 0x7f }), line.utf8.count <= lineLimit, !clean.contains("=?") { return line }
        return "\(name): " + encodedWords(clean, firstLimit: lineLimit - name.utf8.count - 2)
    }

    /// `Name: display name <address>` (RFC 5322 3.4), folded where it is long.
    static func mailbox(_ name: String, _ sender: MailFrom) -> String {
        guard !sender.name.isEmpty else { return "\(name): \(sender.address.text)" }
        let phrase = phrase(cleaned(sender.name), firstLimit: lineLimit - name.utf8.count - 2)
        return folded(["\(name):"] + phrase + ["<\(sender.address.text)>"])
    }

    /// The pieces with a blank between them, or a new line before one that does not fit on its line (RFC 5322 2.2.3).
    private static func folded(_ pieces: [String]) -> String {
        var (text, column) = ("", 0)
        for piece in pieces {
            let fits = column + 1 + piece.utf8.count <= lineLimit
            let blank = text.isEmpty ? "" : fits ? " " : "\r\n "
            text += blank + piece
            column = (fits ? column + blank.utf8.count : 1) + piece.utf8.count
        }
        return text
    }

    /// The words of a name. Those of ASCII are atoms or one quoted-string, the others encoded words (RFC 2047 5).
    ///
    /// Only what must be encoded is, and neighbours together: Python's `email` before 3.13.1 shows a blank between two encoded
    /// words, which RFC 2047 6.2 forbids. They stay two where they are too long for one.
    private static func phrase(_ text: String, firstLimit: Int) -> [String] {
        var pieces: [String] = []
        for run in runs(of: text) {
            let limit = pieces.isEmpty ? firstLimit : lineLimit - 1
            guard run.isPlain else {
                pieces += words(run.text, firstLimit: limit)
                continue
            }
            let piece = plain(run.text)
            // One of many quotation marks has no line.
            guard piece.utf8.count <= limit else { return words(text, firstLimit: firstLimit) }
            pieces.append(piece)
        }
        return pieces
    }

    /// Neighbouring words of one kind. Of two blanks in a row the second belongs to the words before it.
    private static func runs(of text: String) -> [(text: String, isPlain: Bool)] {
        var runs: [(text: String, isPlain: Bool)] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            // A word that looks like an encoded one would be decoded by the reader.
            let isPlain =
                word.isEmpty ? runs.last?.isPlain ?? true : word.utf8.allSatisfy { $0 < 0x7f } && !word.contains("=?")
            if runs.last?.isPlain == isPlain {
                runs[runs.count - 1].text += " \(word)"
            } else {
                runs.append((String(word), isPlain))
            }
        }
        return runs
    }

    /// Atoms unchanged, other ASCII as a quoted-string.
    private static func plain(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(EmailAddress.isAtomText) }) { return text }
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// The words of ``words(_:firstLimit:)``, one per line.
    static func encodedWords(_ text: String, firstLimit: Int) -> String {
        words(text, firstLimit: firstLimit).joined(separator: "\r\n ")
    }

    /// RFC 2047: `=?utf-8?B?…?=`, words of at most 75 characters, no character divided between two. They end after a blank where
    /// one is near.
    private static func words(_ text: String, firstLimit: Int) -> [String] {
        let (opening, closing) = ("=?utf-8?B?", "?=")
        let space = min(firstLimit, 75) - opening.utf8.count - closing.utf8.count
        // Four characters of base64 carry three bytes.
        let chunk = max(space / 4 * 3, 4)
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > chunk {
                let full = words[words.count - 1]
                let end = full.lastIndex(of: 0x20).map { $0 + 1 } ?? 0
                // Not where nearly all of the word would be left over.
                let rest = end > chunk / 4 ? Array(full[end...]) : []
                words[words.count - 1].removeLast(rest.count)
                words.append(rest)
            }
            words[words.count - 1] += bytes
        }
        return words.map { opening + Data($0).base64EncodedString() + closing }
    }

    private static func cleaned(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(scalar.isSafeInHeader ? scalar : " ") }
        return String(result)
    }

    /// `Sat, 21 Nov 2026 03:35:29 +0000` (RFC 5322 3.3), in UTC and English on every machine.
    static func date(_ moment: Timestamp) -> String {
        let format = Date.VerbatimFormatStyle(
            format:
                "\(weekday: .abbreviated), \(day: .defaultDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSince1970: Double(moment.seconds)).formatted(format)
    }

    /// The lines of a text as bytes. CRLF, LF and CR all end a line. Bytes, because `"\r\n"` is one `Character`.
    static func lines(_ text: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0a || byte == 0x0d {
            // The LF of a CRLF: its line has ended already.
            if byte == 0x0a, index > 0, bytes[index - 1] == 0x0d {
                start = index + 1
                continue
            }
            lines.append(bytes[start..<index])
            start = index + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// RFC 2045 6.7: the text in lines of at most 76 printable ASCII characters, each ended by CRLF.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for line in lines(text) {
            encode(line, into: &result)
            result += [0x0d, 0x0a]
        }
        return result
    }

    private static func encode(_ line: ArraySlice<UInt8>, into result: inout [UInt8]) {
        var column = 0
        for (index, byte) in zip(line.indices, line) {
            let isLast = index == line.endIndex - 1
            let token = token(for: byte, isLast: isLast)
            // Leaves room for the "=" of a soft line break, unless this ends the line.
            if column + token.count > (isLast ? lineLimit : lineLimit - 1) {
                result += [UInt8(ascii: "="), 0x0d, 0x0a]
                column = 0
            }
            result += token
            column += token.count
        }
    }

    /// A space at the end of a line is encoded, because some mail servers remove it.
    private static func token(for byte: UInt8, isLast: Bool) -> [UInt8] {
        let isPlain = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
        if isPlain || ((byte == 0x20 || byte == 0x09) && !isLast) { return [byte] }
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
