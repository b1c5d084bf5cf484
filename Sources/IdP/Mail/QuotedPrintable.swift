/// RFC 2045 6.7: UTF-8 text in lines of at most 76 printable ASCII characters.
enum QuotedPrintable {
    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let lineLimit = 76

    /// The lines of `text` with CRLF between and behind them, whatever line ends it came with.
    static func encoded(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for line in TextLines.split(text) {
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
            // Room for the soft break's own "=", unless this ends the line.
            if column + token.count > (isLast ? lineLimit : lineLimit - 1) {
                result += [UInt8(ascii: "="), 0x0d, 0x0a]
                column = 0
            }
            result += token
            column += token.count
        }
    }

    /// A blank at the end of a line is encoded: mail servers have been known to take it off.
    private static func token(for byte: UInt8, isLast: Bool) -> [UInt8] {
        let isPlain = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
        if isPlain || ((byte == 0x20 || byte == 0x09) && !isLast) { return [byte] }
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// The text again, with LF line ends. Ill-formed escapes stay as they are.
    static func decoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x0d, index + 1 < bytes.count, bytes[index + 1] == 0x0a {
                index += 1
                continue
            }
            if byte == UInt8(ascii: "="), index + 2 < bytes.count {
                if bytes[index + 1] == 0x0d, bytes[index + 2] == 0x0a {
                    index += 3
                    continue
                }
                if let high = digits.firstIndex(of: bytes[index + 1]), let low = digits.firstIndex(of: bytes[index + 2])
                {
                    result.append(UInt8(high << 4 | low))
                    index += 3
                    continue
                }
            }
            result.append(byte)
            index += 1
        }
        return result
    }
}
