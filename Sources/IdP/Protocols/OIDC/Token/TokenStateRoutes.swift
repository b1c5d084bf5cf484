import HTTPTypes
import Hummingbird
import IdPDirectory
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `POST /oidc/revoke` (RFC 7009) and `POST /oidc/introspect` (RFC 7662).
struct TokenStateRoutes: Sendable {
    let parts: OIDCParts

    func addRoutes(to router: inout FeatureRouter) {
        parts.addEndpoint([.post], at: OIDCPath.revoke, to: &router) { request, context in
            let (client, token) = try await read(request, context)
            let now = parts.clock.now()
            try await parts.database.write { [parts] connection in
                guard let account = try parts.tokens.revoke(token, by: client.client, at: now, connection) else {
                    return
                }
                let id = client.client.id
                try context.audit?.write(
                    AuditRow(.refreshTokensEnded, by: .client(id), account: account, client: id, cause: "revoked"),
                    connection)
            }
            // The same for a token that nobody knows (RFC 7009 2.2).
            return Response(status: .ok, headers: [.cacheControl: "no-store"])
        }
        parts.addEndpoint([.post], at: OIDCPath.introspect, to: &router) { request, context in
            let (client, token) = try await read(request, context)
            guard client.settings.mayIntrospect else {
                throw OAuthError(
                    "unauthorized_client", .forbidden, cause: "introspect",
                    "The client may not ask about tokens: its entry lacks introspect: true.", client: client.client.id)
            }
            let members = try await state(of: token)
            context.audit?.note(AuditRow(.introspected, by: .client(client.client.id), client: client.client.id))
            return .json(members, headers: [.cacheControl: "no-store"])
        }
    }

    private func read(
        _ request: Request, _ context: VisitorContext
    ) async throws -> (ClientAuthentication.Proven, token: String) {
        let parameters = RequestParameters(try await request.formFields(atMost: 16 << 10))
        let client = try await parts.authentication.client(of: request, parameters, context)
        do throws(ParameterError) { return (client, try parameters.required("token")) } catch {
            throw OAuthError(error)
        }
    }

    /// Only an access token that holds is active. A refresh token is for the token endpoint alone.
    private func state(of text: String) async throws -> [JSONText.Member] {
        guard let token = OIDCAccessToken(wire: text) else { return [.init("active", false)] }
        let now = parts.clock.now()
        let found = try await parts.database.read { [parts] connection -> (OIDCSignIn, OIDCTokens.Access)? in
            guard let signIn = try parts.signIn(token, at: now, connection),
                let access = try parts.tokens.access(token, at: now, connection)
            else { return nil }
            return (signIn, access)
        }
        await parts.clients.catchUp()
        guard let (signIn, access) = found else { return [.init("active", false)] }
        let name: [JSONText.Member] = signIn.username.isEmpty ? [] : [.init("username", signIn.username)]
        return [
            .init("active", true), .init("client_id", signIn.clientID), .init("sub", signIn.account.id),
        ] + name + [
            .init("scope", OIDCScope.text(access.scopes)), .init("exp", access.expiresAt.seconds),
            .init("iat", access.createdAt.seconds), .init("token_type", "Bearer"), .init("iss", parts.issuer),
        ]
    }
}
