import SSOShared

/// Reads the parts of a structured header field (RFC 5322 3.2): white space, comments, quoted strings, tokens.
struct FieldScanner {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }
    var isAtEnd: Bool { position == bytes.endIndex }

    /// Takes this byte if it is the next one.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips the next byte, if there is one.
    mutating func skip() { position = min(position + 1, bytes.endIndex) }

    /// Takes the longest run of bytes that fit.
    mutating func take(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let end = bytes[position...].firstIndex { !fits($0) } ?? bytes.endIndex
        defer { position = end }
        return bytes[position..<end]
    }

    /// Skips white space and comments, which may be nested. Returns how many bytes there were, or nil for a comment
    /// without its end.
    mutating func skipBlanksAndComments() -> Int? {
        let start = position
        while let byte = next {
            if byte.isBlank {
                position += 1
            } else if byte == UInt8(ascii: "(") {
                guard comment() != nil else { return nil }
            } else {
                break
            }
        }
        return position - start
    }

    /// Takes a comment with its parentheses, which may be nested. nil without one that ends.
    mutating func comment() -> ArraySlice<UInt8>? {
        let start = position
        var depth = 0
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\\"):
                guard !isAtEnd else { return nil }
                position += 1
            default: break
            }
            if depth == 0 { return byte == UInt8(ascii: ")") ? bytes[start..<position] : nil }
        }
        return nil
    }

    /// Takes a quoted string and returns its content without backslashes, or nil if there is none or it does not end.
    mutating func quotedString() -> [UInt8]? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while var byte = next {
            position += 1
            if byte == UInt8(ascii: "\"") { return content }
            if byte == UInt8(ascii: "\\") {
                guard let quoted = next else { return nil }
                byte = quoted
                position += 1
            }
            content.append(byte)
        }
        return nil
    }

    /// Takes a token of RFC 2045 5.1, which may be empty.
    mutating func token() -> ArraySlice<UInt8> {
        take { $0 > 0x20 && $0 < 0x7f && !"()<>@,;:\\\"/[]?=".utf8.contains($0) }
    }

    /// Takes a token or a quoted string, or returns nil.
    mutating func value() -> [UInt8]? {
        if next == UInt8(ascii: "\"") { return quotedString() }
        let token = token()
        return token.isEmpty ? nil : Array(token)
    }
}
