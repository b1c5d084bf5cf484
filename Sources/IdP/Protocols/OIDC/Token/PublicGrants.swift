import IdPAuthorization
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// What a client presents at the token endpoint.
enum PresentedGrant: Sendable {
    case code(Secret<OIDCCodeKind>)
    case refreshToken(OIDCRefreshToken)
}

extension OIDCParts {
    /// Looks up what a public client presents, before it is used: anybody can name that client.
    ///
    /// What nobody issued costs no write. Beyond the limit of a network what can be used goes on, so that a flood of invented
    /// codes keeps nobody out. So does what was used already, a few times per second: that ends the tokens of a code or a
    /// refresh token that has leaked.
    ///
    /// - Throws: ``OAuthError``. The caller counts it (``ClientAuthentication/counting(_:of:)``).
    func admit(_ presented: PresentedGrant, of client: ClientAuthentication.Proven) async throws {
        guard client.use == nil else { return }
        let now = clock.now()
        let state = try await database.read { [grants, tokens] connection in
            switch presented {
            case .code(let code): try grants.state(of: code, OIDCProtocol.grantKind, at: now, connection)
            case .refreshToken(let token): try tokens.state(of: token, at: now, connection)
            }
        }
        switch state {
        case .usable: return
        case .spent:
            guard let wait = authentication.networks.badSignatures.wait(client.address),
                spentGrants.hit(client.address) != nil
            else { return }
            throw OAuthError.rateLimited(wait)
        case nil:
            guard case .code = presented else {
                throw OAuthError.invalidGrant("unknown", OAuthError.wordsOfRefreshToken, client: client.client.id)
            }
            var error = OAuthError(GrantErrorCause.unknown, client: client.client.id)
            // No transaction has written its row.
            error.isAudited = false
            throw error
        }
    }
}

extension OIDCTokens {
    /// Nil for a refresh token that nobody issued. One whose row was deleted after its use is spent.
    func state(
        of token: OIDCRefreshToken, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> GrantState? {
        let found = try connection.query(
            """
            SELECT CASE WHEN used_at IS NULL AND ended_at IS NULL AND expires_at > :now THEN 1 ELSE 0 END AS is_usable
              FROM oidc_refresh_token WHERE digest = :digest
            """, ["digest": .blob(token.digest), "now": .timestamp(now)]
        ).first.map { try GrantState($0) }
        return try found ?? family(ofForgotten: token, connection).map { _ in .spent }
    }
}
