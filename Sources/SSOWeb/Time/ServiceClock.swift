import Foundation
import Synchronization

/// The source of the current time. Tests replace it.
public struct ServiceClock: Sendable {
    /// The current time.
    public let now: @Sendable () -> Timestamp
    /// How reliable the current time is.
    let state: @Sendable () -> ClockState

    /// Whether the wall clock of this machine was set ahead or back, and is not followed.
    package var isInDoubt: Bool { state().disagreement != nil }

    /// A reliable clock that returns `now`.
    public init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        state = { ClockState() }
    }

    /// A clock that applies the rules of ``JudgedClock`` to readings of both clocks.
    init(reading: @escaping @Sendable () -> ClockReading) {
        let clock = Mutex(JudgedClock(reading()))
        // Read inside the lock: readings must be in order.
        now = { clock.withLock { $0.now(reading()) } }
        state = {
            clock.withLock { clock in
                _ = clock.now(reading())
                return clock.state
            }
        }
    }

    /// The system's clock. Within one process it ignores a wall clock that is set back or jumps ahead for a while.
    ///
    /// After a restart the stores refuse rows from the future, so what was issued under a clock that ran ahead is not
    /// valid.
    public static func system() -> Self {
        let start = ContinuousClock.now
        return Self(reading: { reading(since: start) })
    }

    /// Reads both clocks at one moment. A thread that was suspended between the two readings would see a jump.
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
