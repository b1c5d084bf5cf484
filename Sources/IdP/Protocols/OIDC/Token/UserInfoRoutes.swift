import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `GET|POST /oidc/userinfo` (OpenID Connect Core 5.3): the claims of the scopes, for an access token.
struct UserInfoRoutes: Sendable {
    let parts: OIDCParts

    func addRoutes(to router: inout FeatureRouter) {
        parts.addEndpoint([.get, .post], at: OIDCPath.userInfo, to: &router) { request, context in
            let text = try await Self.bearer(request)
            guard let token = OIDCAccessToken(wire: text), let signIn = try await self.signIn(token) else {
                throw Self.invalidToken
            }
            return .json(
                [.init("sub", signIn.account.id)] + IDToken.scopeClaims(signIn),
                headers: [.cacheControl: "no-store"])
        }
    }

    /// RFC 6750 2.1 and 2.2. A token in the query would be in logs and histories, so it is not read.
    private static func bearer(_ request: Request) async throws -> String {
        let fields = request.headers[values: .authorization]
        guard fields.count <= 1 else { throw unclear(ParameterError("Authorization", .repeated)) }
        var sent: String?
        if request.method == .post,
            MediaRange.essence(of: request.headers[values: .contentType]) == "application/x-www-form-urlencoded"
        {
            let longest = OIDCParts.longestForm
            do {
                sent = try RequestParameters(try await request.formFields(atMost: longest)).text(
                    "access_token", longest: longest)
            } catch let error as ParameterError { throw unclear(error) }
        }
        guard let field = fields.first else {
            guard let sent else { throw missing }
            return sent
        }
        guard sent == nil else { throw unclear(ParameterError("access_token", .repeated)) }
        guard let token = Credentials.of("bearer", in: field) else { throw missing }
        return token
    }

    private static func unclear(_ error: ParameterError) -> OAuthError {
        var error = OAuthError(error)
        error.challenge = "Bearer error=\"\(error.code)\""
        return error
    }

    private static var missing: OAuthError {
        var error = OAuthError("invalid_token", .unauthorized, cause: "token_missing", "An access token is missing.")
        error.challenge = Self.challenge
        return error
    }

    /// The same for a request without a token, for which RFC 6750 3.1 would leave out the error code.
    private static let challenge = "Bearer error=\"invalid_token\""

    private static var invalidToken: OAuthError {
        var error = OAuthError(
            "invalid_token", .unauthorized, cause: "access_token",
            "The access token is unknown, expired or revoked, or its user has signed out.")
        error.challenge = Self.challenge
        return error
    }

    private func signIn(_ token: OIDCAccessToken) async throws -> OIDCSignIn? {
        let now = parts.clock.now()
        return try await parts.clients.read(parts.database) { [parts] in try parts.signIn(token, at: now, $0) }
    }
}

extension OIDCParts {
    /// What an access token stands for; nil for one that does not hold, or whose client is not registered any more.
    func signIn(_ token: OIDCAccessToken, at now: Timestamp, _ connection: any SQLConnection) throws -> OIDCSignIn? {
        guard let access = try tokens.access(token, at: now, connection),
            let client = try clients.registered(connection).client(id: access.clientID),
            let settings = client.oidc,
            try client.access.admits(account: access.account.id, connection)
        else { return nil }
        return OIDCSignIn(
            clientID: client.id, account: access.account, username: access.account.username ?? "",
            // What the client may not ask for any more is not told, whatever was granted.
            scopes: access.scopes.filter(settings.scopes.contains),
            groups: try client.groupsTold(of: access.account.id, connection), session: "",
            provenAt: nil, proofs: SignInProofs([], .any))
    }
}
