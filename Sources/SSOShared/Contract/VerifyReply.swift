/// The answer 200 of ``SSOPath/verify``: who has signed in, for which client, and how.
public struct VerifyReply: Sendable, Equatable {
    /// Who has signed in.
    public let user: VerifiedUser
    /// The client that the token was issued to. A relying party refuses an answer that names another.
    public let clientID: String
    /// The session at the identity provider that the token was issued in.
    public let session: VerifiedSession

    /// Creates the answer for a redeemed token.
    public init(user: VerifiedUser, clientID: String, session: VerifiedSession) {
        self.user = user
        self.clientID = clientID
        self.session = session
    }

    /// Reads an answer whose signature has been checked. Unknown keys are ignored.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        user = try VerifiedUser(object.requiredObject("user"))
        clientID = try object.text("client_id")
        session = try VerifiedSession(object.requiredObject("session"))
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] {
        [UInt8](
            JSONText.object([
                .init("user", [.init("id", user.id), .init("email", user.email), .init("name", user.name)]),
                .init("client_id", clientID),
                .init(
                    "session",
                    [
                        .init("id", session.id), .init("authenticated_at", session.authenticatedAt),
                        .init("methods", session.methods),
                    ]),
            ]).utf8)
    }
}

/// The user's account at the identity provider.
public struct VerifiedUser: Sendable, Equatable {
    /// Stable and opaque. A relying party uses it as the key of its own accounts.
    public let id: String
    /// To show and to write to. Never a key: it may change, and may later belong to another user.
    public let email: String
    /// The name that the user has chosen.
    public let name: String

    /// Creates a user from the account's data.
    public init(id: String, email: String, name: String) {
        self.id = id
        self.email = email
        self.name = name
    }

    init(_ object: JSONNode) throws(VerifyBodyError) {
        id = try object.text("id")
        guard !id.utf8.isEmpty else { throw .missing("id") }
        email = try object.text("email")
        name = try object.text("name")
    }
}

/// The session at the identity provider that a token was issued in.
public struct VerifiedSession: Sendable, Equatable {
    /// Opaque, and the same for all relying parties in which this session signs the user in.
    public let id: String
    /// When the user signed in, in seconds since 1970-01-01T00:00:00Z.
    public let authenticatedAt: Int
    /// The sign-in methods, such as `email_code`. A relying party that requires more than one factor checks them.
    public let methods: [String]

    /// Creates a session; `authenticatedAt` is in seconds since 1970.
    public init(id: String, authenticatedAt: Int, methods: [String]) {
        self.id = id
        self.authenticatedAt = authenticatedAt
        self.methods = methods
    }

    init(_ object: JSONNode) throws(VerifyBodyError) {
        id = try object.text("id")
        guard let seconds = try object.required("authenticated_at").integer else {
            throw .wrongType("authenticated_at")
        }
        authenticatedAt = seconds
        guard let items = try object.required("methods").array else { throw .wrongType("methods") }
        let texts = items.compactMap(\.string)
        guard texts.count == items.count else { throw .wrongType("methods") }
        methods = texts
    }
}
