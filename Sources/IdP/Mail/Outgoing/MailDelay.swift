package import SSOWeb
import Synchronization

/// Whether emails are held back at the moment, for the pages: by the hourly limit, or because the mail server takes none.
///
/// It looks at the whole queue and the mail server, never at one email: otherwise the words of a page would distinguish
/// addresses with an account, whose emails leave sooner, and decoys, which never leave.
package final class MailDelay: Sendable {
    private struct State {
        var isLimited = false
        /// The last round that found no email waiting. What was due before it has left the queue.
        var drainedAt = Timestamp(milliseconds: 0)
        /// When the first email was due that found the mail server down. Nil while it works.
        var outageSince: Timestamp?
    }

    /// How long before a round an email may have been due that the round could not see, because its transaction ended later.
    static let lateCommit: Duration = .seconds(5)

    private let state = Mutex(State())

    package init() {}

    /// Emails that were due at this moment or later may still wait; nil while none is held back.
    ///
    /// - Parameter isKnownBrowser: whether a known browser has asked. The hourly limit does not hold its emails back.
    package func since(isKnownBrowser: Bool) -> Timestamp? {
        state.withLock { state in
            let limit = state.isLimited && !isKnownBrowser ? state.drainedAt : nil
            return [limit, state.outageSince].compactMap(\.self).min()
        }
    }

    /// Records a round. The limit's delay ends when nothing waits any more, and well below the level at which it begins.
    /// Otherwise it would end and begin again with every email that leaves the hour.
    ///
    /// - Returns: whether the hourly limit holds emails back now, nil if that has not changed.
    func note(_ round: MailQueue.Round, _ capacity: MailCapacity) -> Bool? {
        state.withLock { state in
            state.outageSince = round.outageSince
            let isDrained = round.level == .all && round.isDrained
            if isDrained { state.drainedAt = round.at - Self.lateCommit }
            let isLimitedNow =
                round.level != .all
                || state.isLimited && (!isDrained || round.sent * 10 > capacity.shareOfNewAddresses * 9)
            guard isLimitedNow != state.isLimited else { return nil }
            state.isLimited = isLimitedNow
            return isLimitedNow
        }
    }
}
