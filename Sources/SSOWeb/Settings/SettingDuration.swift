import SSOShared

/// Reads the durations of settings: a whole number with its unit, as in `300s`, `30m`, `12h` or `7d`.
public enum SettingDuration {
    private static let units: [String: Duration] = [
        "ms": .milliseconds(1), "s": .seconds(1), "m": .minutes(1), "h": .hours(1), "d": .days(1),
    ]

    /// Nil for anything else, and for a duration that is out of bounds.
    ///
    /// - Parameter allowsMilliseconds: whether `500ms` is one, too.
    public static func read(
        _ text: String, in bounds: ClosedRange<Duration>, allowsMilliseconds: Bool = false
    ) -> Duration? {
        let digits = text.utf8.prefix(while: \.isASCIIDigit)
        let unit = String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self)
        // Ten digits of days are far below what `Duration` holds.
        guard (1...10).contains(digits.count), let number = Int(String(decoding: digits, as: UTF8.self)),
            let one = units[unit], unit != "ms" || allowsMilliseconds
        else { return nil }
        let duration = one * number
        return bounds.contains(duration) ? duration : nil
    }
}
