/// The secret that one relying party and the identity provider share. It signs the back channel.
///
/// Prints as `<redacted>`. The key is the bytes of the text as written: a secret of hexadecimal digits is **not** decoded,
/// at either end.
public struct SharedSecret: Sendable {
    /// The minimum length without white space at the ends: the length of the hash (RFC 2104 section 3).
    public static let minimumBytes = 32

    /// The key. For signing only: never print, log or store it.
    public let bytes: [UInt8]

    /// Set when white space at an end was removed. Names the setting; show it at start.
    public let warning: String?

    /// The same key, as each signature takes it.
    let key: PreparedHMACKey

    init(bytes: [UInt8], warning: String?) {
        (self.bytes, self.warning, key) = (bytes, warning, PreparedHMACKey(bytes))
    }

    /// A key as it is, also one that no setting may have: to say what a caller's key would be.
    package init(unchecked bytes: [UInt8]) { self.init(bytes: bytes, warning: nil) }

    /// Reads the value of a setting.
    ///
    /// White space at either end is removed with a ``warning``: a pasted space or line end is the usual cause of a
    /// signature that never matches. Other signs of a mistake are errors.
    ///
    /// - Parameter setting: the name of the setting, for warning and error.
    public static func parse(_ text: String, setting: String) throws(SharedSecretError) -> SharedSecret {
        let trimmed = SecretText.trimmed(text)
        if let cause = SecretText.cause(in: trimmed) { throw SharedSecretError(setting: setting, cause: cause) }
        let removed = trimmed.count != text.unicodeScalars.count
        return SharedSecret(
            bytes: [UInt8](String(trimmed).utf8),
            warning: removed ? "\(setting): white space at the beginning or end was removed" : nil)
    }

    /// The first 8 hex digits of HMAC-SHA256(secret, `sso-fingerprint-v1`). Both programs show it at start, so that two
    /// operators can compare their secrets without disclosing them.
    public var fingerprint: String {
        Hex.encode(key.code(for: [UInt8]("sso-fingerprint-v1".utf8)).prefix(4))
    }

    /// Whether both are the same key, in constant time. Not `==`, which would permit dictionaries of secrets.
    public func isSame(as other: SharedSecret) -> Bool { ConstantTime.equal(bytes, other.bytes) }
}

extension SharedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a secret was refused. Names the setting and the cause, never the value.
public struct SharedSecretError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Cause: Sendable, Equatable {
        /// Empty, or white space only.
        case empty
        /// Fewer than ``SharedSecret/minimumBytes``.
        case tooShort(bytes: Int)
        /// White space inside: two values, or one with a line break.
        case innerWhiteSpace
        /// A character that no keyboard types.
        case controlCharacter
        /// A character that a person who compares the text cannot see: a byte-order mark, a soft hyphen.
        case invisibleCharacter
        /// Bytes that are not UTF-8.
        case notUTF8
        /// Quotation marks of a shell or a file that became part of the value.
        case quoted
    }

    /// The setting that held the text.
    public let setting: String
    /// What is wrong with it.
    public let cause: Cause

    /// Creates an error for a setting.
    public init(setting: String, cause: Cause) {
        self.setting = setting
        self.cause = cause
    }

    public var description: String { "\(setting): \(words)" }

    private var words: String {
        switch cause {
        case .empty: "is empty"
        case .tooShort(let bytes): "has \(bytes) bytes, at least \(SharedSecret.minimumBytes) are needed"
        case .innerWhiteSpace: "holds white space or a line end in the middle"
        case .controlCharacter: "holds a control character"
        case .invisibleCharacter: "holds an invisible character, such as a byte order mark"
        case .notUTF8: "holds bytes that are not UTF-8"
        case .quoted: "has quotation marks around it: give the bare value"
        }
    }
}

/// The rules for a secret's text. They work on Unicode scalars: in Swift `"\r\n"` is one `Character`, so a search for
/// `"\n"` among characters would not find it.
private enum SecretText {
    /// Without white space (Unicode property White_Space) at either end.
    static func trimmed(_ text: String) -> Substring.UnicodeScalarView {
        let start = Substring(text).unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else {
            return start[start.endIndex...]
        }
        return start[...last]
    }

    /// The first sign of a mistake in the text, nil when it may be a key.
    static func cause(in scalars: Substring.UnicodeScalarView) -> SharedSecretError.Cause? {
        guard let first = scalars.first, let last = scalars.last else { return .empty }
        for scalar in scalars {
            if scalar.properties.isWhitespace { return .innerWhiteSpace }
            // Bytes that were not text have been decoded: several different keys become the same text.
            if scalar.value == 0xfffd { return .notUTF8 }
            switch scalar.properties.generalCategory {
            case .control: return .controlCharacter
            // Byte-order mark, zero-width spaces and joiners, direction marks: pasted with the text, and invisible.
            case .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return .invisibleCharacter
            default: continue
            }
        }
        if scalars.count > 1, quotes.contains(where: { $0.0 == first && $0.1 == last }) { return .quoted }
        let bytes = String(scalars).utf8.count
        return bytes < SharedSecret.minimumBytes ? .tooShort(bytes: bytes) : nil
    }

    private static let quotes: [(Unicode.Scalar, Unicode.Scalar)] = [
        ("\"", "\""), ("'", "'"), ("`", "`"), ("\u{201c}", "\u{201d}"), ("\u{2018}", "\u{2019}"), ("\u{ab}", "\u{bb}"),
    ]
}
