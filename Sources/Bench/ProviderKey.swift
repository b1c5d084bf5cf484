import Crypto
import CryptoExtras
import Foundation
import SSOShared

/// A key pair that signs ID tokens.
struct ProviderKey: Sendable {
    static let id = "bench"

    /// The `alg`.
    let algorithm: String
    /// The public half as a key set (RFC 7517 5).
    let keySet: String
    /// The signature as it is in a JWS.
    let sign: @Sendable (Data) throws -> [UInt8]

    private init(
        _ algorithm: String, _ members: [JSONText.Member], sign: @escaping @Sendable (Data) throws -> [UInt8]
    ) {
        self.algorithm = algorithm
        let common: [JSONText.Member] = [.init("kid", Self.id), .init("alg", algorithm), .init("use", "sig")]
        keySet = JSONText.object([.init("keys", [common + members])])
        self.sign = sign
    }

    /// RSA with 2048 bits, as at Apple and Google.
    static func rs256() throws -> ProviderKey {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let numbers = try key.publicKey.getKeyPrimitives()
        let members: [JSONText.Member] = [
            .init("kty", "RSA"), .init("n", Base64URL.encode([UInt8](numbers.modulus))),
            .init("e", Base64URL.encode([UInt8](numbers.publicExponent))),
        ]
        return ProviderKey("RS256", members) {
            [UInt8](try key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    /// ECDSA with P-256.
    static func es256() -> ProviderKey {
        let key = P256.Signing.PrivateKey()
        let point = [UInt8](key.publicKey.rawRepresentation)
        let members: [JSONText.Member] = [
            .init("kty", "EC"), .init("crv", "P-256"), .init("x", Base64URL.encode(Array(point.prefix(32)))),
            .init("y", Base64URL.encode(Array(point.suffix(32)))),
        ]
        return ProviderKey("ES256", members) { [UInt8](try key.signature(for: $0).rawRepresentation) }
    }
}
