import Foundation
import JWT
import SSOShared

/// A key pair that signs ID tokens.
struct ProviderKey: Sendable {
    static let id = "bench"

    private let key: PrivateKey

    /// - Parameter algorithm: RS256 with 2048 bits, as at Apple and Google, or ES256.
    init(_ algorithm: SignatureAlgorithm) throws { key = try PrivateKey(new: algorithm) }

    /// The `alg`.
    var algorithm: String { key.algorithm.rawValue }

    /// The public half as a key set (RFC 7517 5).
    var keySet: String {
        let common: [JSONText.Member] = [.init("kid", Self.id), .init("alg", algorithm), .init("use", "sig")]
        return JSONText.object([.init("keys", [common + key.publicMembers])])
    }

    /// The signature as it is in a JWS.
    func sign(_ bytes: Data) throws -> [UInt8] { try key.sign([UInt8](bytes)) }
}
