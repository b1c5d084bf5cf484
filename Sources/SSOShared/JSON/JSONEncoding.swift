/// Detects the encoding of a body and converts UTF-16 to UTF-8.
package enum JSONEncoding {
    package struct Decoded {
        package let text: [UInt8]
        package let errors: [JSONError]
        /// False when the encoding is unknown.
        package let isReadable: Bool
    }

    package static func utf8(_ bytes: [UInt8]) -> Decoded {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
            let mark = JSONError(.byteOrderMark, at: 0, "a UTF-8 byte-order mark before the text")
            return checked(Array(bytes.dropFirst(3)), [mark])
        }
        if bytes.starts(with: [0xff, 0xfe]) {
            return utf16(bytes.dropFirst(2), "UTF-16LE", isBig: false, hasMark: true)
        }
        if bytes.starts(with: [0xfe, 0xff]) {
            return utf16(bytes.dropFirst(2), "UTF-16BE", isBig: true, hasMark: true)
        }
        // JSON begins with two ASCII characters, so a zero among the first two bytes means UTF-16 (RFC 4627 section 3).
        if bytes.count >= 2, bytes.count.isMultiple(of: 2) {
            if bytes[0] == 0, bytes[1] != 0 { return utf16(bytes[...], "UTF-16BE", isBig: true, hasMark: false) }
            if bytes[0] != 0, bytes[1] == 0 { return utf16(bytes[...], "UTF-16LE", isBig: false, hasMark: false) }
        }
        return checked(bytes, [])
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, _ name: String, isBig: Bool, hasMark: Bool) -> Decoded {
        var errors = [JSONError(.encoding(name: name), at: 0, "the text is \(name), not UTF-8")]
        if hasMark { errors.append(JSONError(.byteOrderMark, at: 0, "a \(name) byte-order mark before the text")) }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var rest = bytes
        while rest.count >= 2 {
            let pair = (UInt16(rest[rest.startIndex]), UInt16(rest[rest.startIndex + 1]))
            units.append(isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0)
            rest = rest.dropFirst(2)
        }
        return Decoded(text: Array(String(decoding: units, as: UTF16.self).utf8), errors: errors, isReadable: true)
    }

    /// Bytes that are not UTF-8 are not read: their meaning is a guess.
    private static func checked(_ bytes: [UInt8], _ errors: [JSONError]) -> Decoded {
        guard let bad = firstInvalid(bytes) else { return Decoded(text: bytes, errors: errors, isReadable: true) }
        let name = bytes.contains { (0x80...0x9f).contains($0) } ? "Windows-1252" : "Latin-1"
        let error = JSONError(.encoding(name: name), at: bad, "bytes that are not UTF-8; perhaps \(name)")
        return Decoded(text: bytes, errors: errors + [error], isReadable: false)
    }

    private static func firstInvalid(_ bytes: [UInt8]) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}
