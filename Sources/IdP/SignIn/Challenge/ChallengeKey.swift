package import SSOShared

/// Names a challenge where an email carries it, in a link or in a reply address: the random part of the challenge's id and
/// a tag that only this program can make.
///
/// Nothing of it is stored, so an attacker who reads the database or the mail queue cannot make one. It is worth nothing
/// after its challenge has ended, and a key made for one purpose is worthless for another.
package struct ChallengeKey: Sendable {
    /// 16 random bytes of the id and 16 bytes of the tag.
    static let byteCount = 32
    private static let tagBytes = 16
    private let keys: [[UInt8]]

    /// - Parameter label: names the purpose, such as `email-link`.
    package init(keys: DerivedKeys, label: String) { self.keys = keys.derive(label) }

    /// The key of a challenge, made with the current secret; empty for an id that was not made here.
    func bytes(for challengeID: String) -> [UInt8] {
        guard let random = Challenge.randomPart(of: challengeID), let key = keys.first else { return [] }
        return random + Self.tag(random, key)
    }

    /// The id of the challenge that a key names, in constant time; nil for a key that was not made here. The challenge
    /// may have ended long ago.
    func challengeID(of bytes: [UInt8]) -> String? {
        guard bytes.count == Self.byteCount else { return nil }
        let (random, tag) = (Array(bytes.dropLast(Self.tagBytes)), Array(bytes.suffix(Self.tagBytes)))
        guard keys.map({ ConstantTime.equal(Self.tag(random, $0), tag) }).contains(true) else { return nil }
        return Challenge.id(random)
    }

    private static func tag(_ random: [UInt8], _ key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(for: random, key: key).prefix(tagBytes))
    }
}

extension Challenge {
    private static let prefix = "chl_"
    static let randomBytes = 16

    /// The id with these random bytes.
    static func id(_ random: [UInt8]) -> String { prefix + Base64URL.encode(random) }

    fileprivate static func randomPart(of id: String) -> [UInt8]? {
        guard id.hasPrefix(prefix), let bytes = Base64URL.decode(id.dropFirst(prefix.count)), bytes.count == randomBytes
        else { return nil }
        return bytes
    }
}
