import SSOWeb

/// How long a session is in use before the identity provider is asked about it (`RP_SESSION_CHECK`).
struct SessionCheckInterval: Sendable {
    /// From a minute to an hour; nil for never.
    let duration: Duration?

    /// Parses `5m`, `300s` or `off`.
    init(_ text: String) throws(SettingError) {
        if text == "off" {
            duration = nil
            return
        }
        guard let duration = SettingDuration.read(text, in: Duration.minutes(1) ... .minutes(60)) else {
            throw SettingError("\"\(text)\" must be a time from 1m to 60m, such as 5m, or off.")
        }
        self.duration = duration
    }
}
