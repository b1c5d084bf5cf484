/// Reads base64 and base64url, padded or not. (Foundation's takes the one alphabet and wants the padding.)
enum Base64Octets {
    static func read(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8)
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        guard bytes.count % 4 != 1, bytes.count <= 4096 else { return nil }
        var octets: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 & 0xffff | value
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return octets
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
