import SSOWeb

/// Owns the rule how many letters one address gets: one a minute, 5 an hour, 10 a day. It protects the owner of the
/// mailbox from a stranger who keeps asking (ASVS 2.4.1), and counts the same for addresses that may not sign in.
enum LetterLimit {
    private static let rules: [(count: Int, span: Duration)] = [(1, .minutes(1)), (5, .hours(1)), (10, .days(1))]
    /// How far back letters count.
    static let window: Duration = .days(1)
    /// How many of the newest letters a decision needs.
    static let depth = 10

    /// When the next letter may go, or nil for now.
    ///
    /// - Parameter earlier: when letters to the address were put in the queue, in any order.
    static func nextAllowed(after earlier: [Timestamp], now: Timestamp) -> Timestamp? {
        let newestFirst = earlier.sorted(by: >)
        let ends = rules.compactMap { rule -> Timestamp? in
            guard newestFirst.count >= rule.count else { return nil }
            // The letter that must be older than the span before another one fits in.
            let end = newestFirst[rule.count - 1] + rule.span
            return end > now ? end : nil
        }
        return ends.max()
    }
}
