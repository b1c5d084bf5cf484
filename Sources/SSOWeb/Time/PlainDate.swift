import Foundation

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
