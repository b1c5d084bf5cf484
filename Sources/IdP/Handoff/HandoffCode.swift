import SSOShared

/// What carries a sign-in from the system browser to the web view of an app: `shc_` and 43 base64url characters of 32 random
/// bytes. Worthless without the verifier that the app kept. Prints as `<redacted>`: only ``wire`` returns the text.
struct HandoffCode: Sendable {
    /// The beginning of every code. No other secret begins like it.
    static let prefix = "shc_"

    private let secret: PrefixedSecret

    /// The text as it travels. Never log it.
    var wire: String { secret.wire }

    /// SHA-256 of ``wire``: what is stored and looked up.
    var digest: [UInt8] { secret.digest }

    init(randomness: any Randomness) throws {
        secret = try PrefixedSecret(prefix: Self.prefix, randomness: randomness)
    }

    /// Parses a code. Nil unless the text has exactly the form of one.
    init?(wire text: String) {
        guard let secret = PrefixedSecret(wire: text, prefix: Self.prefix) else { return nil }
        self.secret = secret
    }
}

extension HandoffCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    var customMirror: Mirror { Mirror(self, children: []) }
}
