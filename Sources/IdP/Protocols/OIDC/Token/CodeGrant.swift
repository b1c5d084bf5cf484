import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPSigningKeys
import Logging
import SSOShared
import SSOWeb
import Storage

/// `grant_type=authorization_code`: a code for tokens (RFC 6749 4.1.3).
struct CodeGrant: Sendable {
    private let parts: OIDCParts
    private let client: ClientAuthentication.Proven
    private let context: VisitorContext
    private let code: Secret<OIDCCodeKind>
    /// Missing only where there is a verifier.
    private let redirectURI: String?
    private let verifier: String?

    /// - Throws: ``OAuthError``
    init(
        _ parameters: RequestParameters, by client: ClientAuthentication.Proven, _ parts: OIDCParts,
        _ context: VisitorContext
    ) throws {
        (self.parts, self.client, self.context) = (parts, client, context)
        let text: String
        do throws(ParameterError) {
            text = try parameters.required("code", longest: OIDCParts.longestForm)
            verifier = try parameters.text("code_verifier")
            redirectURI = try parameters.text("redirect_uri")
            guard redirectURI != nil || verifier != nil else { throw ParameterError("redirect_uri", .missing) }
        } catch { throw OAuthError(error) }
        guard let code = Secret<OIDCCodeKind>(wire: text) else {
            throw OAuthError.invalidGrant("malformed_token", "The code is malformed.", client: client.client.id)
        }
        self.code = code
    }

    func redeem() async throws -> TokenAnswer {
        try await parts.admit(.code(code), of: client)
        try await parts.keys.prepare(client.settings.algorithm)
        let new = New(
            access: try OIDCAccessToken(randomness: parts.randomness),
            refresh: try parts.tokens.form.first(of: code.digest, parts.randomness), now: parts.clock.now())
        let outcome = try await parts.grants.consume(
            GrantStore.Presented(
                code, OIDCProtocol.grantKind, by: client.client, returnTo: redirectURI, codeVerifier: verifier,
                context.audit, use: client.use, whereStill: client.isStill),
            parts.lifetime,
            GrantStore.Effects(
                accepted: { try answer(new, $0, $1, $2, $3) },
                repeated: { try endTokens(at: new.now, $0, $1, $2) }))
        let id = client.client.id
        switch outcome {
        case .accepted(_, _, let answer): return answer
        case .refused(let rejection): throw OAuthError(rejection, client: id)
        case .clientDropped: throw OAuthError.dropped(client)
        case .burnt(let rejection, let owner):
            context.record(
                Event(
                    .codeLeaked, client: id, flow: rejection.flow, detail: owner,
                    level: client.level(ofAlarm: .warning)))
            throw OAuthError(rejection, client: id)
        }
    }

    /// The tokens that an accepted code gives, and when.
    private struct New: Sendable {
        let access: OIDCAccessToken
        let refresh: OIDCRefreshToken
        let now: Timestamp
    }

    /// Stores the tokens of an accepted code.
    private func answer(
        _ new: New, _ account: Account, _ redeemed: GrantStore.Redeemed, _ registered: Client,
        _ connection: any SQLConnection
    ) throws -> TokenAnswer {
        guard let request = OIDCRequest(payload: redeemed.payload), let settings = registered.oidc else {
            throw DatabaseError.unavailable("a code without its request")
        }
        let scopes = request.scopes.filter(settings.scopes.contains)
        let family = OIDCTokens.Family(
            digest: code.digest, clientID: registered.id, accountID: account.id, accountSignOuts: account.signOuts,
            signIn: redeemed.signIn)
        try parts.tokens.insert(new.access, family, scopes, at: new.now, connection)
        let hasRefresh = scopes.contains(.offlineAccess)
        if hasRefresh {
            let moment = OIDCTokens.Moment(authenticatedAt: redeemed.provenAt, proofs: redeemed.proofs)
            try parts.tokens.insert(new.refresh, family, scopes, moment, at: new.now, connection)
        }
        let signIn = OIDCSignIn(
            clientID: registered.id, account: account,
            username: try Usernames.name(of: account, parts.randomness, connection), scopes: scopes,
            groups: redeemed.groups, session: redeemed.toldSession, provenAt: redeemed.provenAt,
            proofs: redeemed.proofs)
        return TokenAnswer(
            signIn: signIn, settings: settings, key: try parts.keys.current(settings.algorithm, connection),
            access: new.access, refresh: hasRefresh ? new.refresh : nil, nonce: request.nonce, now: new.now)
    }

    /// A second use ends what the first one gave (RFC 6749 4.1.2).
    private func endTokens(
        at now: Timestamp, _ owner: Account?, _ rejection: GrantStore.GrantError, _ connection: any SQLConnection
    ) throws {
        let (id, account) = (client.client.id, owner?.id)
        let hasEnded = try parts.tokens.end(family: code.digest, at: now, connection)
        try context.record(
            Event(
                .codeReused, by: .client(id), account: account, client: id, ["flow": "\(rejection.flow ?? "-")"],
                level: client.level(ofAlarm: .error)), connection)
        guard hasEnded else { return }
        try context.record(
            Event(.refreshTokensEnded, account: account, client: id, cause: "code_reused"), connection)
    }
}
