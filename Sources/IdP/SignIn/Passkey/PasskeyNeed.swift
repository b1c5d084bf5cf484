import IdPAccounts
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// The rule of every change of passkeys: no weaker way adds or removes a stronger one. An account with a passkey asks for one, and
/// every account for a sign-in of the last ten minutes.
enum PasskeyNeed {
    static func of(_ account: Account, _ connection: any SQLConnection) throws -> Proof.Need {
        Proof.Need(
            age: Proof.Need.recent.age, strength: try PasskeyStore.has(account.id, connection) ? .phr : .any)
    }

    /// Whether the sign-in of a user is recent and strong enough.
    static func isMet(
        by user: SignedInUser, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        try of(user.account, connection).isMet(
            by: user.signIn.proofs.strength, at: user.signIn.provenAt, now: now)
    }
}
