/// Hexadecimal digits.
public enum Hex {
    private static let digits = [UInt8]("0123456789abcdef".utf8)

    /// Two lower-case digits for each byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        // Other modules call this unspecialized, and then an iterator allocates for each byte.
        bytes.withContiguousStorageIfAvailable { encode(storage: $0) } ?? encode(Array(bytes))
    }

    private static func encode(storage bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var end = 0
            for byte in bytes {
                text[end] = digits[Int(byte >> 4)]
                text[end + 1] = digits[Int(byte & 15)]
                end += 2
            }
            return end
        }
    }

    /// Appends the two lower-case digits of a byte.
    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }

    /// The bytes of digits of either case; nil for an odd number of digits or anything that is not one.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// The value of a digit of either case, nil for any other byte.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 97 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - 65 + 10
        default: nil
        }
    }
}

/// base64url without padding (RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The bytes in the alphabet of URLs, without padding.
    public static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBufferPointer { encode(bytes: $0) } }

    /// A part of an array, without a copy of it.
    public static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { encode(bytes: $0) }
    }

    private static func encode(bytes: UnsafeBufferPointer<UInt8>) -> String {
        let count = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: count) { text in
            var end = 0
            var buffer = 0
            var bits = 0
            for byte in bytes {
                buffer = (buffer << 8 | Int(byte)) & 0xffff
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text[end] = alphabet[buffer >> bits & 63]
                    end += 1
                }
            }
            if bits > 0 { text[end] = alphabet[buffer << (6 - bits) & 63] }
            return count
        }
    }

    /// The bytes, or nil for anything that ``encode(_:)`` would not have written.
    ///
    /// Strict: no padding, no white space, no `+` or `/`, and the unused bits of the last digit are zero (RFC 4648
    /// section 3.5). Otherwise one value would have several spellings, and a list of used values would miss some.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        text.utf8.withContiguousStorageIfAvailable { decode(digits: $0) } ?? decode(Array(text.utf8))
    }

    /// The bytes of digits, as ``decode(_:)-(StringProtocol)``.
    public static func decode(_ text: [UInt8]) -> [UInt8]? { text.withUnsafeBufferPointer { decode(digits: $0) } }

    private static func decode(digits text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var buffer = 0
        var bits = 0
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            buffer = (buffer << 6 | value) & 0xffff
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        guard text.count % 4 != 1, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48 + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// base32 in lower case without padding (RFC 4648 section 6), for places that do not keep the case of letters, such as an
/// email address.
public enum Base32 {
    private static let alphabet = [UInt8]("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The bytes in lower-case letters and digits, without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xfff
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of letters of either case, because mail servers may change it; nil for anything else that
    /// ``encode(_:)`` would not have written.
    ///
    /// Strict: no padding, no white space, and the unused bits of the last letter are zero (RFC 4648 section 3.5).
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (buffer, bits, letters) = (0, 0, 0)
        for letter in text {
            guard let value = value(of: letter) else { return nil }
            letters += 1
            buffer = (buffer << 5 | value) & 0xfff
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        // One, three and six letters in a last group of eight stand for no whole number of bytes.
        guard ![1, 3, 6].contains(letters % 8), buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(letter) - 97
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(letter) - 65
        case UInt8(ascii: "2")...UInt8(ascii: "7"): Int(letter) - 50 + 26
        default: nil
        }
    }
}
