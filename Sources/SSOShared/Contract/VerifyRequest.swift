/// The body of a request to ``SSOPath/verify``: a relying party redeems the token that a browser brought.
public struct VerifyRequest: Sendable {
    /// 8 KiB: far more than three short texts need.
    public static let maximumBytes = 8192

    /// As it was sent; ``SSOToken/init(wire:)`` says whether it has the shape of one. Never log it.
    public let token: String
    /// If present: must equal the URI that the token was issued for, byte for byte.
    public let redirectURI: String?
    /// If the authorize request carried a challenge: what it was made from.
    public let codeVerifier: String?

    /// The question about a token. Nothing is checked here: ``body()`` is what goes over the wire.
    public init(token: String, redirectURI: String? = nil, codeVerifier: String? = nil) {
        self.token = token
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }

    /// Reads a body whose signature **has been checked**: nothing of it may be looked at before.
    ///
    /// Unknown keys are passed over, so that either end can be the newer one. `null` is a wrong type, not an absence.
    public init(body: [UInt8]) throws(VerifyFault) {
        let object = try VerifyFault.object(body)
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
public enum VerifyFault: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON(StrictJSONFault)
    case missing(String)
    case wrongType(String)

    /// One sentence for the other end's developer.
    public var description: String {
        switch self {
        case .notJSON(let fault): "The body is not JSON: \(fault)."
        case .missing(let key): "The body has no \(key)."
        case .wrongType(let key): "The value of \(key) has the wrong type."
        }
    }

    static func object(_ body: [UInt8]) throws(VerifyFault) -> StrictJSONObject {
        let value: StrictJSON
        do { value = try StrictJSON.read(body) } catch { throw .notJSON(error) }
        guard let object = value.object else { throw .wrongType("the document") }
        return object
    }
}

extension StrictJSONObject {
    func required(_ key: String) throws(VerifyFault) -> StrictJSON {
        guard let value = self[key] else { throw .missing(key) }
        return value
    }

    func text(_ key: String) throws(VerifyFault) -> String {
        guard let text = try required(key).string else { throw .wrongType(key) }
        return text
    }

    func optionalText(_ key: String) throws(VerifyFault) -> String? {
        self[key] == nil ? nil : try text(key)
    }
}
