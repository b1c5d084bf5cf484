import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `POST /oidc/token` (RFC 6749 3.2): a code or a refresh token for tokens.
struct TokenRoutes: Sendable {
    let parts: OIDCParts

    func addRoutes(to router: inout FeatureRouter) {
        parts.addEndpoint([.post], at: OIDCPath.token, to: &router) { request, context in
            let parameters = RequestParameters(try await request.formFields(atMost: 16 << 10))
            let client = try await parts.authentication.client(of: request, parameters, context)
            let type: String
            do throws(ParameterError) { type = try parameters.required("grant_type") } catch {
                throw OAuthError(error)
            }
            do {
                switch type {
                case "authorization_code": return try await redeem(parameters, client, context)
                case "refresh_token": return try await refresh(parameters, client, context)
                default:
                    throw OAuthError(
                        "unsupported_grant_type", cause: "grant_type",
                        "grant_type must be authorization_code or refresh_token.", client: client.client.id)
                }
            } catch let error as OAuthError {
                throw parts.authentication.counting(error, of: client)
            }
        }
    }

    // MARK: A code

    private struct Sent {
        let code: Secret<OIDCCodeKind>
        /// Missing only where there is a verifier.
        let redirectURI: String?
        let verifier: String?

        init(_ parameters: RequestParameters, _ client: String) throws {
            do throws(ParameterError) {
                let code = try parameters.required("code")
                verifier = try parameters.text("code_verifier")
                redirectURI = try parameters.text("redirect_uri")
                guard redirectURI != nil || verifier != nil else { throw ParameterError("redirect_uri", .missing) }
                guard let code = Secret<OIDCCodeKind>(wire: code) else { throw ParameterError("code", .malformed) }
                self.code = code
            } catch {
                guard error.name == "code", error.kind == .malformed else { throw OAuthError(error) }
                throw OAuthError.invalidGrant("malformed_token", "The code is malformed.", client: client)
            }
            guard verifier.map(CodeChallenge.isWellFormedVerifier) ?? true else {
                throw OAuthError.invalidGrant(
                    "malformed_code_verifier", "code_verifier must have 43 to 128 unreserved characters.",
                    client: client)
            }
        }
    }

    /// What the transaction of a redemption or a refresh gives.
    private struct Answered: Sendable {
        let signIn: OIDCSignIn
        let key: SigningKey
        let settings: OIDCSettings
    }

    private func redeem(
        _ parameters: RequestParameters, _ client: ClientAuthentication.Proven, _ context: VisitorContext
    ) async throws -> Response {
        let sent = try Sent(parameters, client.client.id)
        try await parts.admit(.code(sent.code), of: client)
        let (access, refresh) = (
            try OIDCAccessToken(randomness: parts.randomness),
            try parts.tokens.form.first(of: sent.code.digest, parts.randomness)
        )
        try await parts.keys.prepare(client.settings.algorithm)
        let now = parts.clock.now()
        let effects = GrantStore.Effects<Answered>(
            accepted: { [parts] account, redeemed, registered, connection in
                guard let request = OIDCRequest(payload: redeemed.payload), let settings = registered.oidc else {
                    throw DatabaseError.unavailable("a code without its request")
                }
                let scopes = request.scopes.filter(settings.scopes.contains)
                let family = OIDCTokens.Family(
                    digest: sent.code.digest, clientID: registered.id, accountID: account.id,
                    accountSignOuts: account.signOuts, signIn: redeemed.signIn)
                try parts.tokens.insert(access, family, scopes, at: now, connection)
                if scopes.contains(.offlineAccess) {
                    let moment = OIDCTokens.Moment(authenticatedAt: redeemed.provenAt, methods: redeemed.methods)
                    try parts.tokens.insert(refresh, family, scopes, moment, at: now, connection)
                }
                return Answered(
                    signIn: OIDCSignIn(
                        clientID: registered.id, account: account,
                        username: try Usernames.name(of: account, parts.randomness, connection), scopes: scopes,
                        groups: redeemed.groups, session: redeemed.toldSession, provenAt: redeemed.provenAt,
                        methods: redeemed.methods),
                    key: try parts.keys.current(settings.algorithm, connection), settings: settings)
            },
            repeated: { [parts] owner, rejection, connection in
                let (id, account) = (client.client.id, owner?.id)
                let hasEnded = try parts.tokens.end(family: sent.code.digest, at: now, connection)
                try context.record(
                    Event(
                        .codeReused, by: .client(id), account: account, client: id,
                        ["flow": "\(rejection.flow ?? "-")"], level: client.level(ofAlarm: .error)), connection)
                guard hasEnded else { return }
                try context.record(
                    Event(.refreshTokensEnded, account: account, client: id, cause: "code_reused"), connection)
            })
        let (outcome, answered) = try await parts.grants.consume(
            GrantStore.Presented(
                sent.code, OIDCProtocol.grantKind, by: client.client, returnTo: sent.redirectURI,
                codeVerifier: sent.verifier, context.audit, use: client.use, whereStill: client.isStill),
            parts.lifetime, effects)
        switch outcome {
        case .accepted(_, let redeemed):
            guard let answered else { throw OAuthError.unavailable }
            let nonce = OIDCRequest(payload: redeemed.payload)?.nonce
            let hasRefresh = answered.signIn.scopes.contains(.offlineAccess)
            return try answer(answered, access, refresh: hasRefresh ? refresh : nil, nonce: nonce, at: now)
        case .refused(let rejection):
            throw OAuthError(rejection, client: client.client.id)
        case .clientDropped: throw OAuthError.dropped(client.client.id)
        case .burnt(let rejection, let owner):
            context.record(
                Event(
                    .codeLeaked, client: client.client.id, flow: rejection.flow, detail: owner,
                    level: client.level(ofAlarm: .warning)))
            throw OAuthError(rejection, client: client.client.id)
        }
    }

