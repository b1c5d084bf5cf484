import HTTPTypes
import Hummingbird
import IdPAuthorization
import IdPClients
import IdPFlow
import IdPSigningKeys
import SSOShared
import SSOWeb

/// `POST /oidc/token` (RFC 6749 3.2): a code or a refresh token for tokens.
struct TokenRoutes: Sendable {
    let parts: OIDCParts
    let references: MethodReferences

    func addRoutes(to router: inout FeatureRouter) {
        parts.addEndpoint([.post], at: OIDCPath.token, to: &router) { request, context in
            try await parts.answerForm(request, context) { client, parameters in
                let type: String
                do throws(ParameterError) { type = try parameters.required("grant_type") } catch {
                    throw OAuthError(error)
                }
                switch type {
                case "authorization_code":
                    return try await CodeGrant(parameters, by: client, parts, context).redeem().response(
                        parts, references)
                case "refresh_token":
                    return try await RefreshGrant(parameters, by: client, parts, context).use().response(
                        parts, references)
                default:
                    throw OAuthError(
                        "unsupported_grant_type", cause: "grant_type",
                        "grant_type must be authorization_code or refresh_token.")
                }
            }
        }
    }
}

/// What a client gets for a code or a refresh token (RFC 6749 5.1, OpenID Connect Core 3.1.3.3).
struct TokenAnswer: Sendable {
    let signIn: OIDCSignIn
    let settings: OIDCSettings
    /// Signs the ID token.
    let key: SigningKey
    let access: OIDCAccessToken
    let refresh: OIDCRefreshToken?
    /// As the request of the code had it.
    let nonce: String?
    let now: Timestamp

    func response(_ parts: OIDCParts, _ references: MethodReferences) throws -> Response {
        let claims = IDToken.members(
            signIn, issuer: parts.issuer, at: now, nonce: nonce, accessToken: access.wire, key.algorithm,
            references, hasScopeClaims: settings.hasIDTokenClaims)
        var members: [JSONText.Member] = [
            .init("access_token", access.wire), .init("token_type", "Bearer"),
            .init("expires_in", Int(OIDCTokens.accessLifetime.components.seconds)),
            .init("scope", OIDCScope.text(signIn.scopes)),
            .init("id_token", try parts.keys.sign(claims, type: IDToken.type, with: key)),
        ]
        if let refresh { members.append(.init("refresh_token", refresh.wire)) }
        var response = Response.json(members, headers: [.cacheControl: "no-store"])
        // RFC 6749 5.1, for caches of HTTP/1.0.
        if let pragma = HTTPField.Name("Pragma") { response.headers[pragma] = "no-cache" }
        return response
    }
}
