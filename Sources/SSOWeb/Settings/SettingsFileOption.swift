public import ArgumentParser
import Foundation

/// The option `--env-file` of every command that reads settings.
public struct SettingsFileOption: ParsableArguments {
    @Option(
        name: .customLong("env-file"),
        help: ArgumentHelp(
            "A file with settings; /dev/null for none. Default: .env in this folder, else that of the installed service.",
            valueName: "file"))
    var envFile: String?

    /// Without a value.
    public init() {}

    /// The places of the settings.
    ///
    /// - Parameters:
    ///   - program: `idp` or `relying-party`.
    ///   - arguments: settings of the command line.
    public func source(of program: String, arguments: [String] = []) -> SettingsSource {
        SettingsSource(
            arguments: arguments, environment: ProcessInfo.processInfo.environment,
            file: .find(named: envFile, service: InstalledService(program)))
    }

    /// A reader of the settings.
    public func reader(of program: String) -> SettingsReader { SettingsReader(source(of: program)) }
}
