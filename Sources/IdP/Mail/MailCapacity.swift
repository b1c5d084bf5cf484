import SSOWeb
import Synchronization

/// Owns the rule how many emails leave in an hour over all addresses (`IDP_MAIL_HOURLY_LIMIT`), so that visitors
/// cannot use the IdP to send spam. Only emails that were handed to the mail server count.
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
    private let delayed = Mutex(false)

    var isDelayed: Bool { delayed.withLock { $0 } }

    /// Records a round. The delay ends well below the level at which it begins. Otherwise it would end and begin again with
    /// every email that leaves the hour.
    ///
    /// - Returns: the new state, nil if it has not changed.
    func note(_ round: MailQueue.Round, _ capacity: MailCapacity) -> Bool? {
        delayed.withLock { delayed in
            let isDelayedNow = delayed ? round.sent * 10 > capacity.shareOfNewAddresses * 9 : round.level != .all
            guard isDelayedNow != delayed else { return nil }
            delayed = isDelayedNow
            return isDelayedNow
        }
    }
}
