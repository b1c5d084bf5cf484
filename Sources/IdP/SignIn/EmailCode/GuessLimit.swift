import SSOWeb

/// Owns the rule how many codes may be typed for one account (NIST SP 800-63B-4 3.2.2). Counted by address, so that a
/// new code, browser, network or restart does not reset the count.
///
/// - All unknown browsers together: 20 wrong codes in 24 hours, then a pause of an hour after each further one.
/// - Each known browser: the same, for itself. No other browser can use up its budget.
/// - While codes are guessed on many accounts at once (``GuessAlarm``): 5 in 24 hours for all unknown browsers together.
enum GuessLimit {
    static let maximum = 20
    static let maximumUnderAlarm = 5
    static let window: Duration = .hours(24)
    static let pause: Duration = .hours(1)

    /// Until when no code is accepted; nil when codes are accepted.
    ///
    /// - Parameter failures: the wrong guesses of this budget within the last 24 hours, newest first; 20 are enough.
    static func pausedUntil(failures: [Timestamp], isAlarmed: Bool = false, now: Timestamp) -> Timestamp? {
        let recent = failures.filter { $0 > now - window }.sorted(by: >)
        if isAlarmed, recent.count >= maximumUnderAlarm {
            // Not only a pause of an hour: one guess per hour and account would still add up over many accounts.
            return recent[maximumUnderAlarm - 1] + window
        }
        guard recent.count >= maximum, let last = recent.first, last + pause > now else { return nil }
        return last + pause
    }
}

/// Owns the rule when guessing is spread over many accounts (password spraying): more than 100 wrong codes within ten
/// minutes over all accounts raise the alarm. It ends when an hour has passed without such a ten minutes.
enum GuessAlarm {
    static let threshold = 100
    static let span: Duration = .minutes(10)
    static let quiet: Duration = .hours(1)
}
