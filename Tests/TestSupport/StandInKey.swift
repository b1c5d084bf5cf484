import COpenSSL
import Crypto
import Foundation
import SSOShared
import Synchronization

@testable import IdP

/// A key pair of a ``StandInProvider``. Signs ID tokens, at once and in the caller's thread.
struct StandInKey: Sendable {
    private enum Secret: Sendable {
        case rsa(RSALease)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    /// The `kid`.
    let id: String
    let algorithm: Provider.Algorithm
    private let secret: Secret

    init(_ algorithm: Provider.Algorithm, id: String) throws {
        (self.algorithm, self.id) = (algorithm, id)
        secret =
            switch algorithm {
            case .rs256, .ps256: .rsa(try RSALease())
            case .es256: .p256(P256.Signing.PrivateKey())
            case .eddsa: .ed25519(Curve25519.Signing.PrivateKey())
            }
    }

    /// The public half as a member of a key set (RFC 7517, RFC 8037).
    var jwk: [String: JSONValue] {
        let common: [String: JSONValue] = [
            "kid": .string(id), "alg": .string(algorithm.rawValue), "use": "sig",
        ]
        let own: [String: JSONValue]
        switch secret {
        case .rsa(let lease):
            own = [
                "kty": "RSA", "n": .string(Base64URL.encode(lease.key.modulus)),
                "e": .string(Base64URL.encode(lease.key.exponent)),
            ]
        case .p256(let key):
            let point = [UInt8](key.publicKey.rawRepresentation)
            own = [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point[..<32]))),
                "y": .string(Base64URL.encode(Array(point[32...]))),
            ]
        case .ed25519(let key):
            let point = [UInt8](key.publicKey.rawRepresentation)
            own = ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(point))]
        }
        return common.merging(own) { $1 }
    }

    /// The signature as it is in a JWS.
    func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        switch secret {
        case .rsa(let lease): try lease.key.sign(bytes, pss: algorithm == .ps256)
        case .p256(let key): [UInt8](try key.signature(for: Data(bytes)).rawRepresentation)
        case .ed25519(let key): [UInt8](try key.signature(for: Data(bytes)))
        }
    }
}

/// One RSA key that nobody else uses meanwhile. Making a key takes a tenth of a second, so finished tests return theirs.
private final class RSALease: Sendable {
    private static let returned = Mutex<[RSAKey]>([])

    let key: RSAKey

    init() throws {
        key = try Self.returned.withLock { $0.popLast() } ?? RSAKey()
    }

    deinit {
        let key = key
        Self.returned.withLock { $0.append(key) }
    }
}

/// An RSA key of 2048 bits.
private final class RSAKey: @unchecked Sendable {
    let modulus: [UInt8]
    let exponent: [UInt8]
    /// Only read after `init`: libcrypto allows that in several threads.
    private let key: OpaquePointer

    init() throws {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw ProbeFailure("libcrypto makes no RSA key") }
        self.key = key
        modulus = try Self.number("n", of: key)
        exponent = try Self.number("e", of: key)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    func sign(_ bytes: [UInt8], pss: Bool) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var options: OpaquePointer?
        guard EVP_DigestSignInit(context, &options, EVP_sha256(), nil, key) == 1 else {
            throw ProbeFailure("libcrypto does not sign")
        }
        if pss {
            // RFC 7518 3.5: the salt is as long as the digest.
            guard EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(options, 32) == 1
            else { throw ProbeFailure("libcrypto does not sign with PSS") }
        }
        var signature = [UInt8](repeating: 0, count: 256)
        var count = signature.count
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else {
            throw ProbeFailure("libcrypto does not sign")
        }
        return Array(signature.prefix(count))
    }

    private static func number(_ name: String, of key: OpaquePointer) throws -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else {
            throw ProbeFailure("an RSA key without \(name)")
        }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        _ = BN_bn2bin(number, &bytes)
        return bytes
    }
}
