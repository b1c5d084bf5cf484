extension JSONReader {
    /// Skips white space. Also skips comments and invisible characters, and reports them.
    mutating func skipBlanks() throws(JSONError) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            case UInt8(ascii: "/"), UInt8(ascii: "#"): try skipComment()
            case 0x80...:
                guard let scalar = scalar(at: offset), Self.isInvisible(scalar) else { return }
                try report(
                    .invisible(scalar: scalar.value), at: offset,
                    "U+\(JSONError.hex(scalar.value)) looks like white space and is not")
                offset += UTF8.width(scalar)
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONError) {
        let rest = text[offset...]
        let isBlock = rest.starts(with: "/*".utf8)
        guard isBlock || peek == UInt8(ascii: "#") || rest.starts(with: "//".utf8) else {
            throw unexpected("a value")
        }
        try report(.comment, at: offset, "JSON has no comments")
        if isBlock {
            offset += 2
            while offset < text.count, !text[offset...].starts(with: "*/".utf8) { offset += 1 }
            offset = min(offset + 2, text.count)
        } else {
            while let byte = peek, byte != 0x0a, byte != 0x0d { offset += 1 }
        }
    }

    /// White space that JSON does not define, and characters that are not displayed.
    package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x85, 0xa0, 0xad, 0x1680, 0x180e, 0x2000...0x200f, 0x2028...0x202f, 0x205f...0x2064, 0x2066...0x206f,
            0x3000, 0xfeff:
            true
        default: false
        }
    }

    /// A string at the offset, or `nil` when none begins there (RFC 8259 section 7).
    ///
    /// A string in typographic or single quotes is read to its end and reported once: that avoids a cascade of errors.
    mutating func quoted() throws(JSONError) -> String? {
        guard let first = scalar(at: offset) else { return nil }
        let start = offset
        switch first {
        case "\"": offset += 1
        case "'":
            try report(.singleQuotes, at: offset, "single quotes; JSON has double quotes only")
            offset += 1
            return try content(from: start) { $0 == "'" }
        case _ where Self.isSmartQuote(first):
            try report(
                .smartQuote, at: offset, "a typographic quotation mark (U+\(JSONError.hex(first.value)))")
            offset += UTF8.width(first)
            return try content(from: start) { Self.isSmartQuote($0) || $0 == "\"" }
        default: return nil
        }
        return try content(from: start) { $0 == "\"" }
    }

    private mutating func content(
        from start: Int, until isEnd: (Unicode.Scalar) -> Bool
    ) throws(JSONError) -> String {
        var bytes: [UInt8] = []
        while true {
            // The common case first: bytes that are not special.
            let plain = text[offset...].prefix { $0 >= 0x20 && $0 != 0x22 && $0 != 0x27 && $0 != 0x5c && $0 < 0x80 }
            offset += plain.count
            guard let scalar = scalar(at: offset) else {
                throw JSONError(.syntax, at: start, "a string that does not end")
            }
            if isEnd(scalar) {
                offset += UTF8.width(scalar)
                if bytes.isEmpty { return String(decoding: plain, as: UTF8.self) }
                bytes.append(contentsOf: plain)
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(contentsOf: plain)
            switch scalar.value {
            case 0x5c: bytes.append(contentsOf: try escape())
            case ..<0x20:
                let isBreak = scalar == "\n" || scalar == "\r"
                let words =
                    isBreak
                    ? "a line break inside a string: is the closing quote missing?"
                    : "the control character \(seen) inside a string"
                try reportUnlessFatal(JSONError(.badString, at: offset, words))
                bytes.append(text[offset])
                offset += 1
            default:
                let width = UTF8.width(scalar)
                bytes.append(contentsOf: text[offset..<offset + width])
                offset += width
            }
        }
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        let start = offset
        offset += 1
        guard let letter = peek else { throw JSONError(.syntax, at: start, "a string that does not end") }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let scalar = try escapedScalar(from: start)
            if isStrict, scalar.value == 0 { throw JSONError(.badString, at: start, "an escaped NUL") }
            return Array(String(scalar).utf8)
        default:
            try reportUnlessFatal(JSONError(.badString, at: start, "an escape that JSON does not have"))
            offset = start + 1
            guard let scalar = scalar(at: offset) else { return [] }
            offset += UTF8.width(scalar)
            return Array(String(scalar).utf8)
        }
    }

    /// The code point after `\u`: four hex digits, or a surrogate pair in two escapes.
    private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try fourHexDigits(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xdc00, text[offset...].starts(with: "\\u".utf8) {
            offset += 2
            let second = try fourHexDigits(from: start)
            if (0xdc00...0xdfff).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            {
                return scalar
            }
        }
        try reportUnlessFatal(JSONError(.loneSurrogate, at: start, "half of a surrogate pair"))
        return "\u{fffd}"
    }

    private mutating func fourHexDigits(from start: Int) throws(JSONError) -> UInt32 {
        let digits = text[offset...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isASCIIHexDigit),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw JSONError(.badString, at: start, "\\u without four hex digits") }
        offset += 4
        return value
    }

    static func isSmartQuote(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2018...0x201f, 0xab, 0xbb, 0x2039, 0x203a, 0xff02: true
        default: false
        }
    }
}
