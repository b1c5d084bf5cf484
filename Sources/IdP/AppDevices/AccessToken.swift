import SSOShared

/// What native screens of an app send as `Authorization: Bearer`: `sat_` and 43 base64url characters of 32 random bytes.
///
/// Prints as `<redacted>`: only ``wire`` returns the text.
struct AccessToken: Sendable {
    static let prefix = "sat_"

    private let secret: PrefixedSecret

    /// The text as it travels. Never log it.
    var wire: String { secret.wire }
    /// What is stored and looked up.
    var digest: [UInt8] { secret.digest }

    init(randomness: some Randomness) throws {
        secret = try PrefixedSecret(prefix: Self.prefix, randomness: randomness)
    }

    /// Parses a token. Nil unless the text has exactly the form of one.
    init?(wire text: String) {
        guard let secret = PrefixedSecret(wire: text, prefix: Self.prefix) else { return nil }
        self.secret = secret
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// An access token that is about to be issued.
struct NewAccessToken: Sendable {
    let token: AccessToken
    /// The name of the device, for the user's list.
    let device: String
}
