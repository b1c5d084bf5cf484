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
    public static func minutes(_ count: Int) -> Self { .seconds(bounded(count) * 60) }
    /// A number of hours.
    public static func hours(_ count: Int) -> Self { .seconds(bounded(count) * 3600) }
    /// A number of days of 24 hours.
    public static func days(_ count: Int) -> Self { .seconds(bounded(count) * 86_400) }

    /// Millions of years at most. A larger number, which may come from a request, counts as that many instead of trapping.
    private static func bounded(_ count: Int) -> Int { min(max(count, -0x7fff_ffff), 0x7fff_ffff) }
}

/// Formats dates as English text, always in UTC and independent of the machine's locale.
public enum PlainDate {
    /// `21 November 2026, 14:05 UTC`.
    public static func long(_ moment: Timestamp) -> String { text(moment, "%-d %B %Y, %H:%M UTC") }

    /// `14:05 UTC`.
    public static func time(_ moment: Timestamp) -> String { clock(moment) }

    /// `2026-11-21T14:05:09.123Z` (RFC 3339), for logs and `<time datetime>`.
    public static func rfc3339(_ moment: Timestamp) -> String {
        let utc = utc(moment)
        let (month, day) = (padded(utc.tm_mon + 1), padded(utc.tm_mday))
        let (hour, minute, second) = (padded(utc.tm_hour), padded(utc.tm_min), padded(utc.tm_sec))
        let fraction = String(1000 + moment.milliseconds % 1000).dropFirst()
        // Short pieces need no memory of their own.
        var text = ""
        text.reserveCapacity(24)
        text += "\(utc.tm_year + 1900)-\(month)-\(day)"
        text += "T\(hour):\(minute)"
        text += ":\(second).\(fraction)Z"
        return text
    }

    /// `14:05 UTC`.
    static func clock(_ moment: Timestamp) -> String {
        let utc = utc(moment)
        return "\(padded(utc.tm_hour)):\(padded(utc.tm_min)) UTC"
    }

    /// Day, month (1 to 12) and year, for the words of a language.
    static func parts(_ moment: Timestamp) -> (day: Int, month: Int, year: Int) {
        let utc = utc(moment)
        return (Int(utc.tm_mday), Int(utc.tm_mon) + 1, Int(utc.tm_year) + 1900)
    }

    /// `strftime` uses the C locale: the process never calls `setlocale`.
    private static func text(_ moment: Timestamp, _ format: String) -> String {
        var (utc, buffer) = (utc(moment), [CChar](repeating: 0, count: 64))
        let count = strftime(&buffer, buffer.count, format, &utc)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func utc(_ moment: Timestamp) -> tm {
        var (seconds, utc) = (time_t(moment.seconds), tm())
        gmtime_r(&seconds, &utc)
        return utc
    }

    /// Two digits, also for a number with one.
    private static func padded(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
