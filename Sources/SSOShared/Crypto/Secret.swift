/// What tells the secrets of one kind from all others.
public protocol SecretKind: Sendable {
    /// The beginning of every secret of this kind. Secret scanners find a leaked one by it, and none passes for another kind.
    /// ``SecretPrefixes`` has all.
    static var prefix: String { get }
    /// How the random bytes are written.
    static var form: SecretForm { get }
}

extension SecretKind {
    public static var form: SecretForm { .base64url }
}

/// How the 32 random bytes of a secret are written.
public enum SecretForm: Sendable {
    /// 43 characters (RFC 4648 5).
    case base64url
    /// 64 lower-case digits, for a protocol whose secrets may have letters and digits alone.
    case hex

    func encode(_ bytes: [UInt8]) -> String {
        switch self {
        case .base64url: Base64URL.encode(bytes)
        case .hex: Hex.encode(bytes)
        }
    }

    /// Nil unless the text is what ``encode(_:)`` makes of 32 bytes.
    func decode(_ text: Substring) -> [UInt8]? {
        switch self {
        case .base64url: text.utf8.count == 43 ? Base64URL.decode(text) : nil
        case .hex: text.utf8.count == 64 && !text.utf8.contains { $0 < 0x61 && $0 > 0x39 } ? Hex.decode(text) : nil
        }
    }
}

/// A secret that a program hands out and stores only the hash of: the prefix of its kind, and 32 random bytes in
/// its ``SecretForm``. 256 bits cannot be guessed, so attempts are not counted.
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
        wire = Kind.prefix + Kind.form.encode(bytes)
        digest = SHA256.hash(wire)
        guard digest.count == 32 else { throw RandomnessError() }
    }

    /// Parses a secret. Returns nil unless the text has exactly the form of one of this kind.
    public init?(wire text: String) {
        let (bytes, prefix) = (text.utf8, Kind.prefix.utf8)
        guard bytes.starts(with: prefix), Kind.form.decode(Substring(bytes.dropFirst(prefix.count))) != nil
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

/// The beginnings of all secrets that the programs hand out, for what must recognise a secret in any text.
public enum SecretPrefixes {
    /// The ``SecretKind/prefix`` of every kind. A new kind is added here.
    public static let all = [
        "inv_", "sat_", "sgc_", "sgk_", "sgs_", "shc_", "sil_", "slt_", "soa_", "soc_", "sor_", "sst_",
    ]

    /// A text from outside up to the first secret or JWT in it, as the log may show it: `…sst_<redacted>`. Nil for a text without
    /// any.
    package static func redacted(_ text: ArraySlice<UInt8>) -> String? {
        for index in text.indices {
            guard let beginning = beginningOfSecret(text[index...]) else { continue }
            return String(decoding: text[..<index], as: UTF8.self) + "\(beginning)<redacted>"
        }
        return nil
    }

    /// The beginning of a secret or of a JWT where a text begins with one.
    private static func beginningOfSecret(_ text: ArraySlice<UInt8>) -> String? {
        if let prefix = all.first(where: { text.starts(with: $0.utf8) }) {
            // A sentence about the form of a secret has none.
            return text.dropFirst(prefix.utf8.count).first == 0x20 ? nil : prefix
        }
        // The header of a JWT is base64url of `{"`. What it goes on with tells it from a word.
        guard text.starts(with: jwt.utf8) else { return nil }
        return text.dropFirst(jwt.utf8.count).prefix(jwtHeader).count(where: isBase64URL) == jwtHeader ? jwt : nil
    }

    private static let jwt = "eyJ"
    /// Fewer characters than the shortest header has after ``jwt``: that of `{"alg":""}`.
    private static let jwtHeader = 8

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
