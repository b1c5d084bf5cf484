/// The answer 200 of ``SSOPath/verify``: who has signed in, for which client, and how.
public struct VerifyReply: Sendable, Equatable, Codable {
    /// Who has signed in.
    public let user: VerifiedUser
    /// The client that the token was issued to. A relying party refuses an answer that names another.
    public let clientID: String
    /// The session at the identity provider that vouches for it.
    public let session: VerifiedSession

    /// What the identity provider says of a redeemed token.
    public init(user: VerifiedUser, clientID: String, session: VerifiedSession) {
        self.user = user
        self.clientID = clientID
        self.session = session
    }

    enum CodingKeys: String, CodingKey {
        case user, session
        case clientID = "client_id"
    }

    /// Reads an answer whose signature has been checked. Unknown keys are passed over.
    public init(body: [UInt8]) throws(VerifyFault) {
        let object = try VerifyFault.object(body)
        guard let user = try object.required("user").object else { throw .wrongType("user") }
        guard let session = try object.required("session").object else { throw .wrongType("session") }
        self.user = try VerifiedUser(user)
        clientID = try object.text("client_id")
        self.session = try VerifiedSession(session)
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

/// The person, as the identity provider knows them.
public struct VerifiedUser: Sendable, Equatable, Codable {
    /// Stable and opaque: what a relying party keys its accounts by.
    public let id: String
    /// For showing and for writing to. It may change and may later belong to somebody else: never a key.
    public let email: String
    /// What the person calls themselves.
    public let name: String

    /// A person as the identity provider knows them.
    public init(id: String, email: String, name: String) {
        self.id = id
        self.email = email
        self.name = name
    }

    init(_ object: StrictJSONObject) throws(VerifyFault) {
        id = try object.text("id")
        guard !id.utf8.isEmpty else { throw .missing("id") }
        email = try object.text("email")
        name = try object.text("name")
    }
}

/// The sign-in at the identity provider that the token stands for.
public struct VerifiedSession: Sendable, Equatable, Codable {
    /// Opaque; the same for all relying parties that this sign-in reaches.
    public let id: String
    /// When the person proved who they are: seconds since 1970-01-01T00:00:00Z.
    public let authenticatedAt: Int
    /// How, such as `email_code`. A relying party that wants more than one factor looks here.
    public let methods: [String]

    /// A session of the identity provider; `authenticatedAt` in seconds since 1970.
    public init(id: String, authenticatedAt: Int, methods: [String]) {
        self.id = id
        self.authenticatedAt = authenticatedAt
        self.methods = methods
    }

    enum CodingKeys: String, CodingKey {
        case id, methods
        case authenticatedAt = "authenticated_at"
    }

    init(_ object: StrictJSONObject) throws(VerifyFault) {
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
