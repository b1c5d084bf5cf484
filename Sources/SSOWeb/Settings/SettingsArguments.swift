import SSOShared

/// Checks settings on the command line: `--idp-listen 127.0.0.1:9090` or `--idp-listen=127.0.0.1:9090`.
///
/// Refuses secrets, including URLs with a password: every user of the machine can read a command line.
public struct SettingsArguments: Sendable {
    let known: Set<String>
    let secrets: Set<String>

    /// The commands of the program, for the message about a word that is neither.
    private let commands: [String]

    /// - Parameters:
    ///   - known: the names of settings, as in the environment. The common ones are added.
    ///   - secrets: the names that are accepted only as `NAME` in the environment or as a file, `NAME_FILE`.
    ///   - commands: the commands of the program.
    public init(known: [String], secrets: [String], commands: [String] = []) {
        let common = CommonSettings.all.map(\.name)
        self.known = Set((known + common + secrets.map { $0 + "_FILE" }).map(Self.flag))
        self.secrets = Set(secrets.map(Self.flag))
        self.commands = commands
    }

    /// All that are accepted or refused by a name of their own, such as `--log-level`.
    package static func names(known: [String], secrets: [String]) -> [String] {
        let arguments = SettingsArguments(known: known, secrets: secrets)
        return arguments.known.union(arguments.secrets).sorted()
    }

    /// What is wrong with the arguments, as a sentence for the user. nil when they are valid.
    public func problem(in arguments: [String]) -> String? {
        var rest = arguments[...]
        var given: Set<String> = []
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts.first ?? "")
            if secrets.contains(flag), !Self.isPlainURL(flag, parts.count == 2 ? parts[1] : rest.first?[...]) {
                return
                    "\(flag) is a secret, and every user of this machine can read a command line. Use \(flag)-file FILE."
            }
            guard known.contains(flag) || secrets.contains(flag) else { return unknown(flag) }
            guard given.insert(flag).inserted else { return "\(flag) appears twice." }
            // An empty value would hide the one of the environment.
            if parts.count == 2 {
                guard parts[1].isEmpty else { continue }
                return "\(flag) needs a value."
            }
            guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                return "\(flag) needs a value."
            }
        }
        return nil
    }

    private func unknown(_ word: String) -> String {
        guard !word.hasPrefix("-") else {
            return
                "Unknown option \(word).\(SpellingSuggestion.question(word, among: known.sorted())) --help-settings lists all settings."
        }
        return "\"\(word)\" is neither a command nor a setting.\(SpellingSuggestion.question(word, among: commands)) "
            + "The commands are \(commands.joined(separator: ", ")). A setting begins with --, such as --log-level notice."
    }

    /// Whether an address contains no password.
    private static func isPlainURL(_ flag: String, _ value: Substring?) -> Bool {
        flag.hasSuffix("-url") && value.map { !holdsPassword(String($0)) } == true
    }

    /// Whether an address contains a password: between `:` and `@`, or as `password=`.
    public static func holdsPassword(_ address: String) -> Bool {
        let login = address.lastIndex(of: "@").map { address[..<$0] } ?? ""
        let rest = login.firstRange(of: "//").map { login[$0.upperBound...] } ?? login
        return rest.contains(":") || address.contains(/password\s*=/)
    }

    private static func flag(_ name: String) -> String {
        "--" + name.lowercased().split(separator: "_").joined(separator: "-")
    }
}
