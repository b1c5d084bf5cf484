/// One setting as `--help` explains it.
///
/// The table of a program is the only list of its settings. The names that the command line accepts come from it, too.
public struct SettingDescription: Sendable {
    /// The name, as in the environment.
    public let name: String
    /// The value without this setting; nil when there is none.
    public let defaultValue: String?
    /// The default as `--help` shows it: the value, or words for what stands for it: `required`, `none`.
    public let fallback: String
    /// A valid value.
    public let example: String
    /// What the setting does, in one or two sentences.
    public let explanation: String
    /// Whether it is or may contain a secret: refused on the command line, accepted as `NAME_FILE`.
    public let isSecret: Bool
    /// Whether only some values are secrets: refused on the command line with a password, and accepted as `NAME_FILE`.
    public let mayHoldSecret: Bool

    /// A setting with a default.
    public init(
        _ name: String, default value: String, example: String, _ explanation: String, mayHoldSecret: Bool = false
    ) {
        (self.name, self.example, self.explanation, isSecret) = (name, example, explanation, false)
        (defaultValue, fallback, self.mayHoldSecret) = (value, value, mayHoldSecret)
    }

    /// - Parameters:
    ///   - words: what stands for the value when it is not set: `required`, `none`.
    ///   - isSecret: whether the value is or may contain a secret.
    public init(
        _ name: String, without words: String = "none", example: String, isSecret: Bool = false, _ explanation: String
    ) {
        (self.name, self.example, self.explanation, self.isSecret) = (name, example, explanation, isSecret)
        (defaultValue, fallback, mayHoldSecret) = (nil, words, false)
    }

    /// The part of `--help` that explains the settings, wrapped for a terminal of 80 columns.
    ///
    /// - Parameter program: `idp` or `relying-party`.
    public static func help(_ settings: [SettingDescription], of program: String) -> String {
        let plain = settings.filter { !$0.isSecret } + CommonSettings.all
        let secrets = settings.filter(\.isSecret)
        let introduction = [
            "A setting is read from the command line (--log-level notice), else from the environment (LOG_LEVEL), else from "
                + "the file that --env-file names, else .env in the working folder, else the file of the installed service, "
                + "\(InstalledService(program).file).",
            "docs/settings.md explains all settings, docs/events.md all events and exit codes.",
        ].map { wrapped($0, indent: "") }
        let secretsOnly = wrapped(
            "SECRETS, only in the environment or .env, or in a file that NAME_FILE names:", indent: "")
        return (introduction + ["SETTINGS:"] + plain.map(\.paragraph) + [secretsOnly] + secrets.map(\.paragraph))
            .joined(separator: "\n\n")
    }

    private var paragraph: String {
        let head =
            ["required", "none"].contains(fallback) ? "\(name) (\(fallback))" : "\(name) (default: \(fallback))"
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
