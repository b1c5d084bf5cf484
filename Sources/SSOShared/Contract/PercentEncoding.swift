/// Percent-encoding for the values of a query (RFC 3986 section 2).
public enum PercentEncoding {
    /// ALPHA / DIGIT / "-" / "." / "_" / "~" (RFC 3986 section 2.3): what needs no encoding anywhere in a URL.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Everything but unreserved characters encoded, a blank as `%20` (a `+` means a blank to some readers only).
    ///
    /// - Parameter kept: further characters that stay as they are, such as the `/` of a path in a query.
    public static func encode(_ text: String, keeping kept: String = "") -> String {
        encode(bytes: text.utf8, keeping: kept)
    }

    /// The same for bytes that need not be text.
    static func encode(bytes: some Sequence<UInt8>, keeping kept: String = "") -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || kept.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(contentsOf: Hex.encode(CollectionOfOne(byte)).uppercased().utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// `name=value&name=value`, in the order given.
    static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { "\($0.name)=\(encode($0.value))" }.joined(separator: "&")
    }
}
