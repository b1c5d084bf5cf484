import COpenSSL

/// The algorithms of libcrypto, looked up once per process. A look-up takes locks and memory.
enum Algorithm {
    // Threads may share an object that functions take as const (openssl-threads(7)). EVP_sha256() and EVP_sha512() do not
    // fail: with them each call makes the look-up again.
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()
    nonisolated(unsafe) static let sha512: OpaquePointer? = EVP_MD_fetch(nil, "SHA512", nil) ?? EVP_sha512()
}

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The 32 bytes of the digest.
    ///
    /// When libcrypto fails (out of memory, no provider), the result is ``Unusable``, which matches nothing.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        return sso_digest(Algorithm.sha256, bytes, bytes.count, &digest) == 1 ? digest : Unusable.value()
    }

    /// The 32 bytes of the digest of a text's UTF-8.
    public static func hash(_ text: String) -> [UInt8] {
        var (text, digest) = (text, [UInt8](repeating: 0, count: 32))
        let isDone = text.withUTF8 { sso_digest(Algorithm.sha256, $0.baseAddress, $0.count, &digest) == 1 }
        return isDone ? digest : Unusable.value()
    }

    /// The digest of the first `count` bytes of an open file, read in small parts. nil when the file is shorter or cannot be
    /// read.
    public static func hash(file descriptor: CInt, count: UInt64) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        return sso_sha256_file(descriptor, count, &digest) == 1 ? digest : nil
    }
}

/// SHA-512 (FIPS 180-4).
public enum SHA512 {
    /// The 64 bytes of the digest.
    ///
    /// When libcrypto fails (out of memory, no provider), the result is ``Unusable``, which matches nothing.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        return sso_digest(Algorithm.sha512, bytes, bytes.count, &digest) == 1 ? digest : Unusable.value()
    }
}

/// HMAC-SHA256 (RFC 2104).
public enum HMACSHA256 {
    /// The 32 bytes of the code.
    ///
    /// When libcrypto fails (out of memory, no provider), the result is ``Unusable``, which matches nothing.
    public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        return sso_hmac_sha256(key, key.count, message, message.count, &code) == 1 ? code : Unusable.value()
    }
}

/// A key of HMAC-SHA256 that is used for each request: the two hashes after their first block, which depends on the key alone
/// (RFC 2104 4).
///
/// They are only copied from then on, by any thread: libcrypto takes them as const. Nil where there was no memory: that key
/// matches nothing.
public final class PreparedHMACKey: Sendable {
    nonisolated(unsafe) let inner, outer: OpaquePointer?

    public init(_ key: [UInt8]) {
        inner = sso_hmac_state(Algorithm.sha256, key, key.count, 0x36)
        outer = sso_hmac_state(Algorithm.sha256, key, key.count, 0x5c)
    }

    deinit {
        EVP_MD_CTX_free(inner)
        EVP_MD_CTX_free(outer)
    }

    /// The 32 bytes of the code, as ``HMACSHA256/code(for:key:)`` makes them.
    public func code(for message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        guard let scratch = EVP_MD_CTX_new() else { return Unusable.value() }
        defer { EVP_MD_CTX_free(scratch) }
        return sso_hmac_code(inner, outer, scratch, message, message.count, &code) == 1 ? code : Unusable.value()
    }
}

/// The result of a failed computation.
///
/// A constant (such as 32 zeros) would be the same at both ends of a comparison, so a failure would verify. Fresh random
/// bytes equal nothing. When there are not even those, ``ConstantTime`` never matches an empty value.
enum Unusable {
    static func value() -> [UInt8] { (try? RandomBytes.generate(32)) ?? [] }
}

/// Comparison whose duration does not depend on where two values differ.
public enum ConstantTime {
    /// True when both hold the same bytes and at least one.
    ///
    /// Values of different length return immediately: lengths are not secret here. Two empty values do **not** match: an
    /// empty value is a missing one, or the result of a failed computation.
    public static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count, !a.isEmpty else { return false }
        return CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// The same for texts, byte by byte. `String ==` compares by canonical equivalence: different bytes could match.
    public static func equal(_ a: String, _ b: String) -> Bool {
        equal([UInt8](a.utf8), [UInt8](b.utf8))
    }
}
