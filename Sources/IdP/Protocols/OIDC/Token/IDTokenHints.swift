import IdPAccounts
import IdPClients
import IdPSigningKeys
import Logging
import SSOShared
import SSOWeb
import Storage

/// Reads ID tokens of this provider that come back as a hint (`id_token_hint`). They may have expired: they only say which
/// sign-in is meant.
struct IDTokenHints: Sendable {
    let issuer: String
    let keys: SigningKeys

    /// What a hint says, after its signature was checked.
    struct Hint: Sendable {
        let account: String
        let client: String
        let session: String?
        /// The address in the token, if its client gets one there.
        let email: String?
    }

    /// Nil for any text but an ID token of this provider.
    func hint(_ text: String?) async throws -> Hint? {
        guard let text, !text.isEmpty, let claims = try await keys.claims(of: text, type: IDToken.type),
            let own = claims["iss"]?.string, own.utf8.elementsEqual(issuer.utf8),
            let account = claims["sub"]?.string, let client = claims["aud"]?.string
        else { return nil }
        return Hint(
            account: account, client: client, session: claims["sid"]?.string, email: claims["email"]?.string)
    }

    /// The address of a hint's account, for the sign-in page. A client that may not ask for addresses learns none, also not by its
    /// own hint.
    func email(of hint: Hint, for client: Client, _ logger: Logger) async -> String? {
        guard hint.client.utf8.elementsEqual(client.id.utf8), client.oidc?.scopes.contains(.email) == true else {
            return hint.email
        }
        do {
            return try await keys.database.read { try AccountStore.find(hint.account, $0)?.email } ?? hint.email
        } catch {
            logger.record(Event(.hintedAccountNotRead, cause: "\(error)"))
            return hint.email
        }
    }
}
