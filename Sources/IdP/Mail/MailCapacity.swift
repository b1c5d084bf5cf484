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
    private let delayed = Mutex(false)

    var isDelayed: Bool { delayed.withLock { $0 } }

    /// Notes a round. It ends well below the share at which it began: at the edge each email that grows old would end it.
    ///
    /// - Returns: what it is from now on, nil where nothing has changed.
    func note(_ round: LetterStore.Round, _ capacity: MailCapacity) -> Bool? {
        delayed.withLock { delayed in
            let isOver = delayed ? round.sent * 10 > capacity.shareOfNewAddresses * 9 : round.level != .all
            guard isOver != delayed else { return nil }
            delayed = isOver
            return isOver
        }
    }
}
