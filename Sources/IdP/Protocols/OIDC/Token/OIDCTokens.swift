import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// The kind of an access token: `soa_…`.
package enum OIDCAccessTokenKind: SecretKind {
    package static let prefix = "soa_"
}

/// The kind of a refresh token: `sor_…`.
package enum OIDCRefreshTokenKind: SecretKind {
    package static let prefix = "sor_"
}

typealias OIDCAccessToken = Secret<OIDCAccessTokenKind>
typealias OIDCRefreshToken = Secret<OIDCRefreshTokenKind>

/// Owns the rows of `oidc_access_token` and `oidc_refresh_token`. Only hashes are stored.
///
/// A token hangs on its client's sign-in (``ClientSignIns/holds(_:kind:)``): whatever ends that ends the token in the same
/// transaction, also where nobody names the token. The tokens that go back to one code are a family.
struct OIDCTokens: Sendable {
    static let accessLifetime = IDToken.lifetime
    /// A refresh token that is not used.
    static let refreshLifetime: Duration = .days(30)
    /// A family of refresh tokens.
    static let familyLifetime: Duration = .days(90)
    /// How long a used refresh token gives its successor again, as long as that is unused: the answer may have been lost.
    static let repetition: Duration = .seconds(60)
    /// A successor is replaced after so long. Until then it is given again: a loop makes one row in a second.
    static let rotation: Duration = .seconds(1)
    /// How many used refresh tokens of a family have rows. Earlier ones are recognised by what they name.
    static let usedKept = 50

    let eligibility: SignInEligibility
    let form: RefreshTokenForm

    init(eligibility: SignInEligibility, keys: DerivedKeys) {
        (self.eligibility, form) = (eligibility, RefreshTokenForm(keys))
    }

    /// What the tokens of a family have in common.
    struct Family: Sendable {
        let digest: [UInt8]
        let clientID, accountID: String
        let accountSignOuts: Int64
        let signIn: ClientSignInName

        fileprivate var values: SQLArguments {
            [
                "family": .blob(digest), "client": .text(clientID), "account": .text(accountID),
                "signouts": .integer(accountSignOuts), "told": .text(signIn.session),
                "beginnings": .integer(signIn.beginnings),
            ]
        }
    }

    // MARK: Access tokens

    /// - Returns: false if the token has a row.
    @discardableResult func insert(
        _ token: OIDCAccessToken, _ family: Family, _ scopes: [OIDCScope], at now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO oidc_access_token (digest, family, client_id, account_id, account_sign_outs, told_session,
                                           sign_in_beginnings, scope, created_at, expires_at)
            VALUES (:digest, :family, :client, :account, :signouts, :told, :beginnings, :scope, :now, :expires)
                ON CONFLICT (digest) DO NOTHING
            """,
            family.values.merging([
                "digest": .blob(token.digest), "scope": .text(OIDCScope.text(scopes)), "now": .timestamp(now),
                "expires": .timestamp(now + Self.accessLifetime),
            ])) > 0
    }

    /// Stores the access token of a refresh (``RefreshTokenForm/access(for:_:at:revoked:)``). One that was revoked within its
    /// second stays revoked: the next one is given.
    func insertAccess(
        for token: OIDCRefreshToken, _ family: Family, _ scopes: [OIDCScope], at now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> OIDCAccessToken {
        var revoked = 0
        while true {
            let access = try form.access(for: token, OIDCScope.text(scopes), at: now, revoked: revoked)
            if try insert(access, family, scopes, at: now, connection) { return access }
            if try self.access(access, at: now, connection) != nil { return access }
            revoked += 1
        }
    }

    /// An access token that holds.
    struct Access: Sendable {
        let clientID: String
        let account: Account
        let scopes: [OIDCScope]
        let createdAt, expiresAt: Timestamp
    }

    /// The token, if it holds at this moment: not expired, not revoked, its client's sign-in goes on, and its account may sign
    /// in. Whether the account may enter the client, and whether that is registered, is for the caller.
    func access(_ token: OIDCAccessToken, at now: Timestamp, _ connection: any SQLConnection) throws -> Access? {
        let values: SQLArguments = ["digest": .blob(token.digest), "now": .timestamp(now)]
        guard let row = try connection.query(Self.accessSQL, values).first,
            let account = try AccountStore.find(try row.text("account_id"), connection), eligibility.maySignIn(account)
        else { return nil }
        return Access(
            clientID: try row.text("client_id"), account: account, scopes: OIDCScope.list(try row.text("scope")),
            createdAt: try row.timestamp("created_at"), expiresAt: try row.timestamp("expires_at"))
    }

    private static let accessSQL = """
        SELECT client_id, account_id, scope, created_at, expires_at FROM oidc_access_token
         WHERE digest = :digest AND expires_at > :now AND \(SignInHolds.atClientSQL("oidc_access_token"))
           AND \(ClientSignIns.holds("oidc_access_token", kind: OIDCProtocol.id))
        """

    // MARK: Refresh tokens

    /// How a sign-in was, for the ID tokens after a refresh.
    struct Moment: Sendable {
        let authenticatedAt: Timestamp?
        let proofs: SignInProofs
    }

    func insert(
        _ token: OIDCRefreshToken, _ family: Family, _ scopes: [OIDCScope], _ moment: Moment, endsAt: Timestamp? = nil,
        at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        let endsAt = endsAt ?? now + Self.familyLifetime
        try connection.execute(
            """
            INSERT INTO oidc_refresh_token (digest, family, client_id, account_id, account_sign_outs, told_session,
                                            sign_in_beginnings, scope, authenticated_at, is_proven, methods, strength,
                                            created_at, expires_at, family_ends_at)
            VALUES (:digest, :family, :client, :account, :signouts, :told, :beginnings, :scope, :authenticated, :proven,
                    :methods, :strength, :now, :expires, :ends)
                ON CONFLICT (digest) DO NOTHING
            """,
            family.values.merging([
                "digest": .blob(token.digest), "scope": .text(OIDCScope.text(scopes)),
                "authenticated": .timestamp(moment.authenticatedAt ?? now),
                "proven": .integer(moment.authenticatedAt == nil ? 0 : 1),
                "methods": .text(moment.proofs.text), "strength": .text(moment.proofs.strength.rawValue),
                "now": .timestamp(now),
                "expires": .timestamp(min(now + Self.refreshLifetime, endsAt)), "ends": .timestamp(endsAt),
            ]))
    }
}
