import SSOShared

/// The one-time address of a challenge: `login+RANDOM@DOMAIN`, where RANDOM is 32 bytes in base32.
///
/// base32, because mail servers may change the case of letters.
package enum ReplyAddress {
    static let prefix = "login+"
    static let keyBytes = 32

    /// The address for a key, 58 bytes before the @ (RFC 5321 permits 64).
    package static func text(key: [UInt8], domain: String) -> String { "\(prefix)\(Base32.encode(key))@\(domain)" }

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
