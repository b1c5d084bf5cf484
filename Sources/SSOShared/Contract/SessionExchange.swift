/// The body of a request to ``SSOPath/session``, with which a relying party asks about one of its sessions.
public struct SessionQuestion: Sendable, Equatable {
    /// 8 KiB: far more than two short texts need.
    public static let maximumBytes = 8192

    /// `session.id`, as verify gave it.
    public let session: String
    /// `user.id`, as verify gave it.
    public let user: String

    /// Creates a question about a session in which a user has signed in.
    public init(session: String, user: String) { (self.session, self.user) = (session, user) }

    /// Reads a body whose signature **has been checked**. Unknown keys are ignored.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        session = try object.filledText("session")
        user = try object.filledText("user")
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] { JSONText.bytes([.init("session", session), .init("user", user)]) }
}

/// The answer 200 of ``SSOPath/session``.
public enum SessionAnswer: Sendable, Equatable {
    /// The session holds. The user and the session are as verify would give them now.
    case active(VerifyReply)
    /// It does not, for this reason.
    case inactive(SessionEndReason, clientID: String)

    /// The client that has asked. A relying party refuses an answer that names another.
    public var clientID: String {
        switch self {
        case .active(let reply): reply.clientID
        case .inactive(_, let clientID): clientID
        }
    }

    /// Reads an answer whose signature has been checked. Unknown keys are ignored.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        guard let isActive = try object.required("active").bool else {
            throw .wrongType("active", expected: "true or false")
        }
        self =
            isActive
            ? .active(try VerifyReply(body: body))
            : .inactive(
                SessionEndReason(rawValue: try object.filledText("reason")), clientID: try object.text("client_id"))
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] {
        switch self {
        case .active(let reply):
            JSONText.bytes([
                .init("active", true), .init("client_id", reply.clientID), .init("user", reply.user.members),
                .init("session", reply.session.members),
            ])
        case .inactive(let reason, let clientID):
            JSONText.bytes([
                .init("active", false), .init("client_id", clientID), .init("reason", reason.rawValue),
            ])
        }
    }
}

/// Why a session at the identity provider does not hold. Later versions may have further reasons.
public struct SessionEndReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Ended by the user, an operator, another account in the browser, or a way to sign in that was removed.
    public static let signedOut = SessionEndReason(rawValue: "signed_out")
    /// The user may not enter this client any more.
    public static let noAccess = SessionEndReason(rawValue: "no_access")
    /// The account is disabled, erased, past its end date, or its address is not allowed.
    public static let accountEnded = SessionEndReason(rawValue: "account_ended")
    /// Its time was over. This is no sign-out.
    public static let expired = SessionEndReason(rawValue: "expired")
    /// No such session, or not one of this client and this user.
    public static let unknown = SessionEndReason(rawValue: "unknown")

    /// Whether the session of the relying party ends as well: for every reason but ``expired``, also for one that this version
    /// does not know.
    public var endsSession: Bool { self != .expired }

    /// For the log: the reason, or `other` for one that cannot be logged.
    public var description: String {
        let isReadable =
            rawValue.utf8.count <= 40 && rawValue.utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "_") }
        return isReadable ? rawValue : "other"
    }
}
