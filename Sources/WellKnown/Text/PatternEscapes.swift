import SSOShared

/// Finds the percent-escapes of a pattern (RFC 3986 section 2.1).
struct PatternEscapes {
    /// The first escape, as written.
    private(set) var first: String?
    /// The first escape with a lower-case digit.
    private(set) var lower: String?
    /// Whether a percent sign is not followed by two hex digits.
    private(set) var hasBroken = false

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var index = bytes.startIndex
        while let percent = bytes[index...].firstIndex(of: UInt8(ascii: "%")) {
            index = percent + 1
            let digits = bytes[index...].prefix(2)
            // A wildcard may match the digits.
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

    static func upper(_ text: String) -> String { text.replacing(/%[0-9A-Fa-f]{2}/) { $0.output.uppercased() } }

    /// The text as browsers send it. Wildcards and variables are kept.
    ///
    /// - Parameter limit: the maximum number of bytes, enough for messages.
    static func encoded(_ text: String, limit: Int = 400) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8.prefix(limit) {
            let isPlain = byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"")
            if isPlain { bytes.append(byte) } else { bytes += PercentCoding.escape(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
