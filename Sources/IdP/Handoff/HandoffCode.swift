import SSOShared

/// What carries a sign-in from the system browser to the web view of an app.
///
/// `shc_` and 43 base64url characters of 32 random bytes. Worthless without the verifier that the app kept. Prints as
/// `<redacted>`: only ``wire`` returns the text.
struct HandoffCode: Sendable {
    /// The beginning of every code. No other secret begins like it.
    static let prefix = "shc_"

    /// The text as it travels. Never log it.
    let wire: String

    /// SHA-256 of ``wire``: what is stored and looked up.
    let digest: [UInt8]

    init(randomness: any Randomness) throws {
        let bytes = try randomness.bytes(32)
        guard bytes.count == 32 else { throw RandomnessError() }
        wire = Self.prefix + Base64URL.encode(bytes)
        digest = SHA256.hash(Array(wire.utf8))
    }

    /// Parses a code. Nil unless the text has exactly the form of one.
    init?(wire text: String) {
        let bytes = Array(text.utf8)
        guard bytes.starts(with: Self.prefix.utf8),
            Base64URL.decode(String(decoding: bytes.dropFirst(Self.prefix.utf8.count), as: UTF8.self))?.count == 32
        else { return nil }
        wire = text
        digest = SHA256.hash(bytes)
    }
}

extension HandoffCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    var customMirror: Mirror { Mirror(self, children: []) }
}
