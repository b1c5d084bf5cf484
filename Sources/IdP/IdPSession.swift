import SSOShared
import SSOWeb

/// The slots of a browser's session at the IdP.
struct IdPSession: SessionSlots {
    /// The dedicated key: what services are waiting for, flow id to request. The only slot that survives signing in,
    /// and a map, so that several tabs and several services wait side by side.
    var sso = PendingFlows()
    /// The challenges this browser has asked for. A code is worth nothing in any other browser.
    var challenges = HeldChallenges()
    /// Who is signed in.
    var signIn: SignIn?

    /// A finished sign-in.
    struct SignIn: Codable, Sendable {
        let accountID: String
        let authenticatedAt: Timestamp
        /// How it was proven, for partners that ask for more: `email_code`.
        let methods: [String]
        /// The account's ``Account/signOuts`` at that moment. Nil in a session from before there was such a number.
        let signOuts: Int64?

        var accountSignOuts: Int64 { signOuts ?? 0 }
    }
}
