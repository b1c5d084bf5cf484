import COpenSSL
import JWT
import SSOShared

/// New private keys as text, made by libcrypto itself.
enum TestKeys {
    /// The name of a curve, or RSA with so many bits.
    enum Kind: Hashable {
        case curve(String)
        case ed25519
        case rsa(Int32)
    }

    /// The private key as PKCS #8 in PEM, and the public half.
    static func new(_ kind: Kind = .curve("P-256")) throws -> (pem: String, publicPEM: String) {
        let name =
            switch kind {
            case .curve: "EC"
            case .ed25519: "ED25519"
            case .rsa: "RSA"
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, name, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { throw ProbeFailure("libcrypto makes no keys") }
        switch kind {
        case .curve(let curve): _ = EVP_PKEY_CTX_set_group_name(context, curve)
        case .rsa(let bits): _ = EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        case .ed25519: break
        }
        var key: OpaquePointer?
        guard EVP_PKEY_generate(context, &key) == 1 else { throw ProbeFailure("libcrypto makes no key \(kind)") }
        defer { EVP_PKEY_free(key) }
        return (
            try text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) },
            try text { PEM_write_bio_PUBKEY($0, key) }
        )
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) throws -> String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        guard write(memory) == 1 else { throw ProbeFailure("libcrypto writes no PEM") }
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }
}

extension PrivateKey {
    /// The public half, read as from a key set.
    func publicKey() throws -> PublicKey {
        try PublicKey(JSONReader.readStrictly([UInt8](JSONText.object(publicMembers).utf8)))
    }
}
