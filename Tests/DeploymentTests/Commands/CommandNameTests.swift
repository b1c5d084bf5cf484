import ArgumentParser
import Testing

@testable import IdP
@testable import RelyingParty
@testable import TestKit
@testable import WellKnownTool

@Suite("The names of commands", .deployment)
struct CommandNameTests {
    private static func commands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(commands)
    }

    /// ArgumentParser would find the name from the type at each start, which takes as long as reading all settings.
    @Test("every command says its name")
    func named() {
        let roots: [any ParsableCommand.Type] = [IdPCommand.self, RelyingPartyServer.self, WellKnownProgram.self]
        for root in roots {
            let commands = Self.commands(of: root)
            #expect(commands.count > 4)
            for command in commands { #expect(command.configuration.commandName != nil, "\(command)") }
        }
    }
}
