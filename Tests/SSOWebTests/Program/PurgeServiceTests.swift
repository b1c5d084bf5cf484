import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("When the purge runs", .rules)
struct PurgeServiceTests {
    private static let noon = Timestamp(milliseconds: 1_795_262_400_000)

    /// Runs it until `isOver` returns true.
    private static func run(
        _ clock: ServiceClock, newest: Timestamp? = nil, _ purges: [PurgeService.Purge],
        until isOver: @escaping @Sendable () -> Bool
    ) async throws {
        let logger = CapturedLog().logger("purge")
        let service = PurgeService(every: .hours(1), clock: clock, logger: logger, newest: { newest }, purges)
        let group = ServiceGroup(configuration: .init(services: [service], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await eventually("the purge has run", within: TestTimeout.limit, every: .milliseconds(5)) {
                isOver() ? () : nil
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("a purge runs until nothing is left, without waiting for the next minute, and other purges get their turn")
    func untilDone() async throws {
        let rows = Mutex(1_000_300)
        let others = Mutex(0)
        let purges: [PurgeService.Purge] = [
            { limit in
                rows.withLock { rows in
                    let gone = min(rows, limit)
                    rows -= gone
                    return gone
                }
            },
            { _ in
                others.withLock { $0 += 1 }
                return 0
            },
        ]
        try await Self.run(TestClock().clock, purges) { rows.withLock { $0 } == 0 && others.withLock { $0 } > 10 }
        #expect(others.withLock { $0 } == 11, "one turn after each hundred thousand rows, and one at the end")
    }

    @Test("nothing is deleted while the wall clock has jumped, from the moment of the jump")
    func jumped() async throws {
        let offset = Mutex(Duration.zero)
        let reads = Mutex(0)
        let clock = ServiceClock(reading: {
            let steady = Duration.milliseconds(
                reads.withLock { reads in
                    reads += 1
                    return reads
                })
            return ClockReading(wall: Self.noon + steady + offset.withLock { $0 }, steady: steady)
        })
        let calls = Mutex(0)
        try await Self.run(
            clock,
            [
                { limit in
                    calls.withLock { $0 += 1 }
                    // In the middle of a purge of many batches.
                    if calls.withLock({ $0 }) == 3 { offset.withLock { $0 = .days(3) } }
                    return limit
                }, { _ in 0 },
            ]
        ) { calls.withLock { $0 } == 3 && clock.isInDoubt }
        #expect(calls.withLock { $0 } == 3)
    }

    @Test("the purge waits an hour after a start when the newest row contradicts the time, and not otherwise")
    func contradiction() {
        let start = ClockState()
        for (age, allowed) in [
            (Duration.seconds(-5), true), (.zero, true), (.minutes(59), true), (.hours(2), false), (.days(3), false),
        ] {
            var permit = PurgePermit()
            #expect(permit.needsNewestRow(for: start))
            #expect(permit.allows(start, now: Self.noon, newest: Self.noon - age) == allowed)
            #expect(!permit.needsNewestRow(for: start))
            #expect(permit.allows(start, now: Self.noon + .minutes(59), newest: nil) == allowed)
            #expect(permit.allows(start, now: Self.noon + .hours(1), newest: nil) == true)
        }
        var empty = PurgePermit()
        #expect(empty.allows(start, now: Self.noon, newest: nil) == true)
    }

    @Test("the purge waits while the clocks disagree, and for an hour after a jump was accepted or reversed")
    func doubt() {
        var permit = PurgePermit()
        #expect(permit.allows(ClockState(), now: Self.noon, newest: Self.noon) == true)
        for span in [Duration.days(3), .seconds(-40)] {
            #expect(permit.allows(ClockState(disagreement: span), now: Self.noon, newest: nil) == false)
            #expect(permit.allows(ClockState(), now: Self.noon, newest: nil) == true)
        }
        for (epoch, origin) in [(1, ClockState.Origin.acceptedJump), (2, .returned)] {
            let state = ClockState(origin: origin, epoch: epoch)
            #expect(permit.allows(state, now: Self.noon, newest: Self.noon) == false)
            #expect(permit.allows(state, now: Self.noon + .minutes(59), newest: Self.noon) == false)
            #expect(permit.allows(state, now: Self.noon + .hours(1), newest: Self.noon) == true)
        }
    }
}
