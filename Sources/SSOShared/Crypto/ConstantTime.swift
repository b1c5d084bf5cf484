import COpenSSL

/// Comparison whose duration tells nothing about where two values differ.
public enum ConstantTime {
    /// True when both hold the same bytes and at least one.
    ///
    /// Values of different length differ at once; lengths are not secret here. Two empty values do **not** match: an
    /// empty value is a missing one, or the mark of a failed computation.
    public static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count, !a.isEmpty else { return false }
        return CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// The same for texts, byte by byte.
    ///
    /// `String ==` would use canonical equivalence: two different byte sequences could match.
    public static func equal(_ a: String, _ b: String) -> Bool {
        equal([UInt8](a.utf8), [UInt8](b.utf8))
    }
}
