import SSOShared

/// Percent-encoding, RFC 3986 section 2.1.
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// `%` and two upper-case digits, as browsers write it.
    static func encoded(_ byte: UInt8) -> [UInt8] { [0x25, digits[Int(byte >> 4)], digits[Int(byte & 0x0f)]] }

    /// The text with its escapes replaced. An escape without two hex digits stays as it is.
    ///
    /// - Parameter keepsSlashes: an escaped slash stays an escape: in a path it never separates (seen on Apple's matcher).
    /// - Returns: `nil` when what comes out is no UTF-8.
    static func decoded(_ text: ArraySlice<UInt8>, keepsSlashes: Bool = false) -> [UInt8]? {
        let bytes = bytes(text, keepsSlashes: keepsSlashes)
        return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    }

    /// As ``decoded(_:keepsSlashes:)``, whatever comes out.
    static func bytes(_ text: ArraySlice<UInt8>, keepsSlashes: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == 0x25, index + 2 < text.endIndex, let high = value(text[index + 1]),
                let low = value(text[index + 2]), !keepsSlashes || high << 4 | low != 0x2f
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(byte)
                index += 1
            }
        }
        return bytes
    }

    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

extension UInt8 {
    /// The byte in lower case when it is an ASCII letter, else itself.
    @inline(__always)
    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5a ? self | 0x20 : self }
}

/// The percent-escapes of a pattern: RFC 3986 section 2.1.
struct PatternEscapes {
    /// The first escape, as written.
    private(set) var first: String?
    /// The first with a lower-case digit.
    private(set) var lower: String?
    /// A percent sign stands without two hex digits.
    private(set) var hasBroken = false

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var index = bytes.startIndex
        while let percent = bytes[index...].firstIndex(of: UInt8(ascii: "%")) {
            index = percent + 1
            let digits = bytes[index...].prefix(2)
            // A wildcard may stand for digits.
            guard digits.count == 2, digits.allSatisfy(\.isASCIIHexDigit) else {
                let mayBecomeOne = digits.contains { "*?$".utf8.contains($0) }
                if !mayBecomeOne || !digits.allSatisfy({ $0.isASCIIHexDigit || "*?$".utf8.contains($0) }) {
                    hasBroken = true
                }
                continue
            }
            let escape = "%" + String(decoding: digits, as: UTF8.self)
            first = first ?? escape
            if digits.contains(where: { (0x61...0x66).contains($0) }) { lower = lower ?? escape }
        }
    }

    /// The text as browsers send it, wildcards and variables as they are.
    ///
    /// - Parameter limit: so many bytes of it; messages need no more.
    static func encoded(_ text: String, limit: Int = 400) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8.prefix(limit) {
            let isPlain = byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"")
            if isPlain { bytes.append(byte) } else { bytes += PercentEncoding.encoded(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
