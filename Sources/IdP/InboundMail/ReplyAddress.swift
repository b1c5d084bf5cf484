import SSOShared

/// The one-time address of a challenge: `login+RANDOM@DOMAIN`, where RANDOM is 32 bytes in base32.
///
/// base32, because mail servers may change the case of letters.
enum ReplyAddress {
    static let prefix = "login+"
    static let keyBytes = 32

    /// The address for a key, 58 bytes before the @ (RFC 5321 permits 64).
    static func text(key: [UInt8], domain: String) -> String { "\(prefix)\(Base32.encode(key))@\(domain)" }

    /// The key in an address, or nil if it is not such an address at this domain. Case makes no difference.
    static func key(of address: [UInt8], domain: String) -> [UInt8]? {
        let lowered = address.map(\.asciiLowercased)
        let suffix = Array("@\(domain)".utf8).map(\.asciiLowercased)
        guard lowered.count > prefix.utf8.count + suffix.count, lowered.starts(with: prefix.utf8),
            lowered.suffix(suffix.count).elementsEqual(suffix),
            let key = Base32.decode(lowered[prefix.utf8.count..<(lowered.count - suffix.count)]),
            key.count == keyBytes
        else { return nil }
        return key
    }
}

/// base32 in lower case without padding (RFC 4648 section 6).
enum Base32 {
    private static let alphabet = [UInt8]("abcdefghijklmnopqrstuvwxyz234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xffff
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of digits of either case, or nil. The unused bits of the last digit must be zero, so that each value has
    /// one spelling.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for character in text {
            let digit = character.asciiLowercased
            let value: Int
            switch digit {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = Int(digit) - 97
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = Int(digit) - 50 + 26
            default: return nil
            }
            buffer = (buffer << 5 | value) & 0xffff
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        guard bits < 5, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}
