import Logging

/// The settings that every program has in addition to its own.
public enum CommonSettings {
    /// `text` or `json`.
    static let logFormat = Setting(
        "LOG_FORMAT", default: "text", example: "json",
        "The form of the log on standard error: text, or json for one JSON object per line."
    ) { text in
        guard ["text", "json"].contains(text) else {
            throw SettingError("\"\(text)\" must be text or json, such as LOG_FORMAT=json.")
        }
        return text
    }

    static let logLevel = Setting(
        "LOG_LEVEL", default: "info", example: "notice",
        "The lowest level that is logged: trace, debug, info, notice, warning, error or critical. debug adds a line per request, with the route but never the query."
    ) { text in
        guard let level = Logger.Level(rawValue: text) else {
            throw SettingError("\"\(text)\" must be trace, debug, info, notice, warning, error or critical.")
        }
        return level
    }

    /// Off by default: browsers remember it for a year, and a subdomain without https would be unreachable for as long
    /// (RFC 6797 6.1.2 and 14.4).
    static let hstsIncludesSubdomains = Setting(
        "HSTS_INCLUDE_SUBDOMAINS", default: false, example: "true",
        "Whether Strict-Transport-Security covers all subdomains of the public host. Browsers remember that for a year."
    )

    static let shutdownGrace = Setting(
        "SHUTDOWN_GRACE", without: "2s beside other nodes, else 0s", example: "500ms",
        "How long the program serves after SIGTERM with /readyz failing, from 0s to 60s, so that proxies can use another node."
    ) { try ShutdownGrace($0) }

    /// In the order of `--help`.
    public static let all = [
        logFormat.description, logLevel.description, hstsIncludesSubdomains.description, shutdownGrace.description,
    ]
}
