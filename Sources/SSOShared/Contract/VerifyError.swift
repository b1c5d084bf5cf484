/// The error codes of ``SSOPath/verify``. Stable: a partner's program acts on them.
public enum VerifyError: String, Error, Sendable, CaseIterable {
    /// Not JSON, no token, wrong types (400); wrong method (405), size (413) or content type (415).
    case invalidRequest = "invalid_request"
    /// Missing, malformed or wrong signature, or an unknown client (401).
    case invalidSignature = "invalid_signature"
    /// Unknown, expired, used, void, or issued to another client or redirect URI (401): not told apart.
    case invalidToken = "invalid_token"
    /// Too many requests (429), with `Retry-After`.
    case rateLimited = "rate_limited"
    /// Storage trouble (503): says nothing about the token, and nothing was consumed.
    case temporarilyUnavailable = "temporarily_unavailable"

    /// The body of the answer.
    ///
    /// - Parameter description: one sentence for the other end's developer; holds no secret and nothing of a token.
    public func body(description: String? = nil) -> [UInt8] {
        var members = [JSONText.Member("error", rawValue)]
        if let description { members.append(.init("error_description", description)) }
        return [UInt8](JSONText.object(members).utf8)
    }

    /// The code in an answer's body; nil when there is none that is known.
    public init?(body: [UInt8]) {
        guard let text = try? JSONReader.readStrictly(body)["error"]?.string else { return nil }
        self.init(rawValue: text)
    }
}
