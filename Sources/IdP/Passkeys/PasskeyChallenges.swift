import Foundation
import IdPFlow
import SSOShared
import SSOWeb

/// The session slot of the challenges that pages of this browser carry: at most four, ten minutes each, each used once.
///
/// A challenge is taken out by whatever comes for it, with what follows from that: a sign-in, or a refusal. Of two answers to one
/// challenge at most one is accepted.
struct PasskeyChallenges: SessionSlot {
    static let key = "passkeyChallenges"
    static let survivesSignIn = false

    static let maximum = 4
    static let lifetime: Duration = .minutes(10)
    /// A page that is shown again carries the same one until then.
    private static let renewal: Duration = .minutes(4)
    private static let bytes = 32

    /// What an answer to it may do. The raw values are stored.
    enum Purpose: String, Codable, Sendable { case signIn, add }

    struct Challenge: Codable, Sendable {
        /// In base64url.
        fileprivate let text: String
        fileprivate let purpose: Purpose
        fileprivate let flow: FlowID?
        /// Whether it serves every flow of the session; missing for no.
        fileprivate let anyFlow: Bool?
        /// The account that gets the passkey; nil for a sign-in.
        fileprivate let account: String?
        /// The only origin whose pages may answer it.
        let origin: String
        fileprivate let begunAt: Timestamp

        var bytes: [UInt8] { Base64URL.decode(text) ?? [] }

        /// One from the future was made while the clock was wrong.
        fileprivate func isOpen(_ now: Timestamp, for lifetime: Duration = PasskeyChallenges.lifetime) -> Bool {
            now - begunAt < lifetime && begunAt <= now + ClockSkew.tolerated
        }

        fileprivate func answers(_ use: Use) -> Bool {
            purpose == use.purpose && (flow == use.flow || anyFlow == true) && account == use.account
        }
    }

    /// What a challenge is for.
    struct Use: Sendable {
        let purpose: Purpose
        var flow: FlowID?
        var account: String?
        var anyFlow: Bool?

        static func signIn(_ flow: FlowID?) -> Use { Use(purpose: .signIn, flow: flow) }
        /// For a request that names no flow.
        static let signInToAny = Use(purpose: .signIn, anyFlow: true)
        static func add(to account: String) -> Use { Use(purpose: .add, account: account) }
    }

    private var all: [Challenge] = []

    /// The challenge of a page, if there is one.
    func current(for use: Use) -> Challenge? { all.last { $0.answers(use) } }

    /// Makes a challenge, unless the page carries one that is young enough.
    ///
    /// - Returns: whether it has made one.
    mutating func issue(
        for use: Use, at origin: PublicOrigin, randomness: any Randomness, now: Timestamp
    ) throws -> Bool {
        if let current = current(for: use), current.isOpen(now, for: Self.renewal) { return false }
        try renew(for: use, at: origin, randomness: randomness, now: now)
        return true
    }

    /// Makes a challenge. The oldest goes beyond four.
    mutating func renew(
        for use: Use, at origin: PublicOrigin, randomness: any Randomness, now: Timestamp
    ) throws {
        all.removeAll { !$0.isOpen(now) }
        all.append(
            Challenge(
                text: Base64URL.encode(try randomness.bytes(Self.bytes)), purpose: use.purpose, flow: use.flow,
                anyFlow: use.anyFlow, account: use.account, origin: origin.text, begunAt: now))
        all.removeFirst(max(0, all.count - Self.maximum))
    }

    /// Takes out every challenge of a purpose, also of other flows: the form may name another flow than the answer is for.
    ///
    /// - Returns: those that an answer may be for.
    mutating func take(for use: Use, now: Timestamp) -> [Challenge] {
        let taken = all.filter { $0.purpose == use.purpose }
        all.removeAll { $0.purpose == use.purpose }
        return taken.filter { $0.answers(use) && $0.isOpen(now) }
    }
}
