extension JSONReader {
    /// Goes over white space, and over comments and invisible characters, which it names.
    mutating func skipBlanks() throws(JSONFault) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            case UInt8(ascii: "/"), UInt8(ascii: "#"): try skipComment()
            case 0x80...:
                guard let scalar = scalar(at: offset), Self.isInvisible(scalar) else { return }
                faults.append(
                    JSONFault(
                        .invisible(scalar: scalar.value), at: offset,
                        "U+\(JSONFault.hex(scalar.value)) looks like a blank and is none"))
                offset += UTF8.width(scalar)
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONFault) {
        let rest = text[offset...]
        let isBlock = rest.starts(with: "/*".utf8)
        guard isBlock || peek == UInt8(ascii: "#") || rest.starts(with: "//".utf8) else {
            throw unexpected("a value")
        }
        faults.append(JSONFault(.comment, at: offset, "JSON has no comments"))
        if isBlock {
            offset += 2
            while offset < text.count, !text[offset...].starts(with: "*/".utf8) { offset += 1 }
            offset = min(offset + 2, text.count)
        } else {
            while let byte = peek, byte != 0x0a, byte != 0x0d { offset += 1 }
        }
    }

    /// White space that is none to JSON, and characters that show nothing at all.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x85, 0xa0, 0xad, 0x1680, 0x180e, 0x2000...0x200f, 0x2028...0x202f, 0x205f...0x2064, 0x2066...0x206f,
            0x3000, 0xfeff:
            true
        default: false
        }
    }
}
