import Foundation

/// A moment in UTC: whole milliseconds since 1970, the form of all tables.
///
/// In whole seconds a lifetime could be wrong by a second at each end.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// The moment this number of milliseconds after the beginning of 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970, rounded down: the form of the verify response.
    public var seconds: Int { Int(milliseconds / 1000) }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The later moment. Wraps instead of trapping on overflow.
    public static func + (moment: Self, span: Duration) -> Self {
        Self(milliseconds: moment.milliseconds &+ span.milliseconds)
    }

    /// The earlier moment. Wraps instead of trapping on overflow.
    public static func - (moment: Self, span: Duration) -> Self {
        Self(milliseconds: moment.milliseconds &- span.milliseconds)
    }

    /// The time from the right moment to the left one. Negative when the left one is earlier.
    public static func - (later: Self, earlier: Self) -> Duration {
        .milliseconds(later.milliseconds &- earlier.milliseconds)
    }

    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded up, so that a wait is never announced too short.
    public var secondsRoundedUp: Int { Int((milliseconds + 999) / 1000) }

    /// A number of minutes.
    public static func minutes(_ count: Int) -> Self { .seconds(count * 60) }
    /// A number of hours.
    public static func hours(_ count: Int) -> Self { .seconds(count * 3600) }
    /// A number of days of 24 hours.
    public static func days(_ count: Int) -> Self { .hours(count * 24) }
}

/// Formats dates and durations as English text, always in UTC and independent of the machine's locale.
public enum PlainDate {
    /// `21 November 2026, 14:05 UTC`.
    public static func long(_ moment: Timestamp) -> String { text(moment, "%-d %B %Y, %H:%M UTC") }

    /// `14:05 UTC`.
    public static func time(_ moment: Timestamp) -> String { text(moment, "%H:%M UTC") }

    /// `2026-11-21T14:05:09.123Z` (RFC 3339), for logs and `<time datetime>`.
    public static func rfc3339(_ moment: Timestamp) -> String {
        let fraction = String(1000 + moment.milliseconds % 1000).dropFirst()
        return text(moment, "%Y-%m-%dT%H:%M:%S.\(fraction)Z")
    }

    /// `Sat, 21 Nov 2026 14:05:09 +0000` (RFC 5322 section 3.3), for the Date of an email.
    public static func rfc5322(_ moment: Timestamp) -> String { text(moment, "%a, %d %b %Y %H:%M:%S +0000") }

    /// `14:05 UTC`.
    static func clock(_ moment: Timestamp) -> String { text(moment, "%H:%M UTC") }

    /// Day, month (1 to 12) and year, for the words of a language.
    static func parts(_ moment: Timestamp) -> (day: Int, month: Int, year: Int) {
        let numbers = text(moment, "%-d %-m %Y").split(separator: " ").map { Int($0) ?? 0 }
        return numbers.count == 3 ? (numbers[0], numbers[1], numbers[2]) : (0, 0, 0)
    }

    /// `43 seconds`, `12 minutes`, `2 hours`. Rounded up, so that a wait is never announced too short.
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

    /// `strftime` uses the C locale: the process never calls `setlocale`.
    private static func text(_ moment: Timestamp, _ format: String) -> String {
        var (seconds, parts, buffer) = (time_t(moment.seconds), tm(), [CChar](repeating: 0, count: 64))
        gmtime_r(&seconds, &parts)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
