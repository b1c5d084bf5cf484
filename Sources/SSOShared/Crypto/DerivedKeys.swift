import COpenSSL

/// The secret keys of one program (`IDP_SECRET_KEY`, `RP_SECRET_KEY`). New values are made with the first key, and values
/// made with any key are accepted, so that a key can be replaced without signing users out.
///
/// No key is used directly: each purpose derives its own with ``derive(_:)``, so that a value made for one purpose is
/// worthless for another. Prints as `<redacted>`.
public struct DerivedKeys: Sendable {
    private let secrets: [SharedSecret]
    private let setting: String

    /// Reads a comma-separated list. Each item follows the rules of ``SharedSecret/parse(_:setting:)``.
    ///
    /// - Throws: the problems of all items together.
    public static func parse(_ text: String, setting: String) throws(DerivedKeysError) -> DerivedKeys {
        // Split by scalar: a comma with a combining mark is one Character, which a search for a comma would not find.
        let items = text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
        var (secrets, errors): ([SharedSecret], [SharedSecretError]) = ([], [])
        for (index, item) in items.enumerated() {
            let name = items.count == 1 ? setting : "\(setting) (key \(index + 1) of \(items.count))"
            do throws(SharedSecretError) {
                secrets.append(try SharedSecret.parse(String(item), setting: name))
            } catch {
                errors.append(error)
            }
        }
        guard errors.isEmpty else { throw DerivedKeysError(errors: errors) }
        return DerivedKeys(secrets: secrets, setting: setting)
    }

    /// One for each key with white space at its ends, and one when a key appears twice. Show them at start.
    public var warnings: [String] { secrets.compactMap(\.warning) + repetitions }

    /// Whether one of the keys is that secret, in constant time.
    ///
    /// A relying party that knows one of these keys could forge what only this program may make.
    public func holds(_ secret: SharedSecret) -> Bool {
        secrets.reduce(false) { $1.isSame(as: secret) || $0 }
    }

    private var repetitions: [String] {
        let isRepeated = secrets.indices.contains { index in
            secrets[..<index].contains { $0.isSame(as: secrets[index]) }
        }
        guard isRepeated else { return [] }
        return ["\(setting): one key appears twice. Put a new key first and the old one after it."]
    }

    /// The ``SharedSecret/fingerprint`` of every key, in order.
    public var fingerprints: [String] { secrets.map(\.fingerprint) }

    /// Each key as the only one of a list, in order.
    public var each: [DerivedKeys] { secrets.map { DerivedKeys(secrets: [$0], setting: setting) } }

    /// The keys for one purpose, 32 bytes each, the current one first: HMAC-SHA256(key, "swift-sso:" + label).
    ///
    /// - Parameter label: names the purpose, such as `form-token`. Changing it invalidates everything made with it.
    public func derive(_ label: String) -> [[UInt8]] {
        secrets.map { HMACSHA256.code(for: [UInt8]("swift-sso:\(label)".utf8), key: $0.bytes) }
    }
}

/// Why a key ring cannot be used.
public struct DerivedKeysError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One for each unusable key, in order.
    public let errors: [SharedSecretError]
    /// The problem of each key; contains no key.
    public var description: String { errors.map(\.description).joined(separator: ". ") }
}

extension DerivedKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Encrypts and authenticates small values that a browser or an email carries (AES-256-GCM, NIST SP 800-38D).
///
/// The holder can neither read nor change a value, and a value sealed for one purpose does not open for another. Nothing
/// expires by itself: where it must, put a time into the value.
public struct SealedBox: Sendable {
    private static let nonceBytes = 12
    private static let tagBytes = 16
    private let keys: [[UInt8]]
    private let randomness: any Randomness

    /// Creates a box for one purpose.
    ///
    /// - Parameters:
    ///   - keys: the first one seals, all of them open.
    ///   - label: names the purpose, such as `pending-sign-ins`.
    public init(keys: DerivedKeys, label: String, randomness: any Randomness = SystemRandomness()) {
        self.keys = keys.derive(label)
        self.randomness = randomness
    }

    /// The value as nonce, ciphertext and tag: 28 bytes longer than `plain`.
    ///
    /// - Throws: ``RandomnessError`` when there is no nonce or libcrypto fails.
    public func seal(_ plain: [UInt8]) throws -> [UInt8] {
        let nonce = try randomness.bytes(Self.nonceBytes)
        var (sealed, tag) = ([UInt8](repeating: 0, count: plain.count), [UInt8](repeating: 0, count: Self.tagBytes))
        guard let key = keys.first, nonce.count == Self.nonceBytes,
            sso_seal(key, nonce, plain, plain.count, &sealed, &tag) == 1
        else { throw RandomnessError() }
        return nonce + sealed + tag
    }

    /// What a stored value needs after a new key was put first.
    public enum Renewal: Sendable, Equatable {
        /// It is sealed with the first key.
        case current
        /// The same value, sealed with the first key now.
        case renewed([UInt8])
        /// No key opens it.
        case unreadable
    }

    /// Seals a value again with the first key where another one has sealed it, so that the other one can be removed.
    ///
    /// - Throws: ``RandomnessError``.
    public func renew(_ bytes: [UInt8]) throws -> Renewal {
        if open(bytes, with: keys.prefix(1)) != nil { return .current }
        guard let plain = open(bytes, with: keys.dropFirst()) else { return .unreadable }
        return .renewed(try seal(plain))
    }

    /// The value that was sealed, or nil for anything that ``seal(_:)`` did not make with one of the keys.
    public func open(_ bytes: [UInt8]) -> [UInt8]? { open(bytes, with: keys[...]) }

    private func open(_ bytes: [UInt8], with keys: ArraySlice<[UInt8]>) -> [UInt8]? {
        guard bytes.count >= Self.nonceBytes + Self.tagBytes else { return nil }
        let nonce = Array(bytes.prefix(Self.nonceBytes))
        let tag = Array(bytes.suffix(Self.tagBytes))
        let sealed = Array(bytes.dropFirst(Self.nonceBytes).dropLast(Self.tagBytes))
        return keys.lazy.compactMap { key in
            var plain = [UInt8](repeating: 0, count: sealed.count)
            return sso_unseal(key, nonce, sealed, sealed.count, tag, &plain) == 1 ? plain : nil
        }.first
    }
}
