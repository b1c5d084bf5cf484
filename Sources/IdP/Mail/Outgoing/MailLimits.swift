package import SSOWeb

/// Who asks for an email, as far as budgets count it.
package struct EmailRequester: Sendable {
    /// The known browser that asks; nil for an unknown one.
    package let browserID: String?
    /// Names the budget of emails, where it is not that of the browser or of the address.
    let ownBudget: String?
    /// A keyed hash of the network that asks; nil where networks cannot be told apart.
    let network: [UInt8]?

    package init(browserID: String?, ownBudget: String? = nil, network: [UInt8]?) {
        (self.browserID, self.ownBudget, self.network) = (browserID, ownBudget, network)
    }

    /// What the queue counts emails for; nil for the budget that unknown browsers share.
    var budget: String? { ownBudget ?? browserID }
}

/// Owns the rule how many emails one mailbox gets: one per minute, 5 per hour, 10 per day for all unknown browsers
/// together, and the same again for each known browser. It protects the owner of the mailbox from a visitor who keeps
/// asking (ASVS 2.4.1), and counts the same for addresses that may not sign in.
///
/// A network that has asked for this mailbox within the day gets no more than 3 per hour and 6 per day of the unknown
/// browsers' budget. The rest is kept for networks that have not, so that one network cannot use it up.
enum MailRateLimit {
    private struct Rule {
        let count: Int
        let span: Duration
    }

    private static let rules = [
        Rule(count: 1, span: .minutes(1)), Rule(count: 5, span: .hours(1)), Rule(count: 10, span: .days(1)),
    ]
    private static let returningRules = [
        Rule(count: 1, span: .minutes(1)), Rule(count: 3, span: .hours(1)), Rule(count: 6, span: .days(1)),
    ]
    /// How far back emails count.
    static let window: Duration = .days(1)
    /// How many of the newest emails a decision needs.
    static let depth = 10

    /// When the next email may go, or nil for now.
    ///
    /// - Parameters:
    ///   - earlier: when emails of this budget were put in the queue, in any order.
    ///   - isReturning: whether the network that asks has asked for this mailbox within the day.
    static func nextAllowed(after earlier: [Timestamp], isReturning: Bool = false, now: Timestamp) -> Timestamp? {
        let newestFirst = earlier.sorted(by: >)
        let ends = (isReturning ? returningRules : rules).compactMap { rule -> Timestamp? in
            guard newestFirst.count >= rule.count else { return nil }
            // The email that must be older than the span before another one fits in.
            let end = newestFirst[rule.count - 1] + rule.span
            return end > now ? end : nil
        }
        return ends.max()
    }
}

/// Owns the rule how many emails leave in an hour over all addresses (`IDP_MAIL_HOURLY_LIMIT`), so that visitors
/// cannot use the IdP to send spam. Only emails that were handed to the mail server count.
///
/// The last three of ten places are kept for addresses that have an account, so that invented addresses cannot use up all
/// of them. Emails that known browsers ask for are not held back: each has a small budget of its own.
package struct MailCapacity: Sendable, Equatable {
    /// Which emails may leave.
    enum Level: Int64, Sendable, CaseIterable {
        case knownBrowsersOnly, accountsOnly, all
    }

    package static let hourlyLimit = Setting(
        "IDP_MAIL_HOURLY_LIMIT", default: 1000, in: 1...1_000_000, example: "5000",
        "Emails per hour across all addresses. Further emails wait. A share is kept for accounts.")

    let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    /// How many emails addresses without an account can use.
    var shareOfNewAddresses: Int { (limit * 7 + 9) / 10 }

    /// - Parameter sent: emails handed over within the last hour.
    func level(sent: Int) -> Level {
        sent >= limit ? .knownBrowsersOnly : sent >= shareOfNewAddresses ? .accountsOnly : .all
    }
}
