/// The body of a request to ``SSOPath/verify``, with which a relying party redeems the token that a browser brought.
public struct VerifyRequest: Sendable {
    /// 8 KiB: far more than three short texts need.
    public static let maximumBytes = 8192

    /// As it was sent, not yet checked: ``SSOToken/init(wire:)`` does that. Never log it.
    public let token: String
    /// If present, it must equal the URI that the token was issued for, byte for byte.
    public let redirectURI: String?
    /// What the challenge was made from, if the authorize request carried one.
    public let codeVerifier: String?

    /// Creates a request for a token. Nothing is checked here.
    public init(token: String, redirectURI: String? = nil, codeVerifier: String? = nil) {
        self.token = token
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }

    /// Reads a body whose signature **has been checked**. Nothing of it may be read before.
    ///
    /// Unknown keys are ignored, so that either end can be the newer one. `null` is a wrong type, not an absent key.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        token = try object.filledText("token")
        redirectURI = try object.optionalText("redirect_uri")
        codeVerifier = try object.optionalText("code_verifier")
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] {
        var members = [JSONText.Member("token", token)]
        if let redirectURI { members.append(.init("redirect_uri", redirectURI)) }
        if let codeVerifier { members.append(.init("code_verifier", codeVerifier)) }
        return JSONText.bytes(members)
    }
}

extension VerifyRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
        JSONText.bytes([
            .init("user", user.members), .init("client_id", clientID), .init("session", session.members),
        ])
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
    /// The user's groups that this client may know of. Nil where the identity provider names none to it.
    public let groups: [String]?

    /// Creates a user from the account's data.
    public init(id: String, email: String, name: String, groups: [String]? = nil) {
        self.id = id
        self.email = email
        self.name = name
        self.groups = groups
    }

    init(_ object: JSONNode) throws(VerifyBodyError) {
        id = try object.filledText("id")
        email = try object.text("email")
        name = try object.text("name")
        groups = try object.optionalTexts("groups")
    }

    /// As the answers hold it.
    var members: [JSONText.Member] {
        var members = [JSONText.Member("id", id)]
        members.reserveCapacity(4)
        members += [.init("email", email), .init("name", name)]
        if let groups { members.append(.init("groups", groups)) }
        return members
    }
}

/// The session at the identity provider that a token was issued in.
public struct VerifiedSession: Sendable, Equatable {
    /// Opaque, and the same for all relying parties in which this session signs the user in.
    public let id: String
    /// When the user proved who they are, in seconds since 1970-01-01T00:00:00Z.
    ///
    /// Nil where nothing proves a moment: the user signed in with a provider that does not say when it authenticated them
    /// (OpenID Connect leaves out `auth_time` then). A relying party that needs a recent sign-in treats it as too old.
    public let authenticatedAt: Int?
    /// The sign-in methods in the order of their proofs, such as `email_code`.
    public let methods: [String]
    /// The strength of the sign-in: `any`, `mfa` for two proofs of different kinds, `phr` for one that cannot be given to
    /// another site. A relying party that requires more than one factor checks it. Nil from an identity provider that does not
    /// say it.
    public let acr: String?

    /// Creates a session; `authenticatedAt` is in seconds since 1970, or nil for a moment that is not proven.
    public init(id: String, authenticatedAt: Int?, methods: [String], acr: String? = nil) {
        self.id = id
        self.authenticatedAt = authenticatedAt
        self.methods = methods
        self.acr = acr
    }

    init(_ object: JSONNode) throws(VerifyBodyError) {
        id = try object.filledText("id")
        if let node = object["authenticated_at"] {
            guard let seconds = node.integer else { throw .wrongType("authenticated_at", expected: "a whole number") }
            authenticatedAt = seconds
        } else {
            authenticatedAt = nil
        }
        guard let methods = try object.optionalTexts("methods") else { throw .missing("methods") }
        self.methods = methods
        // For those who use it alone: another type counts as missing.
        acr = object["acr"]?.string
    }

    /// As the answers hold it.
    var members: [JSONText.Member] {
        var members = [JSONText.Member("id", id)]
        members.reserveCapacity(4)
        if let authenticatedAt { members.append(.init("authenticated_at", authenticatedAt)) }
        members.append(.init("methods", methods))
        if let acr { members.append(.init("acr", acr)) }
        return members
    }
}

