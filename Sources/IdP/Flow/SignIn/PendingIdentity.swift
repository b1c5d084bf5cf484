package import IdPAccounts
package import SSOShared
package import SSOWeb

/// The session slot of an identity that waits for a proof of a mailbox: its provider has verified the address and does not
/// own the domain, and the account either exists or is yet to be made. The user has to sign in by email first. Until then
/// the identity is worth nothing.
///
/// Only the challenge that began when the user agreed links it. Any other proof in this browser is perhaps that of another
/// user, who must not link what the user before has left behind.
package struct PendingIdentity: SessionSlot {
    package static let key = "pendingIdentity"
    /// The sign-in that it waits for reads it and ends it.
    package static let survivesSignIn = false
    /// As long as the code in the email is valid.
    static let lifetime: Duration = .minutes(10)

    private struct Stored: Codable {
        let identity: StoredIdentity
        let provenAt: Timestamp
        /// The address to prove.
        let address: String
        /// The id of the challenge that began when the user agreed; nil before that.
        var challenge: String?

    }

    private var stored: Stored?

    package init() {}

    /// - Parameter address: of the account that the identity leads to, or that it is to lead to.
    package init(_ identity: ExternalIdentity, toProve address: EmailAddress, provenAt: Timestamp) {
        stored = Stored(identity: StoredIdentity(identity), provenAt: provenAt, address: address.text)
    }

    /// The address to prove, for the page that asks for it; nil when nothing waits.
    package func address(now: Timestamp) -> String? { current(now)?.address }

    /// The id of the provider; nil when nothing waits.
    package func provider(now: Timestamp) -> String? { current(now)?.identity.identity.provider }

    /// The id of the provider that a challenge adds to its account; nil for none.
    package func provider(addedBy challenge: String, now: Timestamp) -> String? {
        identity(addedBy: challenge, now: now)?.provider
    }

    /// Whether an identity waits for the proof of this address.
    package func isWaiting(for address: EmailAddress) -> Bool {
        stored?.address.utf8.elementsEqual(address.text.utf8) == true
    }

    /// Notes that the user has agreed, on a page that names the address and the provider.
    ///
    /// - Parameter challenge: the id of the challenge that begins with it.
    package mutating func confirm(with challenge: String) { stored?.challenge = challenge }

    /// Whether the user has agreed with this challenge.
    package func isConfirmed(with challenge: String) -> Bool {
        stored?.challenge?.utf8.elementsEqual(challenge.utf8) == true
    }

    /// The identity to link when a challenge has succeeded; nil for any other challenge.
    func identity(addedBy challenge: String, now: Timestamp) -> ExternalIdentity? {
        isConfirmed(with: challenge) ? current(now)?.identity.identity : nil
    }

    /// One from the future was parked while the clock was wrong.
    private func current(_ now: Timestamp) -> Stored? {
        stored.flatMap {
            now - $0.provenAt < Self.lifetime && $0.provenAt <= now + ClockSkew.tolerated ? $0 : nil
        }
    }
}
