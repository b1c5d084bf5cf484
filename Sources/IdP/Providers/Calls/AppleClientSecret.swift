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
        let claims: [JSONText.Member] = [
            .init("iss", key.teamID), .init("iat", now.seconds), .init("exp", (now + Self.lifetime).seconds),
            .init("aud", provider.issuer), .init("sub", provider.clientID),
        ]
        do throws(KeyError) {
            return try CompactToken.sign(claims, type: "JWT", keyID: key.keyID, key.key, .es256)
        } catch {
            throw .document(.appleKey)
        }
    }
}
