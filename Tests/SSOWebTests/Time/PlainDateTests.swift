import SSOWeb
import Testing

@testable import TestKit

@Suite("Dates as text", .rules)
struct PlainDateTests {
    @Test(
        "a date is in UTC and in English, in each of its forms",
        arguments: [
            (0, "1 January 1970, 00:00 UTC", "1970-01-01T00:00:00.000Z"),
            (951_827_696_007, "29 February 2000, 12:34 UTC", "2000-02-29T12:34:56.007Z"),
            (1_795_269_909_123, "21 November 2026, 14:05 UTC", "2026-11-21T14:05:09.123Z"),
            (4_107_542_399_999, "28 February 2100, 23:59 UTC", "2100-02-28T23:59:59.999Z"),
        ])
    func forms(milliseconds: Int64, long: String, rfc3339: String) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(PlainDate.long(moment) == long)
        #expect(long.hasSuffix(PlainDate.time(moment)))
        #expect(PlainDate.rfc3339(moment) == rfc3339)
    }

    @Test("no number of minutes, hours or days traps, and a large one is still a long time")
    func largeSpans() {
        for count in [Int.max, Int.max / 3600, 1_000_000_000_000_000_000, 0x8000_0000] {
            for span in [Duration.minutes(count), .hours(count), .days(count)] {
                #expect(span > .seconds(100_000_000_000))
            }
            for span in [Duration.minutes(-count), .hours(-count), .days(-count)] { #expect(span < .zero) }
        }
        #expect(Duration.days(730) == .seconds(730 * 86_400))
    }
}
