/// The one-time token that a browser carries from the identity provider to the relying party's callback.
///
/// `sst_` and 43 base64url characters of 32 random bytes (256 bits: nobody guesses one, so an unknown token burns
/// nothing). Prints as `<redacted>`; the text leaves only through ``wire``.
public struct SSOToken: Sendable {
    /// What every token begins with: a secret scanner finds a leaked one, and no other kind of code passes for it.
    public static let prefix = "sst_"

    /// The text as it travels. Never log it.
    public let wire: String

    /// SHA-256 of ``wire``: what is stored and looked up. A leaked database holds nothing that can be redeemed, and
    /// a plain hash suffices because 256 random bits cannot be searched.
    public let digest: [UInt8]

    /// A new token.
    ///
    /// - Throws: whatever `randomness` throws, or ``RandomnessFault`` when it gives fewer than 32 bytes.
    public init(randomness: some Randomness = SystemRandomness()) throws {
        let bytes = try randomness.bytes(32)
        guard bytes.count == 32 else { throw RandomnessFault() }
        wire = Self.prefix + Base64URL.encode(bytes)
        digest = SHA256.hash([UInt8](wire.utf8))
        guard digest.count == 32 else { throw RandomnessFault() }
    }

    /// The token in a text somebody sent; nil unless it has exactly the shape of one, byte for byte.
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
    /// `dump` looks through a description into the members: show it none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
