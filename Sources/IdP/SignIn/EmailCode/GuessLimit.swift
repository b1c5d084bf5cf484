import SSOWeb

/// Owns the rule how many codes may be typed for one account: 20 wrong ones in 24 hours, then a pause of an hour after
/// each further one (invariant I4; NIST SP 800-63B-4 3.2.2). Counted by address, so that no new code, browser, network
/// or restart begins anew.
enum GuessLimit {
    static let maximum = 20
    static let window: Duration = .hours(24)
    static let pause: Duration = .hours(1)

    /// Until when no code is taken, or nil.
    ///
    /// - Parameter failures: the wrong guesses within the last 24 hours, newest first; 20 are enough.
    static func pausedUntil(failures: [Timestamp], now: Timestamp) -> Timestamp? {
        let recent = failures.filter { $0 > now - window }
        guard recent.count >= maximum, let last = recent.max(), last + pause > now else { return nil }
        return last + pause
    }
}
