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
