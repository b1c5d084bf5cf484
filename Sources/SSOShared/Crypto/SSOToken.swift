/// The one-time token that a browser carries from the identity provider to the relying party's callback.
///
/// `sst_` and 43 base64url characters of 32 random bytes. 256 bits cannot be guessed, so attempts are not counted. Prints
/// as `<redacted>`: only ``wire`` returns the text.
public struct SSOToken: Sendable {
    /// The beginning of every token. Secret scanners find a leaked token by it, and no other code looks like one.
    public static let prefix = "sst_"

    private let secret: PrefixedSecret

    /// The text as it travels. Never log it.
    public var wire: String { secret.wire }

    /// SHA-256 of ``wire``: what is stored and looked up. A leaked database holds nothing that can be redeemed. A plain
    /// hash is sufficient because 256 random bits cannot be searched.
    public var digest: [UInt8] { secret.digest }

    /// Creates a new token.
    ///
    /// - Throws: the error of `randomness`, or ``RandomnessError`` when it returns fewer than 32 bytes.
    public init(randomness: some Randomness = SystemRandomness()) throws {
        secret = try PrefixedSecret(prefix: Self.prefix, randomness: randomness)
    }

    /// Parses a token. Returns nil unless the text has exactly the form of one.
    public init?(wire text: String) {
        guard let secret = PrefixedSecret(wire: text, prefix: Self.prefix) else { return nil }
        self.secret = secret
    }
}

extension SSOToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
