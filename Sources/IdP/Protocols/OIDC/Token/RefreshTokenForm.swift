import SSOShared
import SSOWeb

/// Owns the 32 bytes of refresh tokens: 8 of the hash of the family, 8 that authenticate it, and 16 that nobody can guess.
///
/// So a used token is recognised when its row is gone: a caller that has one has had a token of this family. The last 16 bytes are
/// random in the first token of a family, and derived from the token before in each later one. A repeated request gets the same
/// successor, and no row has it.
struct RefreshTokenForm: Sendable {
    /// How many bytes name the family.
    static let nameBytes = 8
    private static let tagBytes = 8

    typealias Key = (id: String, key: [UInt8])

    let keys: [Key]

    init(_ keys: DerivedKeys) {
        self.keys = keys.derive("oidc-refresh-token").map { (Hex.encode(SHA256.hash($0).prefix(4)), $0) }
    }

    /// The first token of a family.
    func first(of family: [UInt8], _ randomness: any Randomness) throws -> OIDCRefreshToken {
        let unguessable = try randomness.bytes(16)
        return try token(of: family, unguessable, keys.first?.key ?? [])
    }

    func successor(of token: OIDCRefreshToken, in family: [UInt8], _ key: [UInt8]) throws -> OIDCRefreshToken {
        try self.token(of: family, HMACSHA256.code(for: Array(token.wire.utf8), key: key), key)
    }

    /// The access token that a refresh gives: the same one for one token, scope, second and number of revocations in it. A client
    /// that repeats a request without end gets one in a second, and no row has it.
    func access(
        for token: OIDCRefreshToken, _ scope: String, at now: Timestamp, revoked: Int
    ) throws -> OIDCAccessToken {
        let text = "access \(now.milliseconds / 1000) \(revoked) \(scope) \(token.wire)"
        return try OIDCAccessToken(
            randomness: DerivedBytes(bytes: HMACSHA256.code(for: Array(text.utf8), key: keys.first?.key ?? [])))
    }

    /// What a token says its family begins with; nil for a token that is malformed.
    func name(in token: OIDCRefreshToken) -> [UInt8]? {
        Self.bytes(of: token).map { Array($0.prefix(Self.nameBytes)) }
    }

    /// Whether a token was made for this family with a key of ours.
    func isOf(_ family: [UInt8], _ token: OIDCRefreshToken) -> Bool {
        guard let bytes = Self.bytes(of: token), bytes.starts(with: family.prefix(Self.nameBytes)) else { return false }
        let tag = Array(bytes.dropFirst(Self.nameBytes).prefix(Self.tagBytes))
        return keys.map { ConstantTime.equal(Self.tag(family, $0.key), tag) }.contains(true)
    }

    private func token(of family: [UInt8], _ rest: [UInt8], _ key: [UInt8]) throws -> OIDCRefreshToken {
        try OIDCRefreshToken(
            randomness: DerivedBytes(bytes: family.prefix(Self.nameBytes) + Self.tag(family, key) + rest))
    }

    private static func tag(_ family: [UInt8], _ key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(for: Array("family ".utf8) + family, key: key).prefix(tagBytes))
    }

    private static func bytes(of token: OIDCRefreshToken) -> [UInt8]? {
        Base64URL.decode(token.wire.dropFirst(OIDCRefreshToken.prefix.count))
    }
}

/// Bytes that were derived, where a secret takes random ones.
private struct DerivedBytes: Randomness {
    let bytes: [UInt8]
    func bytes(_ count: Int) -> [UInt8] { Array(bytes.prefix(count)) }
}
