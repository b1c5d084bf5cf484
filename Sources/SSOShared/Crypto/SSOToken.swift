/// The one-time token that a browser carries from the identity provider to the relying party's callback.
///
/// `sst_` and 43 base64url characters of 32 random bytes. 256 bits cannot be guessed, so attempts are not counted. Prints
/// as `<redacted>`: only ``wire`` returns the text.
public struct SSOToken: Sendable {
    /// The beginning of every token. Secret scanners find a leaked token by it, and no other code looks like one.
    public static let prefix = "sst_"

    /// The text as it travels. Never log it.
    public let wire: String

    /// SHA-256 of ``wire``: what is stored and looked up. A leaked database holds nothing that can be redeemed. A plain
    /// hash is sufficient because 256 random bits cannot be searched.
    public let digest: [UInt8]

    /// Creates a new token.
    ///
    /// - Throws: the error of `randomness`, or ``RandomnessError`` when it returns fewer than 32 bytes.
    public init(randomness: some Randomness = SystemRandomness()) throws {
        let bytes = try randomness.bytes(32)
        guard bytes.count == 32 else { throw RandomnessError() }
        wire = Self.prefix + Base64URL.encode(bytes)
        digest = SHA256.hash([UInt8](wire.utf8))
        guard digest.count == 32 else { throw RandomnessError() }
    }

    /// Parses a token. Returns nil unless the text has exactly the form of one.
    public init?(wire text: String) {
        let bytes = [UInt8](text.utf8)
        guard bytes.count == 47, bytes.starts(with: Self.prefix.utf8),
            Base64URL.decode(String(decoding: bytes.dropFirst(4), as: UTF8.self)) != nil
        else { return nil }
        wire = text
        digest = SHA256.hash(bytes)
        guard digest.count == 32 else { return nil }
    }
}

extension SSOToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
