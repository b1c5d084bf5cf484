/// The body of a post to a client's ``SSOPath/logout``: the identity provider tells that a session, or all sessions of a user,
/// have ended.
public struct SignOutMessage: Sendable, Equatable {
    /// 8 KiB: far more than a few short texts need.
    public static let maximumBytes = 8192

    /// The same in every try to deliver it.
    public let id: String
    /// The client that is told. A relying party refuses a message to another one.
    public let clientID: String
    /// `user.id`, as verify gave it.
    public let user: String
    /// `session.id`, as verify gave it. Nil: all sessions of this user that began before ``issuedAt``.
    public let session: String?
    /// When this try was made, in seconds since 1970.
    public let issuedAt: Int

    /// Creates a message; `issuedAt` is in seconds since 1970.
    public init(id: String, clientID: String, user: String, session: String?, issuedAt: Int) {
        (self.id, self.clientID, self.user, self.session, self.issuedAt) = (id, clientID, user, session, issuedAt)
    }

    /// Reads a body whose signature **has been checked**. Unknown keys are ignored. `null` is a wrong type, not an absent key.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        guard try object.text("event") == Self.event else { throw .wrongType("event", expected: "\"\(Self.event)\"") }
        id = try object.filledText("id")
        clientID = try object.text("client_id")
        user = try object.filledText("user")
        session = object["session"] == nil ? nil : try object.filledText("session")
        issuedAt = try object.integer("issued_at")
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] {
        var members = [JSONText.Member("event", Self.event)]
        members += [.init("id", id), .init("client_id", clientID), .init("user", user)]
        if let session { members.append(.init("session", session)) }
        members.append(.init("issued_at", issuedAt))
        return JSONText.bytes(members)
    }

    private static let event = "logout"
}
