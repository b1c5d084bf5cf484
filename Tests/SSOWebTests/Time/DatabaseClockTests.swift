import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The clock of a database that several nodes share", .rules)
struct DatabaseClockTests {
    private static let begin = ContinuousClock.now
    private static let start: Int64 = 1_000_000_000

    @Test("it goes on from the database's time, whatever the clock of the machine says")
    func goesOn() {
        let clock = DatabaseClock(Self.start, before: .now, after: .now)
        let now = clock.clock.now()
        #expect(now >= Timestamp(milliseconds: Self.start) && now < Timestamp(milliseconds: Self.start + 60_000))
    }

    @Test("it follows the database, never backwards, and not by an answer that took long")
    func follows() {
        let source = DatabaseClock(Self.start, before: .now, after: .now)
        let clock = source.clock
        let first = clock.now()
        source.set(Self.start + 20_000, before: .now, after: .now)
        let second = clock.now()
        #expect(second >= first + .seconds(20))
        source.set(Self.start, before: .now, after: .now)
        #expect(clock.now() >= second)
        source.set(Self.start + 29_000, before: .now - .seconds(1), after: .now)
        #expect(clock.now() < first + .seconds(28))
    }
}
