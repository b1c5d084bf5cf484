import Foundation
import Synchronization

/// What time it is, as a value: tests put their own in.
public struct ServiceClock: Sendable {
    /// The moment it is.
    public let now: @Sendable () -> Timestamp
    /// How far that can be relied on at this moment.
    let state: @Sendable () -> ClockState

    /// A clock that says what `now` says, and is right.
    public init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        state = { ClockState() }
    }

    /// A clock over readings of two others, by the rules of ``JudgedClock``.
    init(reading: @escaping @Sendable () -> ClockReading) {
        let clock = Mutex(JudgedClock(reading()))
        // Read inside the lock: readings must come in order.
        now = { clock.withLock { $0.now(reading()) } }
        state = {
            clock.withLock { clock in
                _ = clock.now(reading())
                return clock.state
            }
        }
    }

    /// The system's clock. Within one process it neither follows a wall clock that was set back nor one that jumps ahead
    /// for a while.
    ///
    /// What was issued under a clock that ran ahead is refused by the stores themselves after a restart: each asks that
    /// a row was not made in the future.
    public static func system() -> Self {
        let start = ContinuousClock.now
        return Self(reading: { reading(since: start) })
    }

    /// Both clocks at one moment: a thread that was held up between the two would see a jump.
    private static func reading(since start: ContinuousClock.Instant) -> ClockReading {
        var (before, wall) = (ContinuousClock.now, wall())
        for _ in 1...3 where ContinuousClock.now - before > .milliseconds(100) {
            (before, wall) = (ContinuousClock.now, Self.wall())
        }
        return ClockReading(wall: wall, steady: before - start)
    }

    private static func wall() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

/// How far the clocks of two processes on one database may be apart.
public enum ClockSkew {
    /// Two minutes. A row made further in the future than this stems from a clock that was wrong, and does not count.
    public static let tolerated: Duration = .minutes(2)
}
