import Foundation

/// Dates as people and letters read them: always UTC and never the machine's language.
public enum PlainDate {
    /// `21 November 2026, 14:05 UTC`.
    public static func long(_ moment: Timestamp) -> String {
        let part = parts(moment)
        return "\(part.day) \(months[part.month - 1]) \(part.year), \(two(part.hour)):\(two(part.minute)) UTC"
    }

    /// `14:05 UTC`.
    public static func time(_ moment: Timestamp) -> String {
        let part = parts(moment)
        return "\(two(part.hour)):\(two(part.minute)) UTC"
    }

    /// `2026-11-21T14:05:09.123Z` (RFC 3339), for logs and `<time datetime>`.
    public static func rfc3339(_ moment: Timestamp) -> String {
        let part = parts(moment)
        let millisecond = Int(moment.milliseconds % 1000)
        let fraction = String(1000 + millisecond).dropFirst()
        return "\(part.year)-\(two(part.month))-\(two(part.day))T\(two(part.hour)):\(two(part.minute)):"
            + "\(two(part.second)).\(fraction)Z"
    }

    /// `43 seconds`, `12 minutes`, `2 hours`: rounded up, so that nobody comes back too early.
    public static func span(_ span: Duration) -> String {
        let seconds = max(1, span.secondsRoundedUp)
        switch seconds {
        case ...90: return count(seconds, "second")
        case ...5400: return count((seconds + 59) / 60, "minute")
        default: return count((seconds + 3599) / 3600, "hour")
        }
    }

    private static func count(_ number: Int, _ unit: String) -> String {
        number == 1 ? "1 \(unit)" : "\(number) \(unit)s"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    private struct Parts {
        let year, month, day, hour, minute, second: Int
    }

    /// Civil date from a day count, by the era method (400-year cycles), exact for every year a clock can show.
    private static func parts(_ moment: Timestamp) -> Parts {
        let total = moment.milliseconds / 1000
        let (days, rest) = (Int(total / 86400), Int(total % 86400))
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return Parts(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthIndex + 2) / 5 + 1,
            hour: rest / 3600, minute: rest % 3600 / 60, second: rest % 60)
    }
}
