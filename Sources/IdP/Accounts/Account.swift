import SSOWeb

/// A person who may sign in.
struct Account: Sendable {
    /// Stable and opaque: what partners key their rows by. Never the address, which may change hands.
    let id: String
    /// Lower-cased; where letters go.
    let email: String
    /// What the person is called at partners.
    let name: String
    let isDisabled: Bool
    /// How often all its sign-ins were ended at once. A sign-in counts while this number is still what it was then: no
    /// clock is asked, so that one that is wrong cannot keep a sign-in alive or an account out.
    let signOuts: Int64
    /// When it was made: at the first sign-in.
    let createdAt: Timestamp
}
