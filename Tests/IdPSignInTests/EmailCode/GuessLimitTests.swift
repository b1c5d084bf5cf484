import SSOWeb
import Testing

@testable import IdPSignIn
@testable import TestKit
@testable import WebTestKit

@Suite("The limit of wrong codes for one account", .rules)
struct GuessLimitTests {
    private static let now = TestClock().now

    private static func failures(_ count: Int, newest: Duration, apart: Duration) -> [Timestamp] {
        (0..<count).map { now - newest - apart * $0 }
    }

    /// Seconds: since the newest wrong code, between two of them, and until typing is allowed again (0: it is
    /// allowed).
    private static let cases: [(count: Int, newest: Int, apart: Int, pause: Int)] = [
        (19, 0, 1, 0), (20, 0, 1, 3600), (20, 3599, 1, 1), (20, 3600, 1, 0), (200, 10, 0, 3590),
        // The twentieth is a second less than a day old, or exactly a day.
        (20, 1, 4546, 3599), (20, 26, 4546, 0),
    ]

    @Test("twenty within a day pause typing for an hour after the last one", arguments: cases)
    func table(count: Int, newest: Int, apart: Int, pause: Int) {
        let failures = Self.failures(count, newest: .seconds(newest), apart: .seconds(apart))
        let end = pause == 0 ? nil : Self.now + .seconds(pause)
        #expect(GuessLimit.pausedUntil(failures: failures, now: Self.now) == end)
        #expect(GuessLimit.pausedUntil(failures: failures.reversed(), now: Self.now) == end)
    }

    /// NIST SP 800-63B-4 3.2.2: the number of failed attempts is limited however the attacker spreads them.
    @Test("endless guessing gets no more than twenty plus one per hour in any day")
    func noWindowExceedsLimit() {
        var (now, guesses) = (Self.now, [Timestamp]())
        let end = now + .days(7)
        while now < end {
            if let pause = GuessLimit.pausedUntil(failures: guesses.suffix(20).reversed(), now: now) { now = pause }
            guesses.append(now)
            now = now + .seconds(1)
        }
        let busiest = guesses.map { start in guesses.count { $0 >= start && $0 < start + .days(1) } }.max() ?? 0
        #expect(busiest >= 20)
        #expect(busiest <= 20 + 24)
    }
}
