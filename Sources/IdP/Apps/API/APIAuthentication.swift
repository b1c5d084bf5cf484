import HTTPTypes
import Hummingbird
package import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb

/// The user of a request: by the access token of an app's native screens, or by the session of a web view or browser.
enum APICaller: Sendable {
    case app(TokenUser)
    case session(SignedInUser)
}

/// Finds out who sent a request. An access token that is sent decides alone: a wrong one is an error, and no cookie is
/// asked instead.
package struct APIAuthentication: Sendable {
    let tokens: AccessTokenStore
    let accounts: AccountStore

    package init(tokens: AccessTokenStore, accounts: AccountStore) {
        (self.tokens, self.accounts) = (tokens, accounts)
    }

    /// - Throws: ``APIError`` 401 without a user, or for a token that does not hold.
    func caller(_ request: Request, _ context: VisitorContext) async throws -> APICaller {
        if request.hasAuthorization { return .app(try await app(request, context)) }
        guard let user = try await accounts.signedIn(context) else { throw APIError.unauthenticated }
        return .session(user)
    }

    /// The user whom the request's access token names. The token lasts 90 days from now.
    ///
    /// - Throws: ``APIError`` 401 without a token, or for one that does not hold.
    func app(_ request: Request, _ context: VisitorContext) async throws -> TokenUser {
        guard request.hasAuthorization else { throw APIError.unauthenticated }
        guard let token = Self.token(in: request.headers[values: .authorization]) else {
            throw APIError.invalidToken(cause: "access_token_malformed")
        }
        guard let user = try await tokens.user(of: token) else {
            throw APIError.invalidToken(cause: "access_token_unknown")
        }
        // A full disk must not break requests that only read. A token that is not touched ends earlier.
        var entry = user.entry
        do { entry.expiresAt = try await tokens.touch(entry) } catch {
            context.record(Event(.accessTokenTouchFailed, cause: "\(error)"))
        }
        return TokenUser(account: user.account, entry: entry)
    }

    /// The token of the only `Authorization` field (RFC 6750 2.1; the scheme in any case, RFC 9110 11.1).
    static func token(in fields: [String]) -> AccessToken? {
        guard fields.count == 1, let field = fields.first else { return nil }
        return Credentials.of("bearer", in: field).flatMap { AccessToken(wire: $0) }
    }
}
