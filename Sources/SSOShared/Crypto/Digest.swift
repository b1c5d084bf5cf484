import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The 32 bytes of the digest.
    ///
    /// Should libcrypto fail (out of memory, no provider), the answer is ``Unusable``: it matches nothing.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        return sso_sha256(bytes, bytes.count, &digest) == 1 ? digest : Unusable.value()
    }
}

/// HMAC-SHA256 (RFC 2104).
public enum HMACSHA256 {
    /// The 32 bytes of the code.
    ///
    /// Should libcrypto fail (out of memory, no provider), the answer is ``Unusable``: it matches nothing.
    public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        return sso_hmac_sha256(key, key.count, message, message.count, &code) == 1 ? code : Unusable.value()
    }
}

/// What a failed computation answers instead of a constant.
///
/// A constant (say 32 zeros) would be the same at both ends of a comparison and so would verify: the fault would fail
/// open. Fresh random bytes equal nothing, and when even those are not to be had, ``ConstantTime`` never matches an
/// empty value.
enum Unusable {
    static func value() -> [UInt8] { (try? RandomBytes.generate(32)) ?? [] }
}
