import COpenSSL
package import SSOShared

/// A public key that checks signatures.
package struct PublicKey: Sendable {
    private let key: NativeKey

    /// Reads a key of a key set (RFC 7517 4). `use`, `key_ops` and `alg` are left to the caller.
    ///
    /// - Throws: ``KeyError`` for another type or curve, RSA below 2048 or above 8192 bits, a point that is not on the curve,
    ///   and a private key.
    package init(_ jwk: JSONNode) throws(KeyError) {
        // Every reader of the key set could sign with it (RFC 7517 9.2).
        guard !["d", "p", "q", "dp", "dq", "qi", "oth"].contains(where: { jwk.member($0) != nil }) else {
            throw KeyError("a private key that is published")
        }
        switch jwk["kty"]?.string {
        case "RSA": key = try Self.rsa(jwk)
        case "EC": key = try Self.p256(jwk)
        case "OKP": key = try Self.ed25519(jwk)
        case let type: throw KeyError("a key of type \(type ?? "none")")
        }
    }

    /// Whether the signature, in the form of a JWS (RFC 7515), is the key's for these bytes. False for an algorithm of
    /// another type of key.
    package func isValid(_ signature: [UInt8], for bytes: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        sso_jws_verify(key.pointer, algorithm.native, bytes, bytes.count, signature, signature.count) == 1
    }

    /// Whether both are the same key.
    package func isSame(as other: PublicKey) -> Bool { EVP_PKEY_eq(key.pointer, other.key.pointer) == 1 }

    /// 2048 to 8192 bits: below, a key can be factored (NIST SP 800-131A), above, one check takes milliseconds.
    private static func rsa(_ jwk: JSONNode) throws(KeyError) -> NativeKey {
        // Without zero bytes at the start, which RFC 7518 2 forbids and some libraries write (6.3.1.1).
        let modulus = Array(try bytes(jwk, "n").drop { $0 == 0 })
        let exponent = Array(try bytes(jwk, "e").drop { $0 == 0 })
        guard let first = modulus.first, let last = modulus.last, last & 1 == 1 else {
            throw KeyError("RSA with a modulus that is not an odd number")
        }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard (2048...8192).contains(bits) else { throw KeyError("RSA of \(bits) bits") }
        guard exponent.count <= 4, let low = exponent.last, low & 1 == 1,
            exponent.count > 1 || low >= 3
        else { throw KeyError("RSA with an unusable exponent") }
        guard let key = NativeKey(sso_rsa_key(modulus, modulus.count, exponent, exponent.count)) else {
            throw KeyError("RSA numbers that are not a key")
        }
        return key
    }

    /// A point of P-256, both coordinates with all 32 bytes (RFC 7518 6.2.1.2). The point is checked to be on the curve.
    private static func p256(_ jwk: JSONNode) throws(KeyError) -> NativeKey {
        guard jwk["crv"]?.string == "P-256" else { throw KeyError("EC of a curve other than P-256") }
        let (x, y) = (try bytes(jwk, "x"), try bytes(jwk, "y"))
        guard x.count == 32, y.count == 32 else { throw KeyError("EC coordinates of another length than 32") }
        guard let key = NativeKey(sso_p256_key(x, y)) else {
            throw KeyError("EC coordinates that are not on the curve")
        }
        return key
    }

    private static func ed25519(_ jwk: JSONNode) throws(KeyError) -> NativeKey {
        guard jwk["crv"]?.string == "Ed25519" else { throw KeyError("OKP of a curve other than Ed25519") }
        let x = try bytes(jwk, "x")
        guard x.count == 32 else { throw KeyError("an Ed25519 key of another length than 32") }
        guard let key = NativeKey(sso_ed25519_key(x)) else { throw KeyError("bytes that are not an Ed25519 key") }
        return key
    }

    private static func bytes(_ jwk: JSONNode, _ name: String) throws(KeyError) -> [UInt8] {
        guard let text = jwk[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw KeyError("\(name) is missing or not base64url")
        }
        return bytes
    }
}
