/// A secret that a program hands out and stores only the hash of: a prefix that names its kind, and 43 base64url characters
/// of 32 random bytes. 256 bits cannot be guessed, so attempts are not counted.
///
/// Secret scanners find a leaked one by its prefix, and none passes for one of another kind. Each kind has a type of its own
/// around it. Prints as `<redacted>`: only ``wire`` returns the text.
package struct PrefixedSecret: Sendable {
    /// The text as it travels. Never log it.
    package let wire: String

    /// SHA-256 of ``wire``: what is stored and looked up. A plain hash is sufficient because 256 random bits cannot be
    /// searched.
    package let digest: [UInt8]

    /// Creates a new secret.
    ///
    /// - Throws: the error of `randomness`, or ``RandomnessError`` when it returns fewer than 32 bytes.
    package init(prefix: String, randomness: some Randomness) throws {
        let bytes = try randomness.bytes(32)
        guard bytes.count == 32 else { throw RandomnessError() }
        wire = prefix + Base64URL.encode(bytes)
        digest = SHA256.hash([UInt8](wire.utf8))
        guard digest.count == 32 else { throw RandomnessError() }
    }

    /// Parses a secret. Returns nil unless the text has exactly the form of one with this prefix.
    package init?(wire text: String, prefix: String) {
        let bytes = [UInt8](text.utf8)
        guard bytes.count == prefix.utf8.count + 43, bytes.starts(with: prefix.utf8),
            Base64URL.decode(String(decoding: bytes.dropFirst(prefix.utf8.count), as: UTF8.self)) != nil
        else { return nil }
        wire = text
        digest = SHA256.hash(bytes)
        guard digest.count == 32 else { return nil }
    }
}

extension PrefixedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
