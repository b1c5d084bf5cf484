import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `POST /oidc/revoke` (RFC 7009) and `POST /oidc/introspect` (RFC 7662).
struct TokenStateRoutes: Sendable {
    let parts: OIDCParts

    func addRoutes(to router: inout FeatureRouter) {
        parts.addEndpoint([.post], at: OIDCPath.revoke, to: &router) { request, context in
            try await parts.answerForm(request, context) { client, parameters in
                try await revoke(try Self.token(parameters), by: client, context)
                // The same for a token that nobody knows (RFC 7009 2.2).
                return Response(status: .ok, headers: [.cacheControl: "no-store"])
            }
        }
        // For servers alone: no page of another origin may call it.
        parts.addEndpoint([.post], at: OIDCPath.introspect, to: &router, ofPages: false) { request, context in
            try await parts.answerForm(request, context) { client, parameters in
                let members = try await state(of: try Self.token(parameters), for: client)
                if let use = client.use { parts.questions.note(use, context.logger) }
                context.record(Event(.introspected, by: .client(client.client.id), client: client.client.id))
                return .json(members, headers: [.cacheControl: "no-store"])
            }
        }
    }

    private func revoke(
        _ token: String, by client: ClientAuthentication.Proven, _ context: VisitorContext
    ) async throws {
        let (id, now) = (client.client.id, parts.clock.now())
        // Anybody can name a public client: what nobody issued costs no write.
        let known = try await parts.clients.read(parts.database) { [parts] connection in
            (
                isStill: try parts.registered(client, connection) != nil,
                isKnown: try parts.tokens.isKnown(token, connection)
            )
        }
        var isStill = known.isStill
        if isStill, known.isKnown {
            isStill = try await parts.clients.write(parts.database) { [parts] connection in
                guard let registered = try parts.registered(client, connection) else { return false }
                switch try parts.tokens.revoke(token, by: registered, at: now, connection) {
                case .accessToken(let account):
                    try context.record(
                        Event(.accessTokenRevoked, by: .client(id), account: account, client: id), connection)
                case .refreshTokens(let account):
                    try context.record(
                        Event(.refreshTokensEnded, by: .client(id), account: account, client: id, cause: "revoked"),
                        connection)
                case nil: break
                }
                return true
            }
        }
        guard isStill else { throw OAuthError.dropped(client) }
        if let use = client.use { parts.questions.note(use, context.logger) }
    }

    private static func token(_ parameters: RequestParameters) throws(OAuthError) -> String {
        do { return try parameters.required("token", longest: OIDCParts.longestForm) } catch { throw OAuthError(error) }
    }

    /// Only an access token that holds is active. A refresh token is for the token endpoint alone.
    private func state(
        of text: String, for client: ClientAuthentication.Proven
    ) async throws -> [JSONText.Member] {
        let (id, now, token) = (client.client.id, parts.clock.now(), OIDCAccessToken(wire: text))
        let answer = try await parts.clients.read(parts.database) { [parts] connection -> Answer in
            guard let settings = try parts.registered(client, connection)?.oidc else { return .dropped }
            guard settings.mayIntrospect else { return .forbidden }
            guard let token, let signIn = try parts.signIn(token, at: now, connection),
                let access = try parts.tokens.access(token, at: now, connection)
            else { return .inactive }
            return .active(signIn, access)
        }
        switch answer {
        case .dropped: throw OAuthError.dropped(client)
        case .forbidden:
            throw OAuthError(
                "unauthorized_client", .forbidden, cause: "introspect",
                "The client may not ask about tokens: its entry lacks introspect: true.", client: id)
        case .inactive: return [.init("active", false)]
        case .active(let signIn, let access):
            var name: [JSONText.Member] = signIn.username.isEmpty ? [] : [.init("username", signIn.username)]
            // A further member (RFC 7662 2.2): mail servers name their users by it.
            if signIn.scopes.contains(.email) { name.append(.init("email", signIn.account.email)) }
            return [
                .init("active", true), .init("client_id", signIn.clientID), .init("sub", signIn.account.id),
            ] + name + [
                .init("scope", OIDCScope.text(signIn.scopes)), .init("exp", access.expiresAt.seconds),
                .init("iat", access.createdAt.seconds), .init("token_type", "Bearer"), .init("iss", parts.issuer),
            ]
        }
    }

    private enum Answer: Sendable {
        /// The client, or what it has proven itself with, was dropped since its request was checked.
        case dropped
        /// It may not ask about tokens.
        case forbidden
        case inactive
        case active(OIDCSignIn, OIDCTokens.Access)
    }
}
