import SSOShared
import SSOWeb

/// The slots of a browser's session at the partner. Only who has signed in has one.
struct RelyingPartySession: SessionSlots {
    /// The sign-ins that led here. Versions before kept those that are still open here as well, under this name.
    var pending = PendingSignIns()
    /// Who is signed in.
    var user: User?

    /// What the IdP said of the person, at the moment of the sign-in.
    struct User: Codable, Sendable {
        /// The IdP's stable id: what a partner keys its own rows by.
        let id: String
        let email: String
        let name: String
        let signedInAt: Timestamp
        /// How the person proved who they are, for pages that ask for more.
        let methods: [String]
    }
}
