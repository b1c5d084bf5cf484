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
        let seconds = ["s": 1, "m": 60, "h": 3600][text.suffix(1)]
        let digits = text.dropLast()
        guard let seconds, (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isWholeNumber),
            let number = Int(digits), (60...3600).contains(number * seconds)
        else { throw SettingError("\"\(text)\" must be a time from 1m to 60m, such as 5m, or off.") }
        duration = .seconds(number * seconds)
    }
}
