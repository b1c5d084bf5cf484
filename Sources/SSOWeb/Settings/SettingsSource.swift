import Configuration

/// Where settings come from, nearest first: command line, environment, `.env` in the working folder.
///
/// A setting has one name, the environment's: `IDP_LISTEN` is `--idp-listen` on the command line.
public struct SettingsSource: Sendable {
    private let reader: ConfigReader
    private let arguments: ConfigReader?
    private let environment: [String: String]
    private let dotEnv: DotEnvFile?

    /// - Parameters:
    ///   - arguments: what stood on the command line, without the program's name, as ``SettingsArguments`` checked it.
    ///   - environment: the process's environment.
    ///   - dotEnv: the path of the `.env` file; it may be missing.
    public init(arguments: [String], environment: [String: String], dotEnv: String) {
        let file = DotEnvFile(path: dotEnv)
        let line = CommandLineArgumentsProvider(arguments: ["program"] + arguments)
        self.arguments = ConfigReader(provider: line)
        reader = ConfigReader(providers: [
            line,
            // An empty value is none, and hides none: compose files write NAME= for what is not set.
            EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty }),
            EnvironmentVariablesProvider(environmentVariables: file.values),
        ])
        (self.environment, self.dotEnv) = (environment, file)
    }

    /// Settings from a dictionary alone, for tests.
    public init(_ values: [String: String]) {
        reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: values))
        (arguments, environment, dotEnv) = (nil, values, nil)
    }

    /// The text of the setting called `name`, or nil where it is absent or empty: an empty value is no value.
    func text(_ name: String) -> String? {
        Self.text(name, in: reader)
    }

    private static func text(_ name: String, in reader: ConfigReader?) -> String? {
        let components = name.lowercased().split(separator: "_").map(String.init)
        guard let text = reader?.string(forKey: ConfigKey(components)), !text.isEmpty else { return nil }
        return text
    }

    /// Whether a secret stands there itself, or as a file's name, whichever is nearer: what the command line says hides
    /// what the environment does, and that what `.env` does, in either form.
    enum Secret {
        case absent
        case direct(String)
        case file(String)
        /// In one place in both forms.
        case twice
    }

    /// The secret called `name`, or the file that `name` with `_FILE` names.
    func secret(_ name: String) -> Secret {
        let places: [(String) -> String?] = [
            { Self.text($0, in: arguments) }, { environment[$0] }, { dotEnv?.values[$0] },
        ]
        for place in places {
            let texts = [name, name + "_FILE"].map { place($0).flatMap { $0.isEmpty ? nil : $0 } }
            switch (texts[0], texts[1]) {
            case (.some, .some): return .twice
            case (let text?, nil): return .direct(text)
            case (nil, let path?): return .file(path)
            case (nil, nil): continue
            }
        }
        return .absent
    }

    /// What is wrong with the `.env` file, each fault with its line.
    var faults: [String] { dotEnv?.faults ?? [] }

    /// The names that begin with `prefix` in the environment and in `.env`, each with the place it stands at.
    func names(prefix: String) -> [(name: String, place: String)] {
        let file = (dotEnv?.lines ?? [:]).map { ($0.key, ".env:\($0.value)") }
        return (environment.keys.map { ($0, "the environment") } + file)
            .filter { $0.0.hasPrefix(prefix) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }
}

/// Finds settings that nobody reads: a misspelt name would otherwise be a default that nobody chose.
struct UnknownSettings {
    /// Every name that means something to one of the programs.
    let known: Set<String>

    /// - Parameters:
    ///   - known: the names of the settings.
    ///   - secrets: those which may also come as `NAME_FILE`.
    init(known: [String], secrets: [String]) {
        self.known = Set(known + secrets + secrets.map { $0 + "_FILE" })
    }

    /// The warning for a name, nil for one that is known.
    func warning(_ name: String, place: String) -> String? {
        guard !known.contains(name) else { return nil }
        let hint = nearest(to: name).map { " Did you mean \($0)?" } ?? ""
        return "\(name): there is no such setting; it stands in \(place) and does nothing.\(hint)"
    }

    /// The known name that one gets to with the fewest slips, if they are few.
    private func nearest(to name: String) -> String? {
        let closest = known.sorted().map { ($0, Self.distance(name, $0)) }.min { $0.1 < $1.1 }
        return closest.flatMap { $0.1 <= max(2, name.utf8.count / 4) ? $0.0 : nil }
    }

    /// How many letters must be put in, left out or changed to make one of the other (Levenshtein).
    static func distance(_ one: String, _ other: String) -> Int {
        let target = Array(other.utf8)
        var row = Array(0...target.count)
        for (index, byte) in one.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in target.indices {
                let changed = diagonal + (target[column] == byte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
