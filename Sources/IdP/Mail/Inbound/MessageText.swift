import SSOShared

/// The text that the author of a message wrote, with what is quoted below it.
enum MessageText {
    /// UTF-8 with lines that end in LF.
    static func text(of message: InboundMessage) throws(ReplyMessageError) -> [UInt8] {
        guard let part = try MessagePart.tree(message).text else { throw .noText }
        let decoded = try TransferEncoding.decode(part.body, part.encoding)
        guard let text = utf8(decoded, charset: part.charset ?? Array("us-ascii".utf8)), !text.contains(0) else {
            throw .charset
        }
        // Line ends may be encoded too (`=0D=0A`).
        let lines = try LineEnds.normalized(text[...])
        return part.type == "text/html" ? HTMLText.text(of: lines) : lines
    }

    /// nil for a character set that is not supported and for bytes that it does not have.
    ///
    /// In all of these an ASCII digit is its ASCII byte. UTF-7 and UTF-16 spell digits in other ways.
    private static func utf8(_ bytes: [UInt8], charset: [UInt8]) -> [UInt8]? {
        switch charset[...].lowercasedText {
        case "us-ascii", "ascii": bytes.allSatisfy { $0 < 0x80 } ? bytes : nil
        case "utf-8", "utf8": String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
        case "iso-8859-1", "latin1": latin(bytes, replacing: [:])
        case "iso-8859-15": latin(bytes, replacing: latin9)
        case "windows-1252", "cp1252": latin(bytes, replacing: windows1252)
        default: nil
        }
    }

    /// ISO 8859-1, whose bytes are the first 256 scalars, with the differences of another set. 0x80 to 0x9F are controls
    /// that no text has.
    private static func latin(_ bytes: [UInt8], replacing differences: [UInt8: Unicode.Scalar]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte < 0x80 {
                result.append(byte)
            } else if let scalar = differences[byte] ?? (byte < 0xa0 ? nil : Unicode.Scalar(byte)) {
                result += UTF8.encode(scalar)?.map(\.self) ?? []
            } else {
                return nil
            }
        }
        return result
    }

    private static let latin9: [UInt8: Unicode.Scalar] = [
        0xa4: "\u{20ac}", 0xa6: "\u{160}", 0xa8: "\u{161}", 0xb4: "\u{17d}", 0xb8: "\u{17e}", 0xbc: "\u{152}",
        0xbd: "\u{153}", 0xbe: "\u{178}",
    ]
    private static let windows1252: [UInt8: Unicode.Scalar] = [
        0x80: "\u{20ac}", 0x82: "\u{201a}", 0x83: "\u{192}", 0x84: "\u{201e}", 0x85: "\u{2026}", 0x86: "\u{2020}",
        0x87: "\u{2021}", 0x88: "\u{2c6}", 0x89: "\u{2030}", 0x8a: "\u{160}", 0x8b: "\u{2039}", 0x8c: "\u{152}",
        0x8e: "\u{17d}", 0x91: "\u{2018}", 0x92: "\u{2019}", 0x93: "\u{201c}", 0x94: "\u{201d}", 0x95: "\u{2022}",
        0x96: "\u{2013}", 0x97: "\u{2014}", 0x98: "\u{2dc}", 0x99: "\u{2122}", 0x9a: "\u{161}", 0x9b: "\u{203a}",
        0x9c: "\u{153}", 0x9e: "\u{17e}", 0x9f: "\u{178}",
    ]
}
