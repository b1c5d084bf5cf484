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
        /// Whether the visitor has only seen a page with the link so far, as far as we know. Nil means no.
        var isOffer: Bool?
    }

    static let lifetime: Duration = .minutes(10)
    static let maximumCount = 8

    private(set) var open: [Pending] = []
    /// The last ones that succeeded, so that a reload of the callback leads to the page, not to an error.
    private(set) var finished: [Finished] = []

    init() {}

    /// What is left of a sign-in that was finished.
    struct Finished: Codable, Sendable {
        let state: String
        let returnTo: String
    }

    /// Adds a sign-in. Beyond eight one goes.
    mutating func add(_ pending: Pending) {
        open.append(pending)
        while open.count > Self.maximumCount { dropOne() }
    }

    /// Drops the oldest offer, or the oldest of all when none was only offered: ten views of a page must not end the
    /// sign-in that another tab is in the middle of. Never the newest.
    mutating func dropOne() {
        guard open.count > 1 else { return }
        open.remove(at: open.dropLast().firstIndex { $0.isOffer == true } ?? 0)
    }

    /// Forgets what is too old to be finished.
    mutating func dropExpired(now: Timestamp) { open.removeAll { !Self.isAlive($0, now) } }

    /// The sign-in of this state, if it is open and not too old. Compares bytes, in constant time.
    func find(_ state: String, now: Timestamp) -> Pending? {
        open.first { ConstantTime.equal($0.state, state) && Self.isAlive($0, now) }
    }

    /// Forgets an open sign-in.
    mutating func remove(_ state: String) { open.removeAll { ConstantTime.equal($0.state, state) } }

    /// Notes where the callback of a sign-in led that has succeeded.
    mutating func finish(_ pending: Pending) {
        let done = Finished(state: pending.state, returnTo: pending.returnTo)
        finished = Array((finished + [done]).suffix(Self.maximumCount))
    }

    /// For when another user signs in.
    mutating func forgetFinished() { finished = [] }

    /// Where the callback of a state led that has succeeded already.
    func finishedReturnTo(_ state: String) -> String? {
        finished.first { ConstantTime.equal($0.state, state) }?.returnTo
    }

    /// One from the future was made while the clock was wrong, and would live too long.
    private static func isAlive(_ pending: Pending, _ now: Timestamp) -> Bool {
        now - pending.begunAt < lifetime && pending.begunAt <= now + ClockSkew.tolerated
    }
}

extension PendingSignIns {
    private enum Key: String, CodingKey { case open, finished }

    /// Tolerant of another version: what it does not name is empty, and an entry that cannot be read is left out.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        open = try fields.decodeIfPresent([Readable<Pending>].self, forKey: .open)?.compactMap(\.value) ?? []
        finished =
            try fields.decodeIfPresent([Readable<Finished>].self, forKey: .finished)?.compactMap(\.value) ?? []
    }

    private struct Readable<Value: Decodable>: Decodable {
        let value: Value?
        init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
    }
}
