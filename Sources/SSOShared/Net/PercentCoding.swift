/// Percent-encoding (RFC 3986 section 2.1): encodes, and decodes strictly or as browsers do.
public enum PercentCoding {
    /// ALPHA / DIGIT / "-" / "." / "_" / "~" (RFC 3986 section 2.3): what needs no encoding anywhere in a URL.
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }

    /// Encodes everything but unreserved characters, a space as `%20` (a `+` means a space to some readers only).
    ///
    /// - Parameter kept: further characters that stay as they are, such as the `/` of a path in a query.
    public static func encode(_ text: String, keeping kept: String = "") -> String {
        encode(bytes: text.utf8, keeping: kept)
    }

    /// Encodes bytes that need not be text.
    public static func encode(bytes: some Sequence<UInt8>, keeping kept: String = "") -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.underestimatedCount)
        append(bytes, keeping: kept, to: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func append(_ bytes: some Sequence<UInt8>, keeping kept: String, to text: inout [UInt8]) {
        for byte in bytes {
            if isUnreserved(byte) || kept.utf8.contains(byte) {
                text.append(byte)
            } else {
                appendEscape(byte, to: &text)
            }
        }
    }

    /// `%` and two upper-case digits, as browsers write it.
    public static func escape(_ byte: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        appendEscape(byte, to: &text)
        return text
    }

    private static func appendEscape(_ byte: UInt8, to text: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        text.append(UInt8(ascii: "%"))
        text.append(digits.utf8Start[Int(byte >> 4)])
        text.append(digits.utf8Start[Int(byte & 15)])
    }

    /// `name=value&name=value`, in the order given. The names are taken as they are.
    public static func query(_ items: [(name: String, value: String)]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(ordinaryLength)
        append(query: items, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends what ``query(_:)`` returns.
    static func append(query items: [(name: String, value: String)], to text: inout [UInt8]) {
        for (index, item) in items.enumerated() {
            if index > 0 { text.append(UInt8(ascii: "&")) }
            text += item.name.utf8
            text.append(UInt8(ascii: "="))
            append(item.value.utf8, keeping: "", to: &text)
        }
    }

    /// Room for an ordinary URL of the protocol. The bytes of a longer one are copied while they are written.
    static let ordinaryLength = 512

    /// The bytes, with every escape replaced, or nil when a `%` is not followed by two hexadecimal digits.
    ///
    /// - Parameter plusIsSpace: reads `+` as a space, as in the fields of a form (WHATWG URL section 5.1).
    public static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        // In place, in one array: a generic iterator costs many times as much per byte, and visitors choose the length.
        var bytes = Array(text)
        var (next, end) = (0, 0)
        while next < bytes.count {
            var byte = bytes[next]
            next += 1
            if byte == UInt8(ascii: "%") {
                guard next + 2 <= bytes.count, let high = Hex.value(of: bytes[next]),
                    let low = Hex.value(of: bytes[next + 1])
                else { return nil }
                byte = high << 4 | low
                next += 2
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            bytes[end] = byte
            end += 1
        }
        bytes.removeLast(bytes.count - end)
        return bytes
    }

    /// The bytes, with every complete escape replaced. A `%` without two hexadecimal digits stays as it is.
    ///
    /// - Parameter keepsSlashes: leaves `%2F` as it is, so that it does not separate parts of a path.
    public static func decodeLeniently(_ text: ArraySlice<UInt8>, keepsSlashes: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = Hex.value(of: text[index + 1]),
                let low = Hex.value(of: text[index + 2]), !keepsSlashes || high << 4 | low != UInt8(ascii: "/")
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
}
