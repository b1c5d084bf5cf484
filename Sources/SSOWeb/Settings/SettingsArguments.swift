/// Checks settings on the command line: `--idp-listen 127.0.0.1:9090` or `--idp-listen=127.0.0.1:9090`.
///
/// Refuses secrets, including URLs with a password: every user of the machine can read a command line.
public struct SettingsArguments: Sendable {
    /// The settings that every program has in addition to its own.
    public static let common = ["LOG_FORMAT", "LOG_LEVEL", "HSTS_INCLUDE_SUBDOMAINS", ShutdownGrace.setting]

    let known: Set<String>
    let secrets: Set<String>

    /// - Parameters:
    ///   - known: the names of settings, as in the environment.
    ///   - secrets: the names that are accepted only as `NAME` in the environment or as a file, `NAME_FILE`.
    public init(known: [String], secrets: [String]) {
        self.known = Set((known + Self.common + secrets.map { $0 + "_FILE" }).map(Self.flag))
        self.secrets = Set(secrets.map(Self.flag))
    }

    /// The part of `--help` that lists the settings.
    public static func help(_ names: [String], secrets: [String]) -> String {
        """
        A setting is read from the command line (--idp-listen 127.0.0.1:9090), else from the environment (IDP_LISTEN), \
        else from a file .env in the working folder.

        Settings: \((names + common).joined(separator: ", ")).

        Secrets, only in the environment or as NAME_FILE: \(secrets.joined(separator: ", ")).
        """
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
            guard known.contains(flag) || secrets.contains(flag) else { return "Unknown option \(flag)." }
            guard given.insert(flag).inserted else { return "\(flag) appears twice." }
            if parts.count == 2 { continue }
            guard let value = rest.popFirst(), !value.hasPrefix("--") else { return "\(flag) needs a value." }
        }
        return nil
    }

    /// Whether a URL contains no user name or password.
    private static func isPlainURL(_ flag: String, _ value: Substring?) -> Bool {
        flag.hasSuffix("-url") && !(value ?? "@").utf8.contains(UInt8(ascii: "@"))
    }

    private static func flag(_ name: String) -> String {
        "--" + name.lowercased().split(separator: "_").joined(separator: "-")
    }
}
