/// What tells the secrets of one kind from all others.
public protocol SecretKind: Sendable {
    /// The beginning of every secret of this kind. Secret scanners find a leaked one by it, and none passes for another kind.
    /// ``SecretPrefixes`` has all.
    static var prefix: String { get }
}

/// A secret that a program hands out and stores only the hash of: the prefix of its kind, and 43 base64url characters of 32
/// random bytes. 256 bits cannot be guessed, so attempts are not counted.
///
/// Prints as `<redacted>`: only ``wire`` returns the text.
public struct Secret<Kind: SecretKind>: Sendable {
    /// The beginning of every secret of this kind.
    public static var prefix: String { Kind.prefix }

    /// The text as it travels. Never log it.
    public let wire: String

    /// SHA-256 of ``wire``: what is stored and looked up. A leaked database holds nothing that can be redeemed. A plain
    /// hash is sufficient because 256 random bits cannot be searched.
    public let digest: [UInt8]

    /// Creates a new secret.
    ///
    /// - Throws: the error of `randomness`, or ``RandomnessError`` when it returns fewer than 32 bytes.
    public init(randomness: any Randomness = SystemRandomness()) throws {
        let bytes = try randomness.bytes(32)
        guard bytes.count == 32 else { throw RandomnessError() }
        wire = Kind.prefix + Base64URL.encode(bytes)
        digest = SHA256.hash(wire)
        guard digest.count == 32 else { throw RandomnessError() }
    }

    /// Parses a secret. Returns nil unless the text has exactly the form of one of this kind.
    public init?(wire text: String) {
        let (bytes, prefix) = (text.utf8, Kind.prefix.utf8)
        guard bytes.count == prefix.count + 43, bytes.starts(with: prefix),
            Base64URL.decode(Substring(bytes.dropFirst(prefix.count))) != nil
        else { return nil }
        wire = text
        digest = SHA256.hash(text)
        guard digest.count == 32 else { return nil }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The one-time token that a browser carries from the identity provider to the relying party's callback: `sst_…`.
public typealias SSOToken = Secret<SSOTokenKind>

/// The kind of ``SSOToken``.
public enum SSOTokenKind: SecretKind {
    public static let prefix = "sst_"
}
