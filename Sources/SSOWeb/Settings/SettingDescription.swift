/// One setting as `--help` explains it.
///
/// The table of a program is the only list of its settings. The names that the command line accepts come from it, too.
public struct SettingDescription: Sendable {
    /// The name, as in the environment.
    public let name: String
    /// The value without this setting, or what stands for it: `required`, `none`.
    public let fallback: String
    /// A valid value.
    public let example: String
    /// What the setting does, in one or two sentences.
    public let explanation: String
    /// Whether it is or may contain a secret: refused on the command line, accepted as `NAME_FILE`.
    public let isSecret: Bool

    /// - Parameters:
    ///   - fallback: the default as text, `required` or `none`.
    ///   - isSecret: whether the value is or may contain a secret.
    public init(
        _ name: String, default fallback: String, example: String, isSecret: Bool = false, _ explanation: String
    ) {
        self.name = name
        self.fallback = fallback
        self.example = example
        self.isSecret = isSecret
        self.explanation = explanation
    }

    /// The settings that every program has in addition to its own.
    public static let common = [
        SettingDescription(
            "LOG_FORMAT", default: "text", example: "json",
            "The form of the log on standard error: text, or json for one JSON object per line."),
        SettingDescription(
            "LOG_LEVEL", default: "info", example: "notice",
            "The lowest level that is logged: trace, debug, info, notice, warning, error or critical."),
        SettingDescription(
            "HSTS_INCLUDE_SUBDOMAINS", default: "false", example: "true",
            "Whether Strict-Transport-Security covers all subdomains of the public host. Browsers remember that for a year."
        ),
        SettingDescription(
            ShutdownGrace.setting, default: "2s", example: "500ms",
            "How long the program serves after SIGTERM with /readyz failing, from 0s to 60s, so that proxies can stop using it."
        ),
    ]

    /// The part of `--help` that explains the settings, wrapped for a terminal of 80 columns.
    public static func help(_ settings: [SettingDescription]) -> String {
        let plain = settings.filter { !$0.isSecret } + common
        let secrets = settings.filter(\.isSecret)
        let introduction = [
            "A setting is read from the command line (--log-level notice), else from the environment (LOG_LEVEL), else from "
                + "a file .env in the working folder.",
            "docs/operations.md explains all settings, events and exit codes.",
        ].map { wrapped($0, indent: "") }
        let secretsOnly = wrapped(
            "SECRETS, only in the environment or .env, or in a file that NAME_FILE names:", indent: "")
        return (introduction + ["SETTINGS:"] + plain.map(\.paragraph) + [secretsOnly] + secrets.map(\.paragraph))
            .joined(separator: "\n\n")
    }

    private var paragraph: String {
        let head =
            switch fallback {
            case "required", "none": "\(name) (\(fallback))"
            default: "\(name) (default: \(fallback))"
            }
        return ["  \(head)", Self.wrapped(explanation, indent: "      "), "      Example: \(example)"]
            .joined(separator: "\n")
    }

    private static func wrapped(_ text: String, indent: String) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= 78 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(indent + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
