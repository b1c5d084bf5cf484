import Foundation
import Synchronization

/// The time of a node of several: its steady clock, set by the clock of the database that all nodes share.
///
/// Nodes whose own clocks differ agree on what has expired. The rules of ``JudgedClock`` hold for the database's clock as they
/// do for the one of a single machine.
public final class DatabaseClock: Sendable {
    private struct Anchor {
        let moment: Timestamp
        let instant: ContinuousClock.Instant
    }

    /// A longer answer says too little about the moment in its middle.
    private static let longestAnswer = Duration.milliseconds(500)

    private let start = ContinuousClock.now
    private let anchor: Mutex<Anchor>

    /// - Parameters:
    ///   - milliseconds: the database's time since 1970, read between `before` and `after`.
    public init(_ milliseconds: Int64, before: ContinuousClock.Instant, after: ContinuousClock.Instant) {
        anchor = Mutex(Anchor(moment: Timestamp(milliseconds: milliseconds), instant: before + (after - before) / 2))
    }

    /// Sets the clock, unless the answer took so long that the moment is uncertain.
    public func set(_ milliseconds: Int64, before: ContinuousClock.Instant, after: ContinuousClock.Instant) {
        guard after - before <= Self.longestAnswer else { return }
        let new = Anchor(moment: Timestamp(milliseconds: milliseconds), instant: before + (after - before) / 2)
        anchor.withLock { $0 = new }
    }

    /// The clock for the program.
    public var clock: ServiceClock {
        ServiceClock(reading: { [self] in
            let now = ContinuousClock.now
            let anchor = anchor.withLock { $0 }
            return ClockReading(wall: anchor.moment + (now - anchor.instant), steady: now - start)
        })
    }
}
