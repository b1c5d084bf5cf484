public import ArgumentParser

/// A command that consists of others, such as `idp user`.
///
/// Without one of them it is wrong usage: exit code 64, and its help on standard error. ArgumentParser alone would end with 0,
/// so a script with an empty variable would seem to have done its work.
public protocol CommandOfCommands: AsyncParsableCommand {
    /// The program that has the command.
    associatedtype Root: ParsableCommand
}

extension CommandOfCommands {
    public mutating func run() async throws {
        StandardError.write("Error: \(Self.missing)\n\n\(Root.helpMessage(for: Self.self))\n")
        throw ExitCode.validationFailure
    }

    private static var missing: String {
        "\(Root._commandName) \(_commandName) needs one of its commands: \(commandNames.joined(separator: ", "))."
    }
}

extension ParsableCommand {
    /// The names of its commands, without the hidden ones.
    public static var commandNames: [String] {
        configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    }
}
