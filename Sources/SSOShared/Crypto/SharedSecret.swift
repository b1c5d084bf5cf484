/// The secret that one relying party and the identity provider share; it signs the back channel.
///
/// Prints as `<redacted>`. The key is the bytes of the text as written: a secret of hexadecimal digits is **not**
/// decoded first, at either end.
public struct SharedSecret: Sendable {
    /// The fewest bytes a secret has, white space at the ends not counted: as many as the hash gives out.
    public static let minimumBytes = 32

    /// The key. For signing only: never print, log or store it.
    public let bytes: [UInt8]

    /// Set when white space at an end was removed; names the setting. To be shown at start.
    public let warning: String?

    /// Reads the value of a setting.
    ///
    /// White space at either end is removed with a ``warning``: a pasted blank or line end is the classic cause of a
    /// signature that never matches. Anything else that looks like an accident is refused.
    ///
    /// - Parameter setting: the name of the setting, for warning and error.
    public static func parse(_ text: String, setting: String) throws(SharedSecretFault) -> SharedSecret {
        let trimmed = SecretText.trimmed(text)
        if let problem = SecretText.problem(in: trimmed) { throw SharedSecretFault(setting: setting, problem: problem) }
        let removed = trimmed.count != text.unicodeScalars.count
        return SharedSecret(
            bytes: [UInt8](String(trimmed).utf8),
            warning: removed ? "\(setting): white space at the beginning or end was removed" : nil)
    }

    /// The first 8 hex digits of HMAC-SHA256(secret, `sso-fingerprint-v1`): both programs show it at start, so that two
    /// people can compare secrets over the telephone without telling them.
    public var fingerprint: String {
        Hex.encode(HMACSHA256.code(for: [UInt8]("sso-fingerprint-v1".utf8), key: bytes).prefix(4))
    }

    /// Whether both are the same key, in constant time. Deliberately not `==`, which would invite dictionaries of
    /// secrets.
    public func isSame(as other: SharedSecret) -> Bool { ConstantTime.equal(bytes, other.bytes) }
}

extension SharedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` looks through a description into the members: show it none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a secret was refused. Names the setting and the fault, never the value.
public struct SharedSecretFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Problem: Sendable, Equatable {
        /// Nothing is left without the white space at its ends.
        case empty
        /// Fewer than ``SharedSecret/minimumBytes``.
        case tooShort(bytes: Int)
        /// Two values, or one torn apart.
        case innerWhiteSpace
        /// What no keyboard types.
        case controlCharacter
        /// What two people who compare it would not see: a byte order mark, a soft hyphen.
        case invisibleCharacter
        /// Bytes that were read as text and are none.
        case notUTF8
        /// Quotation marks of a shell or a file that became part of it.
        case quoted
    }

    /// The setting that held the text.
    public let setting: String
    /// What is wrong with it.
    public let problem: Problem

    /// Says of a setting what is wrong with its text.
    public init(setting: String, problem: Problem) {
        self.setting = setting
        self.problem = problem
    }

    public var description: String { "\(setting): \(words)" }

    private var words: String {
        switch problem {
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
