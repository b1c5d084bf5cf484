import SSOWeb
import Testing

@testable import IdPMail
@testable import TestKit
@testable import WebTestKit

@Suite("The rate limit of emails to one address", .rules)
struct MailRateLimitTests {
    private static let now = TestClock().now

    /// How many seconds ago emails were sent, and the seconds to wait for the next (0: none).
    private static let cases: [(ago: [Int], wait: Int)] = [
        ([], 0), ([0], 60), ([59], 1), ([60], 0), ([60, 120, 180, 240], 0), ([60, 120, 180, 240, 300], 3300),
        ([60, 120, 180, 240, 3600], 0), ([0, 120, 180, 240, 300], 3300),
        ([7200, 14400, 21600, 28800, 36000, 43200, 50400, 57600, 64800], 0),
        ([7200, 14400, 21600, 28800, 36000, 43200, 50400, 57600, 64800, 72000], 14400),
        ([8640, 17280, 25920, 34560, 43200, 51840, 60480, 69120, 77760, 86400], 0),
    ]

    @Test("one per minute, five per hour, ten per day", arguments: cases)
    func table(ago: [Int], wait: Int) {
        let earlier = ago.map { Self.now - .seconds($0) }
        let next = wait == 0 ? nil : Self.now + .seconds(wait)
        #expect(MailRateLimit.nextAllowed(after: earlier, now: Self.now) == next)
        #expect(MailRateLimit.nextAllowed(after: earlier.reversed(), now: Self.now) == next)
    }

    @Test("requests every ten seconds for three days stay within the limit in any window")
    func noWindowExceedsLimit() {
        var sent: [Timestamp] = []
        for step in 0..<(3 * 8640) {
            let now = Self.now + .seconds(step * 10)
            let known = Array(sent.suffix(MailRateLimit.depth))
            if MailRateLimit.nextAllowed(after: known, now: now) == nil { sent.append(now) }
        }
        func most(in span: Duration) -> Int {
            sent.map { start in sent.count { $0 >= start && $0 < start + span } }.max() ?? 0
        }
        #expect(most(in: .minutes(1)) == 1)
        #expect(most(in: .hours(1)) == 5)
        #expect(most(in: .days(1)) == 10)
    }
}
