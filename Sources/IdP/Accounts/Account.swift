/// A person who may sign in.
struct Account: Sendable {
    /// Stable and opaque: what partners key their rows by. Never the address, which may change hands.
    let id: String
    /// Lower-cased; where letters go.
    let email: String
    /// What the person is called at partners.
    let name: String
    let isDisabled: Bool
}
