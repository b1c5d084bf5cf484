/// A body in a content coding, in stored blocks (RFC 1951 3.2.4): made without a compressor.
enum PackedBody {
    static func gzip(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + deflate(text) + little(crc(bytes)) + little(UInt32(bytes.count))
    }

    /// RFC 1950: what RFC 9110 calls `deflate`.
    static func zlib(_ text: String) -> [UInt8] {
        [0x78, 0x01] + deflate(text) + little(adler(Array(text.utf8))).reversed()
    }

    /// Without header and checksum, which some servers send as `deflate`.
    static func deflate(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var packed: [UInt8] = []
        for start in stride(from: 0, to: max(bytes.count, 1), by: 65535) {
            let block = bytes.dropFirst(start).prefix(65535)
            let count = UInt16(block.count)
            packed.append(start + 65535 >= bytes.count ? 1 : 0)
            for number in [count, ~count] { packed += [UInt8(number & 0xff), UInt8(number >> 8)] }
            packed += block
        }
        return packed
    }

    private static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> ($0 * 8) & 0xff) } }

    /// RFC 1952 8.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xedb8_8320 : value >> 1 }
        }
        return ~value
    }

    /// RFC 1950 8.2.
    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (one, two) = (UInt32(1), UInt32(0))
        for byte in bytes {
            one = (one + UInt32(byte)) % 65521
            two = (two + one) % 65521
        }
        return two << 16 | one
    }
}
