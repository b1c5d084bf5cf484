/// Settings on the command line: `--idp-listen 127.0.0.1:9090` or `--idp-listen=127.0.0.1:9090`.
///
/// Secrets are refused here, addresses with a login in them among these: every user of the machine can read a command line.
public struct SettingsArguments: Sendable {
    /// Names every program has beside its own settings.
    public static let common = ["LOG_FORMAT", "LOG_LEVEL", "HSTS_INCLUDE_SUBDOMAINS", ShutdownGrace.setting]

    let known: Set<String>
    let secrets: Set<String>

    /// - Parameters:
    ///   - known: the names of settings as in the environment.
    ///   - secrets: those that may only come as `NAME` in the environment or as a file, `NAME_FILE`.
    public init(known: [String], secrets: [String]) {
        self.known = Set((known + Self.common + secrets.map { $0 + "_FILE" }).map(Self.flag))
        self.secrets = Set(secrets.map(Self.flag))
    }

    /// What is wrong with the arguments, in words for the person who typed them; nil when nothing is.
    public func fault(in arguments: [String]) -> String? {
        var rest = arguments[...]
        var given: Set<String> = []
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts.first ?? "")
            if secrets.contains(flag), !Self.isPlainAddress(flag, parts.count == 2 ? parts[1] : rest.first?[...]) {
                return "\(flag) is a secret, and a command line can be read by everybody: use \(flag)-file FILE."
            }
            guard known.contains(flag) || secrets.contains(flag) else { return "Unknown option \(flag)." }
            // Which of two should count? One who typed both cannot have meant both.
            guard given.insert(flag).inserted else { return "\(flag) stands there twice." }
            if parts.count == 2 { continue }
            guard let value = rest.popFirst(), !value.hasPrefix("--") else { return "\(flag) needs a value." }
        }
        return nil
    }

    /// An address without a login in it holds no secret.
    private static func isPlainAddress(_ flag: String, _ value: Substring?) -> Bool {
        flag.hasSuffix("-url") && !(value ?? "@").utf8.contains(UInt8(ascii: "@"))
    }

    private static func flag(_ name: String) -> String {
        "--" + name.lowercased().split(separator: "_").joined(separator: "-")
    }
}

/// The part of `--help` that names the settings.
public enum SettingsHelp {
    public static func text(_ names: [String], secrets: [String]) -> String {
        """
        Settings come from the command line (--idp-listen 127.0.0.1:9090), the environment (IDP_LISTEN), or a file \
        .env in the working folder, in that order.

        Settings: \((names + SettingsArguments.common).joined(separator: ", ")).

        Secrets, in the environment or as NAME_FILE only: \(secrets.joined(separator: ", ")).
        """
    }
}