    // MARK: A refresh token

    private enum Refreshing: Sendable {
        case dropped
        case outcome(OIDCTokens.Outcome)
        /// The client may use no refresh tokens.
        case unauthorized
        case refreshed(Answered, OIDCTokens.Refreshed, OIDCAccessToken)
    }

    private func refresh(
        _ parameters: RequestParameters, _ client: ClientAuthentication.Proven, _ context: VisitorContext
    ) async throws -> Response {
        let id = client.client.id
        let (text, wanted): (String, [OIDCScope]?)
        do throws(ParameterError) {
            text = try parameters.required("refresh_token")
            wanted = try parameters.text("scope").map(OIDCScope.list)
        } catch { throw OAuthError(error) }
        let words = OAuthError.wordsOfRefreshToken
        guard let token = OIDCRefreshToken(wire: text) else {
            throw OAuthError.invalidGrant("malformed_token", words, client: id)
        }
        try await parts.admit(.refreshToken(token), of: client)
        try await parts.keys.prepare(client.settings.algorithm)
        let now = parts.clock.now()
        let (outcome, hasWrittenUse) = try await parts.database.write { [parts] connection -> (Refreshing, Bool) in
            guard let registered = try parts.registered(client, connection), let settings = registered.oidc else {
                return (.dropped, false)
            }
            let outcome = try parts.tokens.use(token, by: registered, at: now, connection) { granted in
                settings.scopes.contains(.offlineAccess)
                    && wanted.map { $0.contains(.openid) && $0.allSatisfy(granted.contains) } ?? true
            }
            try parts.record(outcome, client, context, connection)
            let hasWrittenUse = try client.use.map { try parts.clients.uses.write($0, at: now, connection) } ?? false
            if case .notAdmitted = outcome, !settings.scopes.contains(.offlineAccess) {
                return (.unauthorized, hasWrittenUse)
            }
            guard case .accepted(let refreshed) = outcome else { return (.outcome(outcome), hasWrittenUse) }
            let scopes = (wanted ?? refreshed.scopes).filter(settings.scopes.contains)
            let access = try parts.tokens.form.access(for: token, OIDCScope.text(scopes), at: now)
            try parts.tokens.insert(access, refreshed.family, scopes, at: now, connection)
            let signIn = OIDCSignIn(
                clientID: id, account: refreshed.account,
                username: try Usernames.name(of: refreshed.account, parts.randomness, connection), scopes: scopes,
                groups: try registered.groupsTold(of: refreshed.account.id, connection),
                session: refreshed.family.signIn.session, provenAt: refreshed.moment.authenticatedAt,
                methods: refreshed.moment.methods)
            let answered = Answered(
                signIn: signIn, key: try parts.keys.current(settings.algorithm, connection), settings: settings)
            return (.refreshed(answered, refreshed, access), hasWrittenUse)
        }
        await parts.clients.catchUp()
        if let use = client.use, hasWrittenUse { parts.clients.uses.noteWritten(use, at: now) }
        switch outcome {
        case .dropped: throw OAuthError.dropped(id)
        case .outcome(.notAdmitted):
            throw OAuthError(
                "invalid_scope", cause: "scope", "scope must have openid, and nothing beyond what was granted.",
                client: id)
        case .unauthorized:
            throw OAuthError(
                "unauthorized_client", cause: "offline_access",
                "The client may not use refresh tokens: its scopes lack offline_access.", client: id)
        case .refreshed(let answered, let refreshed, let access):
            return try answer(answered, access, refresh: refreshed.successor, nonce: nil, at: now)
        case .outcome(.refused(let cause)): throw OAuthError.invalidGrant(cause, words, client: id)
        case .outcome(.accepted): throw OAuthError.unavailable
        case .outcome(.reused): throw OAuthError.invalidGrant("used", words, client: id)
        case .outcome(.foreign): throw OAuthError.invalidGrant("token_of_other_client", words, client: id)
        }
    }

    // MARK: The answer

    private func answer(
        _ answered: Answered, _ access: OIDCAccessToken, refresh: OIDCRefreshToken?, nonce: String?, at now: Timestamp
    ) throws -> Response {
        let claims = IDToken.members(
            answered.signIn, issuer: parts.issuer, at: now, nonce: nonce, accessToken: access.wire,
            answered.key.algorithm, hasScopeClaims: answered.settings.hasIDTokenClaims)
        var members: [JSONText.Member] = [
            .init("access_token", access.wire), .init("token_type", "Bearer"),
            .init("expires_in", Int(OIDCTokens.accessLifetime.components.seconds)),
            .init("scope", OIDCScope.text(answered.signIn.scopes)),
            .init("id_token", try parts.keys.sign(claims, type: IDToken.type, with: answered.key)),
        ]
        if let refresh { members.append(.init("refresh_token", refresh.wire)) }
        return .json(members, headers: [.cacheControl: "no-store"])
    }
}
