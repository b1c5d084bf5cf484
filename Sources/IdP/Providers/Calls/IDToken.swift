import JWT
import SSOShared
import SSOWeb

/// What an ID token says, after every check of OpenID Connect Core 1.0, 3.1.3.7.
struct IDToken: Sendable {
    /// How old an ID token may be. It comes straight from the provider, so it was made for this answer.
    static let longestAge: Duration = .minutes(10)

    let claims: TokenClaims
    let subject: String
    let authenticatedAt: Timestamp?
    let digest: [UInt8]
    let refusedFrom: Timestamp

    /// Checks the claims.
    ///
    /// - Parameter claims: of the token, whose signature has been checked.
    init(
        _ token: SignedToken, claims: TokenClaims, provider: Provider, nonce: String, accessToken: String?,
        now: Timestamp
    ) throws(ProviderError) {
        self.claims = claims
        try claims.checkOrigin(provider)
        refusedFrom = try claims.checkTimes(now, age: Self.longestAge)
        guard let sent = claims.json["nonce"]?.string, ConstantTime.equal(sent, nonce) else { throw .answer(.nonce) }
        try Self.checkAccessToken(claims, accessToken, token.algorithm)
        subject = try claims.subject()
        authenticatedAt = try Self.authTime(claims, now)
        digest = token.digest
    }

    /// `at_hash`: the left half of the access token's hash (OpenID Connect Core 1.0, 3.1.3.6). Checked when present: the
    /// access token then belongs to this sign-in.
    private static func checkAccessToken(
        _ claims: TokenClaims, _ accessToken: String?, _ algorithm: SignatureAlgorithm
    ) throws(ProviderError) {
        guard let node = claims.json.member("at_hash") else { return }
        guard let hash = node.string.flatMap({ Base64URL.decode($0) }), let accessToken else {
            throw .answer(.accessTokenHash)
        }
        let bytes = [UInt8](accessToken.utf8)
        if ConstantTime.equal(hash, Array(SHA256.hash(bytes).prefix(16))) { return }
        // Ed25519 hashes with SHA-512 (RFC 8032 5.1), and no text says which of the two at_hash means.
        if algorithm == .eddsa, ConstantTime.equal(hash, Array(SHA512.hash(bytes).prefix(32))) { return }
        throw .answer(.accessTokenHash)
    }

    private static func authTime(_ claims: TokenClaims, _ now: Timestamp) throws(ProviderError) -> Timestamp? {
        let time: Timestamp?
        do throws(ProviderError) { time = try claims.time("auth_time") } catch {
            throw .answer(.authTime, "not a number")
        }
        guard let time else { return nil }
        guard time <= now + TokenClaims.skew else { throw .answer(.authTime, "in the future") }
        return min(time, now)
    }
}
