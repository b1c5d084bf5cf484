import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPSignOut
import IdPSigningKeys
import Logging
import SSOShared
import SSOWeb
import Storage

/// `grant_type=refresh_token`: a refresh token for tokens, and for the next refresh token (RFC 6749 6, RFC 9700 4.14).
struct RefreshGrant: Sendable {
    private let parts: OIDCParts
    private let client: ClientAuthentication.Proven
    private let context: VisitorContext
    private let token: OIDCRefreshToken
    /// The scopes that the client asks for; nil for all that were granted.
    private let wanted: [OIDCScope]?

    /// - Throws: ``OAuthError``
    init(
        _ parameters: RequestParameters, by client: ClientAuthentication.Proven, _ parts: OIDCParts,
        _ context: VisitorContext
    ) throws {
        (self.parts, self.client, self.context) = (parts, client, context)
        let text: String
        do throws(ParameterError) {
            text = try parameters.required("refresh_token", longest: OIDCParts.longestForm)
            wanted = try parameters.text("scope").map(OIDCScope.list)
        } catch { throw OAuthError(error) }
        guard let token = OIDCRefreshToken(wire: text) else {
            throw OAuthError.invalidGrant("malformed_token", OAuthError.wordsOfRefreshToken, client: client.client.id)
        }
        self.token = token
    }

    private enum Outcome: Sendable {
        case answered(TokenAnswer)
        case refused(OIDCTokens.Refusal)
        case clientDropped
        /// The client may use no refresh tokens.
        case unauthorized
    }

    func use() async throws -> TokenAnswer {
        try await parts.admit(.refreshToken(token), of: client)
        try await parts.keys.prepare(client.settings.algorithm)
        let now = parts.clock.now()
        let outcome = try await parts.clients.write(parts.database) { try use(at: now, $0) }
        let (id, words) = (client.client.id, OAuthError.wordsOfRefreshToken)
        switch outcome {
        case .answered(let answer): return answer
        case .clientDropped: throw OAuthError.dropped(client)
        case .unauthorized:
            throw OAuthError(
                "unauthorized_client", cause: "offline_access",
                "The client may not use refresh tokens: its scopes lack offline_access.", client: id)
        case .refused(.notAdmitted):
            throw OAuthError(
                "invalid_scope", cause: "scope", "scope must have openid, and nothing beyond what was granted.",
                client: id)
        case .refused(.doesNotHold(let cause)): throw OAuthError.invalidGrant(cause, words, client: id)
        case .refused(.reused): throw OAuthError.invalidGrant("used", words, client: id)
        case .refused(.foreign): throw OAuthError.invalidGrant("token_of_other_client", words, client: id)
        }
    }

    private func use(at now: Timestamp, _ connection: any SQLConnection) throws -> Outcome {
        guard let registered = try parts.registered(client, connection), let settings = registered.oidc else {
            return .clientDropped
        }
        let required = parts.grants.required(by: registered)
        let outcome = try parts.tokens.use(token, by: registered, requiring: required, at: now, connection) { granted in
            settings.scopes.contains(.offlineAccess)
                && wanted.map { $0.contains(.openid) && $0.allSatisfy(granted.contains) } ?? true
        }
        try record(outcome, connection)
        if let use = client.use { try parts.clients.uses.write(use, at: now, connection) }
        switch outcome {
        case .accepted(let refreshed):
            return .answered(try answer(refreshed, registered, settings, at: now, connection))
        case .refused(.notAdmitted) where !settings.scopes.contains(.offlineAccess): return .unauthorized
        case .refused(let refusal): return .refused(refusal)
        }
    }

    private func answer(
        _ refreshed: OIDCTokens.Refreshed, _ registered: Client, _ settings: OIDCSettings, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> TokenAnswer {
        let scopes = (wanted ?? refreshed.scopes).filter(settings.scopes.contains)
        let access = try parts.tokens.insertAccess(for: token, refreshed.family, scopes, at: now, connection)
        let signIn = OIDCSignIn(
            clientID: registered.id, account: refreshed.account,
            username: try Usernames.name(of: refreshed.account, parts.randomness, connection), scopes: scopes,
            groups: try registered.groupsTold(of: refreshed.account.id, connection),
            session: refreshed.family.signIn.session, provenAt: refreshed.moment.authenticatedAt,
            proofs: refreshed.moment.proofs)
        return TokenAnswer(
            signIn: signIn, settings: settings, key: try parts.keys.current(settings.algorithm, connection),
            access: access, refresh: refreshed.successor, nonce: nil, now: now)
    }

    private func record(_ outcome: OIDCTokens.Outcome, _ connection: any SQLConnection) throws {
        let (id, alarm) = (client.client.id, client.level(ofAlarm: .error))
        switch outcome {
        case .accepted(let refreshed):
            try context.record(
                Event(
                    .tokenRefreshed, by: .client(id), account: refreshed.account.id, client: id,
                    ["protocol": "\(OIDCProtocol.id)"]), connection)
        case .refused(.reused(let account)):
            try context.record(
                Event(.refreshTokenReused, by: .client(id), account: account, client: id, level: alarm), connection)
            try context.record(
                Event(.refreshTokensEnded, account: account, client: id, cause: "refresh_token_reused"), connection)
        case .refused(.foreign(let owner)):
            try context.record(
                Event(.refreshTokenReused, by: .client(id), client: id, detail: owner, level: alarm), connection)
            try context.record(
                Event(.refreshTokensEnded, client: owner, cause: "token_of_other_client"), connection)
        case .refused: break
        }
    }
}
