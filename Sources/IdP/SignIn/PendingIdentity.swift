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
        let identity: StoredIdentity
        let provenAt: Timestamp
        /// The user has agreed on the page that names provider and account.
        var isConfirmed = false
    }

    private var stored: Stored?

    init() {}

    /// Nil for an identity without a verified address, which waits for no account.
    init?(_ identity: ExternalIdentity, provenAt: Timestamp) {
        guard identity.email != nil else { return nil }
        stored = Stored(identity: StoredIdentity(identity), provenAt: provenAt)
    }

    /// The address of the account, for the page that asks to prove it; nil when nothing waits.
    func address(now: Timestamp) -> String? { current(now)?.identity.email }

    /// The id of the provider; nil when nothing waits.
    func provider(now: Timestamp) -> String? { current(now)?.identity.identity.provider }

    /// The id of the provider that the next sign-in to its account adds; nil for none.
    func confirmedProvider(now: Timestamp) -> String? {
        current(now).flatMap { $0.isConfirmed ? $0.identity.identity.provider : nil }
    }

    /// Notes that the user has agreed for this address. Without it a user of a shared browser could link what the user
    /// before has left behind.
    mutating func confirm(for address: EmailAddress) {
        if stored?.identity.email?.utf8.elementsEqual(address.text.utf8) == true { stored?.isConfirmed = true }
    }

    /// The identity to link to this account; nil when none waits for it, or the user has not agreed.
    func identity(for account: Account, now: Timestamp) -> ExternalIdentity? {
        guard let current = current(now), current.isConfirmed else { return nil }
        let identity = current.identity.identity
        guard
            identity.email?.text.utf8.elementsEqual(account.email.utf8) == true
        else { return nil }
        return identity
    }

    /// One from the future was parked while the clock was wrong.
    private func current(_ now: Timestamp) -> Stored? {
        stored.flatMap {
            now - $0.provenAt < Self.lifetime && $0.provenAt <= now + ClockSkew.tolerated ? $0 : nil
        }
    }
}
