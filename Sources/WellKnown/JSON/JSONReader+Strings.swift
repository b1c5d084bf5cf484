extension JSONReader {
    /// A string at the offset; `nil` when none begins there. RFC 8259 section 7.
    ///
    /// A string in typographic or single quotes is read to its own end and named: one message for each beats a cascade.
    mutating func quoted() throws(JSONFault) -> String? {
        guard let first = scalar(at: offset) else { return nil }
        let start = offset
        switch first {
        case "\"": offset += 1
        case "'":
            faults.append(JSONFault(.singleQuotes, at: offset, "single quotes; JSON has double quotes only"))
            offset += 1
            return try content(from: start) { $0 == "'" }
        case _ where Self.isSmartQuote(first):
            faults.append(
                JSONFault(.smartQuote, at: offset, "a typographic quotation mark (U+\(JSONFault.hex(first.value)))"))
            offset += UTF8.width(first)
            return try content(from: start) { Self.isSmartQuote($0) || $0 == "\"" }
        default: return nil
        }
        return try content(from: start) { $0 == "\"" }
    }

    private mutating func content(
        from start: Int, until isEnd: (Unicode.Scalar) -> Bool
    ) throws(JSONFault) -> String {
        var bytes: [UInt8] = []
        while true {
            // The common case first: everything that stands for itself.
            let plain = text[offset...].prefix { $0 >= 0x20 && $0 != 0x22 && $0 != 0x27 && $0 != 0x5c && $0 < 0x80 }
            bytes.append(contentsOf: plain)
            offset += plain.count
            guard let scalar = scalar(at: offset) else {
                throw JSONFault(.syntax, at: start, "a string that does not end")
            }
            if isEnd(scalar) {
                offset += UTF8.width(scalar)
                return String(decoding: bytes, as: UTF8.self)
            }
            switch scalar.value {
            case 0x5c: bytes.append(contentsOf: try escape())
            case 0x0a, 0x0d:
                throw JSONFault(.badString, at: offset, "a line break inside a string: is the closing quote missing?")
            case ..<0x20:
                throw JSONFault(.badString, at: offset, "the control character \(seen) inside a string")
            default:
                let width = UTF8.width(scalar)
                bytes.append(contentsOf: text[offset..<offset + width])
                offset += width
            }
        }
    }

    private mutating func escape() throws(JSONFault) -> [UInt8] {
        let start = offset
        offset += 1
        guard let letter = peek else { throw JSONFault(.syntax, at: start, "a string that does not end") }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(try escapedScalar(from: start)).utf8)
        default: throw JSONFault(.badString, at: start, "an escape that JSON does not have")
        }
    }

    /// Behind `\u`: four hex digits, or two times four that make a surrogate pair.
    private mutating func escapedScalar(from start: Int) throws(JSONFault) -> Unicode.Scalar {
        let first = try fourHexDigits(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lone = JSONFault(.loneSurrogate, at: start, "half of a surrogate pair")
        guard first < 0xdc00, text[offset...].starts(with: "\\u".utf8) else { throw lone }
        offset += 2
        let second = try fourHexDigits(from: start)
        guard (0xdc00...0xdfff).contains(second) else { throw lone }
        guard let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)) else { throw lone }
        return scalar
    }

    private mutating func fourHexDigits(from start: Int) throws(JSONFault) -> UInt32 {
        let digits = text[offset...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isASCIIHexDigit),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw JSONFault(.badString, at: start, "\\u without four hex digits") }
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

extension UInt8 {
    var isASCIIHexDigit: Bool { isASCIIDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
}
