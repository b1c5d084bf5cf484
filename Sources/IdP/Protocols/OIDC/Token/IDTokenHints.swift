import IdPAccounts
import Logging
import SSOShared

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
    }

    /// Nil for any text but an ID token of this provider.
    func hint(_ text: String?, _ logger: Logger) async -> Hint? {
        guard let text, !text.isEmpty else { return nil }
        do {
            guard let claims = try await keys.claims(of: text, type: IDToken.type),
                let own = claims["iss"]?.string, own.utf8.elementsEqual(issuer.utf8),
                let account = claims["sub"]?.string, let client = claims["aud"]?.string
            else { return nil }
            return Hint(account: account, client: client, session: claims["sid"]?.string)
        } catch {
            logger.warning("signing_keys_unavailable", metadata: ["cause": "\(error)"])
            return nil
        }
    }

    func account(of text: String?, _ logger: Logger) async -> String? { await hint(text, logger)?.account }
}
