import SSOShared

/// What a browser's session cookie holds: 32 random bytes. Only its hash is stored, so a leaked database opens no session.
public struct SessionID: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// 43 base64url characters.
    let cookieValue: String
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }

    init(randomness: any Randomness) throws {
        cookieValue = Base64URL.encode(try randomness.bytes(32))
    }

    /// A value from a cookie, or nil when it has another shape than the ids made here.
    init?(cookieValue: some StringProtocol) {
        guard let bytes = Base64URL.decode(cookieValue), bytes.count == 32 else { return nil }
        self.cookieValue = String(cookieValue)
    }

    /// What is stored in its place.
    var digest: [UInt8] { SHA256.hash(Array(cookieValue.utf8)) }
}