/// The error codes of ``SSOPath/verify`` and of the other signed posts. They are stable: relying parties act on them.
public enum VerifyError: String, Error, Sendable, CaseIterable {
    /// Not JSON, no token, wrong types (400); wrong method (405), size (413) or content type (415).
    case invalidRequest = "invalid_request"
    /// Missing, malformed or wrong signature, or an unknown client (401).
    case invalidSignature = "invalid_signature"
    /// Unknown, expired, used, void, or issued to another client or redirect URI (401). The description may say which, but
    /// a token of another client is described as an unknown one.
    case invalidToken = "invalid_token"
    /// Too many requests (429), with `Retry-After`.
    case rateLimited = "rate_limited"
    /// The storage fails (503). Says nothing about the token, and nothing was consumed.
    case temporarilyUnavailable = "temporarily_unavailable"

    /// The body of the answer.
    ///
    /// - Parameter description: one sentence for the relying party's developer, without a secret or part of a token.
    public func body(description: String? = nil) -> [UInt8] {
        var members = [JSONText.Member("error", rawValue)]
        if let description { members.append(.init("error_description", description)) }
        return JSONText.bytes(members)
    }

    /// The code in the body of an answer, nil when there is no known one.
    public init?(body: [UInt8]) {
        guard let text = try? JSONReader.readStrictly(body)["error"]?.string else { return nil }
        self.init(rawValue: text)
    }

    /// The `error_description` in the body of an answer; nil when there is none that can be logged.
    static func description(in body: [UInt8]) -> String? {
        (try? JSONReader.readStrictly(body)["error_description"]?.string).flatMap(readable)
    }

    /// A description from outside as it may be logged: printable ASCII, at most 300 characters, without a secret. Nil for any other
    /// text.
    package static func readable(_ description: String?) -> String? {
        guard let description, (1...300).contains(description.utf8.count),
            description.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        return SecretPrefixes.redacted(Array(description.utf8)[...]) ?? description
    }
}

/// Why a body of the exchange was refused. Names keys, never values.
public enum VerifyBodyError: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON(JSONError)
    case notAnObject
    case missing(String)
    /// - Parameter expected: `a string`.
    case wrongType(String, expected: String)

    /// One sentence for the other end's developer.
    public var description: String {
        switch self {
        case .notJSON(let error): "The body is not JSON: \(error)."
        case .notAnObject: "The body must be one JSON object."
        case .missing(let key): "\(key) is missing."
        case .wrongType(let key, let expected): "\(key) must be \(expected)."
        }
    }
}

extension JSONNode {
    /// Reads a body of the exchange, which is an object.
    package static func object(_ body: [UInt8]) throws(VerifyBodyError) -> JSONNode {
        let value: JSONNode
        do { value = try JSONReader.readStrictly(body) } catch { throw .notJSON(error) }
        guard value.object != nil else { throw .notAnObject }
        return value
    }

    func required(_ key: String) throws(VerifyBodyError) -> JSONNode {
        guard let value = self[key] else { throw .missing(key) }
        return value
    }

    func requiredObject(_ key: String) throws(VerifyBodyError) -> JSONNode {
        let value = try required(key)
        guard value.object != nil else { throw .wrongType(key, expected: "an object") }
        return value
    }

    package func text(_ key: String) throws(VerifyBodyError) -> String {
        guard let text = try required(key).string else { throw .wrongType(key, expected: "a string") }
        return text
    }

    func integer(_ key: String) throws(VerifyBodyError) -> Int {
        guard let number = try required(key).integer else { throw .wrongType(key, expected: "a whole number") }
        return number
    }

    package func optionalText(_ key: String) throws(VerifyBodyError) -> String? {
        self[key] == nil ? nil : try text(key)
    }

    /// A text that is not empty.
    func filledText(_ key: String) throws(VerifyBodyError) -> String {
        let text = try text(key)
        guard !text.utf8.isEmpty else { throw .missing(key) }
        return text
    }

    func optionalTexts(_ key: String) throws(VerifyBodyError) -> [String]? {
        guard let node = self[key] else { return nil }
        let texts = node.array?.compactMap(\.string)
        guard let texts, texts.count == node.array?.count else {
            throw .wrongType(key, expected: "a list of strings")
        }
        return texts
    }
}
