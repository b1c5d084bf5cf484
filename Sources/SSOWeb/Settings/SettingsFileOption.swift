public import ArgumentParser
import Foundation

/// The option `--env-file` of every command that reads settings.
public struct SettingsFileOption: ParsableArguments {
    @Option(
        name: .customLong("env-file"),
        help: ArgumentHelp(
            "A file with settings; /dev/null for none. Default: .env in this folder, else that of the installed service.",
            valueName: "file"), transform: FileArgument.read)
    var envFile: String?

    /// Without a value.
    public init() {}

    /// The places of the settings.
    ///
    /// - Parameters:
    ///   - program: `idp` or `relying-party`.
    ///   - arguments: settings of the command line.
    public func source(of program: String, arguments: [String] = []) -> SettingsSource {
        let file = EnvFile.find(named: envFile, service: InstalledService(program))
        // What libpq and libcrypto read for themselves, as the process of the service has it.
        for (name, value) in file.values where name.hasPrefix("PG") || name.hasPrefix("SSL_CERT_") {
            setenv(name, value, 0)
        }
        return SettingsSource(arguments: arguments, environment: ProcessInfo.processInfo.environment, file: file)
    }

    /// A reader of the settings.
    public func reader(of program: String) -> SettingsReader { SettingsReader(source(of: program)) }
}

/// The name of a file that a command takes.
public enum FileArgument {
    /// - Throws: a `ValidationError` for an empty one, as an unset variable of a script leaves it.
    @Sendable public static func read(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("The name of the file is empty.") }
        return text
    }
}
