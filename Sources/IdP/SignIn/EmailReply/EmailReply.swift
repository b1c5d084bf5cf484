import IdPInboundMail
package import SSOShared
import SSOWeb

/// Owns what an answer to the email needs: the one-time address that it goes to, and the number that it must contain.
///
/// The number is on the screen of the browser that asked and never in the email. So an answer proves two things at once:
/// its sender reads the mailbox, and looks at the browser that is about to be signed in. A user who answers the email of a
/// sign-in that an attacker began does not know the attacker's number.
///
/// Both derive from the challenge's random id with keys of their own. Nothing is stored, so an attacker who reads the
/// database knows neither.
package struct EmailReply: Sendable {
    private let numberKeys: [[UInt8]]
    private let addressKey: ChallengeKey
    private let domain: String

    /// - Parameter domain: the domain of the one-time addresses.
    package init(keys: DerivedKeys, domain: String) {
        numberKeys = keys.derive("reply-number")
        addressKey = ChallengeKey(keys: keys, label: "email-reply")
        self.domain = domain
    }

    /// Four digits, `0000` to `9999`, each number as likely as any other.
    func number(for challengeID: String) -> String { Self.number(challengeID, key: numberKeys.first ?? []) }

    /// Whether a number is the challenge's, in constant time, also after a rotation of the keys.
    func matches(_ number: String, _ challengeID: String) -> Bool {
        numberKeys.map { ConstantTime.equal(Self.number(challengeID, key: $0), number) }.contains(true)
    }

    /// The one-time address, for `Reply-To`: `login+RANDOM@DOMAIN`. Nil for an id that was not made here.
    package func address(for challengeID: String) -> EmailAddress? {
        let key = addressKey.bytes(for: challengeID)
        guard !key.isEmpty else { return nil }
        return try? EmailAddress(ReplyAddress.text(key: key, domain: domain))
    }

    /// The id of the challenge whose address has this key; nil for a key that was not made here. The challenge may have
    /// ended long ago.
    func challengeID(of key: [UInt8]) -> String? { addressKey.challengeID(of: key) }

    private static func number(_ id: String, key: [UInt8]) -> String {
        DerivedDigits.text(id, count: ReplyNumber.digits, key: key)
    }
}
