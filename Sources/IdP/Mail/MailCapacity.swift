import SSOWeb
import Synchronization

/// Owns the rule how many emails leave in an hour over all addresses (`IDP_MAIL_HOURLY_LIMIT`): a visitor must not turn
/// us into a source of spam. Only emails that were handed to the mail server count.
///
/// The last three of ten places are kept for addresses that have an account, so that invented addresses cannot use up all
/// of them. Emails that known browsers ask for are not held back: each has a small budget of its own.
struct MailCapacity: Sendable, Equatable {
    /// Which emails may leave.
    enum Level: Int64, Sendable {
        case knownBrowsersOnly, accountsOnly, all
    }

    let limit: Int

    /// How many emails addresses without an account can use.
    var shareOfNewAddresses: Int { (limit * 7 + 9) / 10 }

    /// - Parameter sent: emails handed over within the last hour.
    func level(sent: Int) -> Level {
        sent >= limit ? .knownBrowsersOnly : sent >= shareOfNewAddresses ? .accountsOnly : .all
    }
}

/// Whether emails are held back at the moment, for the pages. The pages show the same to everybody.
final class MailDelay: Sendable {
    private let level = Mutex(MailCapacity.Level.all)

    var isDelayed: Bool { level.withLock { $0 != .all } }

    /// Notes the level of a round, and returns the level before it.
    func note(_ new: MailCapacity.Level) -> MailCapacity.Level {
        level.withLock { level in
            defer { level = new }
            return level
        }
    }
}
