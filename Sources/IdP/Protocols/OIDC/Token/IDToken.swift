import IdPAccounts
import IdPClients
import IdPFlow
import IdPSigningKeys
import JWT
import SSOShared
import SSOWeb

/// The sign-in that tokens stand for.
struct OIDCSignIn: Sendable {
    let clientID: String
    let account: Account
    let username: String
    let scopes: [OIDCScope]
    /// The groups that the client is told; nil if it is told none.
    let groups: [String]?
    /// What is left when the account is not read: the session, and how the user was authenticated.
    let session: String
    let provenAt: Timestamp?
    let proofs: SignInProofs
}

/// ID tokens (OpenID Connect Core 2).
enum IDToken {
    /// As long as an access token. A client reads it at once.
    static let lifetime = SigningKeys.longestToken
    static let type = "JWT"

    /// Every claim that a token or userinfo may have.
    static let claims = [
        "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "azp", "sid", "amr", "acr", "name",
        "preferred_username", "nickname", "updated_at", "locale", "email", "email_verified", "groups",
    ]

    /// - Parameters:
    ///   - nonce: that of the request; nil after a refresh.
    ///   - hasScopeClaims: whether the claims of the scopes are in it, too.
    static func members(
        _ signIn: OIDCSignIn, issuer: String, at now: Timestamp, nonce: String?, accessToken: String,
        _ algorithm: SigningAlgorithm, _ references: MethodReferences, hasScopeClaims: Bool
    ) -> [JSONText.Member] {
        var members: [JSONText.Member] = [
            .init("iss", issuer), .init("sub", signIn.account.id), .init("aud", signIn.clientID),
            .init("azp", signIn.clientID), .init("exp", (now + lifetime).seconds), .init("iat", now.seconds),
        ]
        if let provenAt = signIn.provenAt { members.append(.init("auth_time", provenAt.seconds)) }
        if let nonce { members.append(.init("nonce", nonce)) }
        members += [
            .init("at_hash", hash(accessToken, algorithm)), .init("sid", signIn.session),
            .init("amr", references.of(signIn.proofs)), .init("acr", signIn.proofs.strength.rawValue),
        ]
        return hasScopeClaims ? members + scopeClaims(signIn) : members
    }

    /// The claims of the scopes (OpenID Connect Core 5.4), also in the answer of userinfo. None is empty or null, but for the
    /// list of groups.
    static func scopeClaims(_ signIn: OIDCSignIn) -> [JSONText.Member] {
        let account = signIn.account
        var members: [JSONText.Member] = []
        if signIn.scopes.contains(.profile) {
            members += [
                .init("name", account.name), .init("preferred_username", signIn.username),
                .init("nickname", signIn.username),
                .init("updated_at", (account.updatedAt ?? account.createdAt).seconds),
            ]
            if let language = account.language { members.append(.init("locale", language.rawValue)) }
        }
        if signIn.scopes.contains(.email) {
            members += [.init("email", account.email), .init("email_verified", true)]
        }
        if signIn.scopes.contains(.groups) { members.append(.init("groups", signIn.groups ?? [])) }
        return members
    }

    /// The left half of the hash that the signature uses (OpenID Connect Core 3.1.3.6); Ed25519 uses SHA-512.
    static func hash(_ accessToken: String, _ algorithm: SigningAlgorithm) -> String {
        let bytes = Array(accessToken.utf8)
        let digest = algorithm == .eddsa ? SHA512.hash(bytes) : SHA256.hash(bytes)
        return Base64URL.encode(digest.prefix(digest.count / 2))
    }
}

/// What sign-in methods and second factors are called in `amr` (RFC 8176).
struct MethodReferences: Sendable {
    /// The values of each id beside the id itself.
    private let registered: [String: [String]]

    init(_ methods: [any SignInMethod], _ factors: [any SecondFactor]) {
        let all = methods.map { ($0.id, $0.registeredValues) } + factors.map { ($0.id, $0.registeredValues) }
        registered = Dictionary(all) { first, _ in first }
    }

    func of(_ proofs: SignInProofs) -> [String] {
        var values = proofs.methods
        for method in proofs.methods {
            for value in registered[method] ?? [] where !values.contains(value) { values.append(value) }
        }
        for mark in proofs.marks where !values.contains(mark) { values.append(mark) }
        if proofs.methods.count > 1, !values.contains("mfa"), proofs.strength != .any { values.append("mfa") }
        return values
    }
}
