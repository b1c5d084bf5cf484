import SSOShared
import SSOWeb

/// The session slot of an identity that waits to be linked: its provider has verified the address of an account that
/// exists. The user has to sign in to that account in the way it has already. Until then the identity is worth nothing.
struct PendingIdentity: SessionSlot {
    static let key = "pendingIdentity"
    /// The sign-in that it waits for reads it and ends it.
    static let survivesSignIn = false
    /// As long as the code in the email is valid.
    static let lifetime: Duration = .minutes(10)

    private struct Stored: Codable {
        let provider, issuer, subject, email: String
        let isPrivateEmail: Bool
        let sealedRefreshToken: [UInt8]?
        let provenAt: Timestamp
    }

    private var stored: Stored?

    init() {}

    /// Nil for an identity without a verified address, which waits for no account.
    init?(_ identity: ExternalIdentity, provenAt: Timestamp) {
        guard let email = identity.email else { return nil }
        stored = Stored(
            provider: identity.provider, issuer: identity.issuer, subject: identity.subject, email: email.text,
            isPrivateEmail: identity.isPrivateEmail, sealedRefreshToken: identity.sealedRefreshToken,
            provenAt: provenAt)
    }

    /// The address of the account, for the page that asks to prove it; nil when nothing waits.
    func address(now: Timestamp) -> String? { current(now)?.email }

    /// The id of the provider; nil when nothing waits.
    func provider(now: Timestamp) -> String? { current(now)?.provider }

    /// The identity to link to this account; nil when none waits for it.
    func identity(for account: Account, now: Timestamp) -> ExternalIdentity? {
        guard let waiting = current(now), waiting.email.utf8.elementsEqual(account.email.utf8) else { return nil }
        return ExternalIdentity(
            provider: waiting.provider, issuer: waiting.issuer, subject: waiting.subject,
            email: try? EmailAddress(waiting.email), isPrivateEmail: waiting.isPrivateEmail,
            sealedRefreshToken: waiting.sealedRefreshToken)
    }

    /// One from the future was parked while the clock was wrong.
    private func current(_ now: Timestamp) -> Stored? {
        stored.flatMap {
            now - $0.provenAt < Self.lifetime && $0.provenAt <= now + ClockSkew.tolerated ? $0 : nil
        }
    }
}
