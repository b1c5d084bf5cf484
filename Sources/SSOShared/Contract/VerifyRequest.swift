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
        token = try object.text("token")
        guard !token.utf8.isEmpty else { throw .missing("token") }
        redirectURI = try object.optionalText("redirect_uri")
        codeVerifier = try object.optionalText("code_verifier")
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] {
        var members = [JSONText.Member("token", token)]
        if let redirectURI { members.append(.init("redirect_uri", redirectURI)) }
        if let codeVerifier { members.append(.init("code_verifier", codeVerifier)) }
        return [UInt8](JSONText.object(members).utf8)
    }
}

extension VerifyRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a body of the exchange was refused. Names keys, never values.
public enum VerifyBodyError: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON(JSONError)
    case missing(String)
    case wrongType(String)

    /// One sentence for the other end's developer.
    public var description: String {
        switch self {
        case .notJSON(let error): "The body is not JSON: \(error)."
        case .missing(let key): "The body has no \(key)."
        case .wrongType(let key): "The value of \(key) has the wrong type."
        }
    }
}

extension JSONNode {
    /// Reads a body of the exchange, which is an object.
    static func object(_ body: [UInt8]) throws(VerifyBodyError) -> JSONNode {
        let value: JSONNode
        do { value = try JSONReader.readStrictly(body) } catch { throw .notJSON(error) }
        guard value.object != nil else { throw .wrongType("the document") }
        return value
    }

    func required(_ key: String) throws(VerifyBodyError) -> JSONNode {
        guard let value = self[key] else { throw .missing(key) }
        return value
    }

    func requiredObject(_ key: String) throws(VerifyBodyError) -> JSONNode {
        let value = try required(key)
        guard value.object != nil else { throw .wrongType(key) }
        return value
    }

    func text(_ key: String) throws(VerifyBodyError) -> String {
        guard let text = try required(key).string else { throw .wrongType(key) }
        return text
    }

    func optionalText(_ key: String) throws(VerifyBodyError) -> String? {
        self[key] == nil ? nil : try text(key)
    }
}
