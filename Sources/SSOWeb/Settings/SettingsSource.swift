import Configuration
import SSOShared

/// The places of settings, in this order: command line, environment, the ``EnvFile``.
///
/// A setting has the name that it has in the environment. `IDP_LISTEN` is `--idp-listen` on the command line.
public struct SettingsSource: Sendable {
    private let reader: ConfigReader
    private let arguments: ConfigReader?
    private let environment: [String: String]
    private let file: EnvFile

    /// - Parameters:
    ///   - arguments: the command line without the program's name, checked by ``SettingsArguments``.
    ///   - environment: the process's environment.
    ///   - file: the settings file.
    public init(arguments: [String], environment: [String: String], file: EnvFile) {
        let line = CommandLineArgumentsProvider(arguments: ["program"] + arguments)
        self.arguments = ConfigReader(provider: line)
        // An empty value does not hide the next source: compose files write NAME= for what is not set.
        let further = [environment, file.values].map {
            EnvironmentVariablesProvider(environmentVariables: $0.filter { !$0.value.isEmpty })
        }
        reader = ConfigReader(providers: [line] + further)
        (self.environment, self.file) = (environment, file)
    }

    /// Settings from a dictionary, for tests.
    public init(_ values: [String: String]) {
        reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: values))
        (arguments, environment, file) = (nil, values, .none)
    }

    /// The text of a setting, or nil when it is absent or empty.
    func text(_ name: String) -> String? { Self.text(name, in: reader) }

    private static func text(_ name: String, in reader: ConfigReader?) -> String? {
        let components = name.lowercased().split(separator: "_").map(String.init)
        guard let text = reader?.string(forKey: ConfigKey(components)), !text.isEmpty else { return nil }
        return text
    }

    /// How a secret is given.
    enum Secret {
        case absent
        case text(String)
        case file(String)
        /// As text and as a file in one source.
        case both
    }

    /// The secret called `name`, or the file that `NAME_FILE` names, from the first source that has either.
    func secret(_ name: String) -> Secret {
        let sources = [{ Self.text($0, in: arguments) }] + [environment, file.values].map { values in { values[$0] } }
        for source in sources {
            let texts = [name, name + "_FILE"].map { source($0).flatMap { $0.isEmpty ? nil : $0 } }
            switch (texts[0], texts[1]) {
            case (.some, .some): return .both
            case (let text?, nil): return .text(text)
            case (nil, let path?): return .file(path)
            case (nil, nil): continue
            }
        }
        return .absent
    }

    /// What is wrong with the file, each problem with its line.
    var problems: [String] { file.problems }

    var warnings: [String] { file.warnings }

    /// Whether the file could not be read: then its problems say all that is known.
    var isUnreadable: Bool { file.isUnreadable }

    /// Where the settings come from, in words.
    var description: String { "command line, environment, \(file.description)" }

    /// Whether the settings are those of the installed service.
    var isOfService: Bool { file.isOfService }

    /// What to do about a file that this user may not read.
    public var hint: String? { file.hint }

    /// Where the value of a setting comes from, in words; nil for one that is not set.
    package func place(of name: String) -> String? {
        for name in [name, name + "_FILE"] {
            if Self.text(name, in: arguments) != nil { return "command line" }
            if environment[name].map({ !$0.isEmpty }) == true { return "environment" }
            if file.values[name].map({ !$0.isEmpty }) == true {
                return file.lines.first { $0.key == name }.map { "\(file.label):\($0.value)" } ?? file.label
            }
        }
        return nil
    }

    /// The names that begin with `prefix` in the environment and in the file, each with its place. Characters that nobody can see
    /// may stand before it.
    func names(prefix: String) -> [(name: String, place: String, isInFile: Bool)] {
        let inFile = file.lines.map { ($0.key, "\(file.label):\($0.value)", true) }
        return (environment.keys.map { ($0, "the environment", false) } + inFile)
            .filter { UnseenCharacter.removed(from: $0.0).hasPrefix(prefix) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }
}
