import Configuration
import Foundation
import SystemPackage

/// Where settings come from, nearest first: command line, environment, `.env` in the working folder.
///
/// A setting has one name, the environment's: `IDP_LISTEN` is `--idp-listen` on the command line.
public struct SettingsSource: Sendable {
    private let reader: ConfigReader

    /// - Parameters:
    ///   - arguments: what stood on the command line, without the program's name, as ``SettingsArguments`` checked it.
    ///   - environment: the process's environment.
    ///   - dotEnv: the path of the `.env` file; it may be missing.
    /// - Throws: what the `.env` file's reader says of a file that is there and cannot be read.
    public init(arguments: [String], environment: [String: String], dotEnv: String) async throws {
        reader = ConfigReader(providers: [
            CommandLineArgumentsProvider(arguments: ["program"] + arguments),
            EnvironmentVariablesProvider(environmentVariables: environment),
            try await EnvironmentVariablesProvider(environmentFilePath: FilePath(dotEnv), allowMissing: true),
        ])
    }

    /// Settings from a dictionary alone, for tests.
    public init(_ values: [String: String]) {
        reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: values))
    }

    /// The text of the setting called `name`, or nil where it is absent or empty: an empty value is no value.
    func text(_ name: String) -> String? {
        let components = name.lowercased().split(separator: "_").map(String.init)
        guard let text = reader.string(forKey: ConfigKey(components)), !text.isEmpty else { return nil }
        return text
    }
}
