import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Rate limits", .rules)
struct RateLimitTests {
    @Test("the limit allows its number of events in a span, then none, then the same number again")
    func window() {
        let clock = TestClock()
        let limit = RateLimit(5, per: .minutes(1), clock: clock.clock)
        for _ in 1...5 { #expect(limit.hit([1]) == nil) }
        #expect(limit.hit([1]) != nil)
        #expect(limit.hit([2]) == nil)
        clock.advance(by: .minutes(2))
        for _ in 1...5 { #expect(limit.hit([1]) == nil) }
        #expect(limit.hit([1]) != nil)
    }

    @Test("the change from one span to the next does not double the limit")
    func seam() {
        let clock = TestClock()
        let limit = RateLimit(10, per: .minutes(1), clock: clock.clock)
        clock.advance(by: .seconds(59))
        for _ in 1...10 { #expect(limit.hit([1]) == nil) }
        clock.advance(by: .seconds(61))
        let passed = (1...10).count { _ in limit.hit([1]) == nil }
        #expect(passed <= 1)
    }

    @Test(
        "after the time to wait, and not a millisecond before, the next event passes, in every window",
        arguments: [(5, 60_000), (3, 3_600_000), (7, 1_001), (1, 60_000), (100, 60_000)])
    func waits(count: Int, milliseconds: Int) throws {
        let clock = TestClock()
        let limit = RateLimit(count, per: .milliseconds(milliseconds), clock: clock.clock)
        var waits: [Duration] = []
        for round in 0..<(5 * count) {
            while limit.hit([1]) == nil { clock.advance(by: .milliseconds(round % 3)) }
            let wait = try #require(limit.wait([1]))
            waits.append(wait)
            clock.advance(by: wait - .milliseconds(1))
            #expect(limit.wait([1]) == .milliseconds(1), "round \(round): \(wait)")
            clock.advance(by: .milliseconds(1))
            #expect(limit.wait([1]) == nil, "round \(round): \(wait)")
        }
        // After the first window a busy key waits for one event, and not for the end of the window.
        #expect(waits.dropFirst().allSatisfy { $0 <= .milliseconds(milliseconds * 2 / count) }, "\(waits)")
        #expect(RateLimit(0, per: .seconds(1), clock: clock.clock).wait([1]) != nil)
    }

    @Test("a clock that goes back neither lifts the limit nor blocks forever")
    func backwards() {
        let clock = TestClock()
        let limit = RateLimit(3, per: .minutes(1), clock: clock.clock)
        for _ in 1...3 { #expect(limit.hit([1]) == nil) }
        clock.advance(by: .hours(-1))
        #expect(limit.hit([1]) != nil)
        clock.advance(by: .minutes(2))
        #expect(limit.hit([1]) == nil, "not only when the old time is reached again")
    }

    @Test("a million addresses use no more memory than twenty thousand")
    func bounded() {
        let clock = TestClock()
        let limit = RateLimit(1, per: .minutes(1), clock: clock.clock)
        for number in 0..<60_000 {
            _ = limit.hit(withUnsafeBytes(of: number) { Array($0) })
        }
        #expect(limit.count <= RateLimit.maximumKeys)
    }

    @Test("a flood of addresses does not evict the count of one that has reached its limit")
    func busyStay() {
        let clock = TestClock()
        let limit = RateLimit(3, per: .hours(1), clock: clock.clock)
        let busy: [[UInt8]] = (0..<100).map { [0xff, UInt8($0)] }
        for key in busy { for _ in 1...3 { #expect(limit.hit(key) == nil) } }
        for number in 0..<100_000 { _ = limit.hit(withUnsafeBytes(of: number) { Array($0) }) }
        for key in busy { #expect(limit.hit(key) != nil) }
        #expect(limit.count <= RateLimit.maximumKeys)
    }

    @Test("returned events can be used again, and never more than were counted")
    func givenBack() {
        let limit = RateLimit(2, per: .hours(1), clock: TestClock().clock)
        limit.giveBack([1])
        for _ in 1...2 { #expect(limit.hit([1]) == nil) }
        #expect(limit.hit([1]) != nil)
        limit.giveBack([1])
        #expect(limit.hit([1]) == nil)
        #expect(limit.hit([1]) != nil)
    }
}
