import JWT
import SSOShared
import SSOWeb

/// Makes Apple's client secrets: a JWT for each call, signed with the key of the `.p8` file.
///
/// Apple's page "Creating a client secret" permits six months. Five minutes are enough for a call, and one that leaks is
/// soon worthless.
enum AppleClientSecret {
    static let lifetime: Duration = .minutes(5)

    static func make(_ key: AppleKey, for provider: Provider, now: Timestamp) throws(ProviderError) -> String {
        let header = JSONText.object([.init("alg", "ES256"), .init("kid", key.keyID), .init("typ", "JWT")])
        let claims = JSONText.object([
            .init("iss", key.teamID), .init("iat", now.seconds), .init("exp", (now + Self.lifetime).seconds),
            .init("aud", provider.issuer), .init("sub", provider.clientID),
        ])
        let signed = "\(Base64URL.encode([UInt8](header.utf8))).\(Base64URL.encode([UInt8](claims.utf8)))"
        do throws(KeyError) {
            return "\(signed).\(Base64URL.encode(try key.key.sign([UInt8](signed.utf8), .es256)))"
        } catch {
            throw .document(.appleKey)
        }
    }
}
