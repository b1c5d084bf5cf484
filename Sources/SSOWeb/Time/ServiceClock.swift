import Foundation
import Synchronization

/// What time it is, as a value: tests put their own in.
public struct ServiceClock: Sendable {
    /// The moment it is.
    public let now: @Sendable () -> Timestamp

    /// A clock that says what `now` says.
    public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// The system's clock, which within one process never runs backwards.
    ///
    /// A wall clock that is set back would revive what has expired. So time here goes on with the monotonic clock
    /// and only ever jumps forward, when the wall clock is ahead. What was issued under a clock that ran ahead is
    /// refused by the stores themselves after a restart: each asks that a row was not made in the future.
    public static func system() -> Self {
        let start = ContinuousClock.now
        let high = Mutex((moment: wall(), at: Duration.zero))
        return Self {
            let elapsed = ContinuousClock.now - start
            return high.withLock { last in
                let steady = last.moment + (elapsed - last.at)
                let moment = max(steady, wall())
                // Keep the reference where it is while both clocks agree: re-basing each time would lose the
                // part of a millisecond on every call.
                if moment > steady { last = (moment, elapsed) }
                return moment
            }
        }
    }

    private static func wall() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
