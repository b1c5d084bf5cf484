import JWTKit
import SSOShared
import SSOWeb

/// Makes Apple's client secrets: a JWT for each call, signed with the key of the `.p8` file.
///
/// Apple's page "Creating a client secret" permits six months. Five minutes are enough for a call, and one that leaks is
/// soon worthless. The key is parsed once.
actor AppleClientSecret {
    static let lifetime: Duration = .minutes(5)

    /// By key id and the digest of the key's text.
    private var signers: [[UInt8]: any JWTAlgorithm] = [:]

    func make(_ key: AppleKey, for provider: Provider, now: Timestamp) async throws(ProviderError) -> String {
        let header = JSONText.object([.init("alg", "ES256"), .init("kid", key.keyID), .init("typ", "JWT")])
        let claims = JSONText.object([
            .init("iss", key.teamID), .init("iat", now.seconds), .init("exp", (now + Self.lifetime).seconds),
            .init("aud", provider.issuer), .init("sub", provider.clientID),
        ])
        let signed = "\(Base64URL.encode([UInt8](header.utf8))).\(Base64URL.encode([UInt8](claims.utf8)))"
        do {
            let signature = try await signer(key).sign([UInt8](signed.utf8))
            return "\(signed).\(Base64URL.encode(signature))"
        } catch {
            // The error may quote the key.
            throw .document(.appleKey)
        }
    }

    private func signer(_ key: AppleKey) async throws -> any JWTAlgorithm {
        let digest = SHA256.hash([UInt8](key.pem.utf8))
        if let signer = signers[digest] { return signer }
        let signer = try await JWTKeyCollection().add(ecdsa: ES256PrivateKey(pem: key.pem)).getKey()
        // A few keys at most: each reload of the settings may bring one.
        if signers.count >= 16 { signers = [:] }
        signers[digest] = signer
        return signer
    }
}
