/// The SHA-256 of a signing certificate, as the asset links file writes it: 32 upper-case hex pairs joined by colons.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// 95 characters, upper case: Android compares the text, and a lower-case one never matches.
    public let description: String

    /// Reads 32 hex pairs joined by colons, or 64 hex digits without any, in either case: what `keytool`,
    /// `apksigner` and the Play Console print.
    ///
    /// - Returns: `nil` for everything else, a SHA-1 (20 pairs) among it.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let separated = bytes.count == 95
        guard separated || bytes.count == 64 else { return nil }
        let stride = separated ? 3 : 2
        var pairs: [String] = []
        for start in Swift.stride(from: 0, to: bytes.count, by: stride) {
            guard let high = Self.upperHex(bytes[start]), let low = Self.upperHex(bytes[start + 1]) else { return nil }
            if separated, start > 0, bytes[start - 1] != UInt8(ascii: ":") { return nil }
            pairs.append(String(decoding: [high, low], as: UTF8.self))
        }
        description = pairs.joined(separator: ":")
    }

    private static func upperHex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): byte
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x20
        default: nil
        }
    }
}
