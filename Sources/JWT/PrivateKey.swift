import COpenSSL
package import SSOShared

/// How a program makes the keys that it signs with: ``PrivateKey/init(new:)``.
package typealias PrivateKeyMaker = @Sendable (SignatureAlgorithm) throws -> PrivateKey

/// A private key that signs. Its bytes stay in libcrypto, and it prints as `<redacted>`.
package struct PrivateKey: Sendable {
    /// RSA keys also sign PS256.
    package let algorithm: SignatureAlgorithm
    /// The public half (RFC 7518 6, RFC 8037 2): `kty` and the numbers, without `kid`, `alg` and `use`.
    package var publicMembers: [JSONText.Member] { publicHalf.map { JSONText.Member($0.name, $0.value) } }
    private let publicHalf: [(name: String, value: String)]
    private let key: NativeKey

    /// Reads an unencrypted key in PEM (RFC 7468, PKCS #8; for EC also RFC 5915).
    ///
    /// - Throws: ``KeyError`` for no such key, one of another type or curve, and RSA below 2048 or above 8192 bits.
    package init(pem: String) throws(KeyError) {
        let text = [UInt8](pem.utf8)
        guard let key = NativeKey(sso_private_key(text, text.count)) else {
            throw KeyError(
                pem.contains("ENCRYPTED")
                    ? "a private key with a passphrase" : "a text that holds no private key in PEM")
        }
        try self.init(key)
    }

    /// A new key; RSA has 2048 bits.
    ///
    /// - Throws: ``KeyError`` when libcrypto has no random numbers.
    package init(new algorithm: SignatureAlgorithm) throws(KeyError) {
        guard let key = NativeKey(sso_new_key(algorithm.native)) else { throw KeyError("libcrypto that makes no keys") }
        try self.init(key)
    }

    private init(_ key: NativeKey) throws(KeyError) {
        let algorithms = [SignatureAlgorithm.rs256, .es256, .eddsa]
        guard let algorithm = algorithms.first(where: { sso_key_is(key.pointer, $0.native) == 1 }) else {
            throw KeyError("a private key that is not of RSA, P-256 or Ed25519")
        }
        (self.key, self.algorithm) = (key, algorithm)
        let numbers: [(name: String, value: String)]
        switch algorithm {
        case .rs256, .ps256:
            let bits = Int(EVP_PKEY_get_bits(key.pointer))
            guard (2048...8192).contains(bits) else { throw KeyError("RSA of \(bits) bits") }
            numbers = [("n", try Self.number("n", key)), ("e", try Self.number("e", key))]
        case .es256:
            numbers = [
                ("crv", "P-256"), ("x", try Self.number("qx", key, size: 32)),
                ("y", try Self.number("qy", key, size: 32)),
            ]
        case .eddsa:
            var bytes = [UInt8](repeating: 0, count: 32)
            guard sso_ed25519_bytes(key.pointer, &bytes) == 1 else {
                throw KeyError("an Ed25519 key without a public half")
            }
            numbers = [("crv", "Ed25519"), ("x", Base64URL.encode(bytes))]
        }
        publicHalf = [("kty", algorithm.keyType)] + numbers
    }

    /// Signs in the form of a JWS: ES256 has 64 bytes (RFC 7518 3.4).
    ///
    /// - Parameter algorithm: ``algorithm`` if nil. An RSA key has two.
    /// - Throws: ``KeyError`` for an algorithm of another type of key, or when libcrypto fails.
    package func sign(_ bytes: [UInt8], _ algorithm: SignatureAlgorithm? = nil) throws(KeyError) -> [UInt8] {
        let algorithm = algorithm ?? self.algorithm
        guard algorithm.keyType == self.algorithm.keyType else {
            throw KeyError("a key for \(self.algorithm.rawValue) that was asked for \(algorithm.rawValue)")
        }
        // 8192 bits of RSA are the longest.
        var signature = [UInt8](repeating: 0, count: 1024)
        let count = sso_jws_sign(key.pointer, algorithm.native, bytes, bytes.count, &signature, signature.count)
        guard count > 0 else { throw KeyError("a key that does not sign") }
        return Array(signature.prefix(count))
    }

    /// The `kid` that names the key by its public half: SHA-256 over its members in the order of their names (RFC 7638 3).
    package var thumbprint: String {
        let members = publicHalf.sorted { $0.name < $1.name }.map { JSONText.Member($0.name, $0.value) }
        return Base64URL.encode(SHA256.hash(JSONText.bytes(members)))
    }

    /// The key in PEM (PKCS #8), unencrypted. Seal it.
    ///
    /// - Throws: ``KeyError`` when libcrypto fails.
    package func pem() throws(KeyError) -> String {
        // RSA of 8192 bits needs 6.4 KiB.
        var text = [UInt8](repeating: 0, count: 8 << 10)
        let count = sso_private_key_pem(key.pointer, &text, text.count)
        guard count > 0, let pem = String(validating: text.prefix(count), as: UTF8.self) else {
            throw KeyError("a key that cannot be written")
        }
        return pem
    }

    /// A number of the key, as base64url.
    private static func number(_ name: String, _ key: NativeKey, size: Int = 0) throws(KeyError) -> String {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = sso_key_number(key.pointer, name, size, &bytes, bytes.count)
        guard count > 0 else { throw KeyError("a key without \(name)") }
        return Base64URL.encode(Array(bytes.prefix(count)))
    }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
