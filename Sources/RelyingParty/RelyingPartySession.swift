import SSOShared
import SSOWeb

/// The session slot of the user who is signed in. Only a browser that has signed in has a session.
struct SignedInUser: SessionSlot {
    static let key = "user"
    static let survivesSignIn = false

    /// What the IdP said about the user, at the moment of the sign-in.
    struct User: Codable, Sendable {
        /// The IdP's stable id. A relying party keys its own rows by it.
        let id: String
        let email: String
        let name: String
        let signedInAt: Timestamp
        /// How the user proved an identity, for pages that ask for more.
        let methods: [String]
    }

    /// Nil when nobody is signed in.
    var user: User?

    init() {}
    init(_ user: User) { self.user = user }
    init(from decoder: any Decoder) throws { user = try User(from: decoder) }

    func encode(to encoder: any Encoder) throws {
        guard let user else {
            var container = encoder.singleValueContainer()
            return try container.encodeNil()
        }
        try user.encode(to: encoder)
    }
}

/// The session slot of the sign-ins that led here. The previous version kept open sign-ins here as well.
extension PendingSignIns: SessionSlot {
    static let key = "pending"
    static let survivesSignIn = true
}
