import SSOShared
import SSOWeb

/// Owns the rule for `state`: made here for one browser, good for ten minutes and for one callback, at most eight at a
/// time, so that several tabs can sign in side by side.
///
/// The state is what tells an answer this browser asked for from one that somebody sent it (login CSRF, RFC 9700 4.7).
struct PendingSignIns: Codable, Sendable {
    struct Pending: Codable, Sendable {
        let state: String
        /// Proves at the back channel that the token was made for this very sign-in (RFC 7636).
        let codeVerifier: String
        /// The IdP it was made for: an answer counts only from there (mix-up, RFC 9700 4.4).
        let idp: String
        let returnTo: String
        let begunAt: Timestamp
    }

    static let lifetime: Duration = .minutes(10)
    static let maximumCount = 8

    private(set) var open: [Pending] = []
    /// The last ones that succeeded, so that a reload of the callback leads to the page, not to an error.
    private(set) var finished: [Finished] = []

    /// What is left of a sign-in that was finished.
    struct Finished: Codable, Sendable {
        let state: String
        let returnTo: String
    }

    /// Adds a sign-in. Beyond eight the oldest goes.
    mutating func add(_ pending: Pending) {
        open = Array((open + [pending]).suffix(Self.maximumCount))
    }

    /// The sign-in of this state, if it is open and not too old. Compares bytes, in constant time.
    func find(_ state: String, now: Timestamp) -> Pending? {
        open.first { Self.same($0.state, state) && now - $0.begunAt < Self.lifetime }
    }

    /// Uses the state up, before anything is asked with it: whatever comes of that, it cannot be used again.
    mutating func consume(_ state: String) { open.removeAll { Self.same($0.state, state) } }

    /// Notes where the callback of a sign-in led that has succeeded.
    mutating func finish(_ pending: Pending) {
        let done = Finished(state: pending.state, returnTo: pending.returnTo)
        finished = Array((finished + [done]).suffix(Self.maximumCount))
    }

    /// For when another person signs in.
    mutating func forgetFinished() { finished = [] }

    /// Where the callback of a state led that has succeeded already.
    func finishedReturnTo(_ state: String) -> String? {
        finished.first { Self.same($0.state, state) }?.returnTo
    }

    private static func same(_ one: String, _ other: String) -> Bool {
        ConstantTime.equal(Array(one.utf8), Array(other.utf8))
    }
}
