/// The key ring of one program (`IDP_SECRET_KEY`, `RP_SECRET_KEY`): what is new is made with the first key, and what
/// any of them made is accepted, so that a key can be replaced without signing anybody out.
///
/// Nothing uses a key itself: every purpose derives its own with ``derive(_:)``, so that what was made for one purpose
/// is worthless for another. Prints as `<redacted>`.
public struct SealingKeys: Sendable {
    private let secrets: [SharedSecret]
    private let setting: String

    /// Reads a comma-separated list. Every item follows the rules of ``SharedSecret/parse(_:setting:)``.
    ///
    /// - Throws: what is wrong with each item, all of it at once.
    public static func parse(_ text: String, setting: String) throws(SealingKeysFault) -> SealingKeys {
        // Split by scalar: a comma followed by a combining mark is a Character of its own and would not be found.
        let items = text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
        var (secrets, faults): ([SharedSecret], [SharedSecretFault]) = ([], [])
        for (index, item) in items.enumerated() {
            let name = items.count == 1 ? setting : "\(setting) (key \(index + 1) of \(items.count))"
            do throws(SharedSecretFault) {
                secrets.append(try SharedSecret.parse(String(item), setting: name))
            } catch {
                faults.append(error)
            }
        }
        guard faults.isEmpty else { throw SealingKeysFault(faults: faults) }
        return SealingKeys(secrets: secrets, setting: setting)
    }

    /// One a key whose ends held white space, and one when a key stands there twice; to be shown at start.
    public var warnings: [String] { secrets.compactMap(\.warning) + repetitions }

    /// Whether one of the keys is that secret, in constant time.
    ///
    /// A secret that a partner holds as well is none of ours: it could forge what only we may make.
    public func holds(_ secret: SharedSecret) -> Bool {
        secrets.reduce(false) { $1.isSame(as: secret) || $0 }
    }

    private var repetitions: [String] {
        let isRepeated = secrets.indices.contains { index in
            secrets[..<index].contains { $0.isSame(as: secrets[index]) }
        }
        guard isRepeated else { return [] }
        return ["\(setting): one key stands there twice. A new key goes first, the old one behind it."]
    }

    /// The ``SharedSecret/fingerprint`` of every key, in order.
    public var fingerprints: [String] { secrets.map(\.fingerprint) }

    /// The keys for one purpose, 32 bytes each, the current one first: HMAC-SHA256(key, "swift-sso:" + label).
    ///
    /// - Parameter label: names the purpose, such as `form-token`. Changing it makes everything worthless that was made under it.
    public func derive(_ label: String) -> [[UInt8]] {
        secrets.map { HMACSHA256.code(for: [UInt8]("swift-sso:\(label)".utf8), key: $0.bytes) }
    }
}

/// Why a key ring cannot be used.
public struct SealingKeysFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// One for each key that is no good, in order.
    public let faults: [SharedSecretFault]
    /// What is wrong with each; no key is in it.
    public var description: String { faults.map(\.description).joined(separator: ". ") }
}

extension SealingKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    /// `dump` looks through a description into the members: show it none.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
