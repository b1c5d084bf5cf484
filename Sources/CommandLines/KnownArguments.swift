import ArgumentParser
import Foundation

/// What a command takes, as the parser describes it.
struct KnownArguments {
    /// Whether an option takes a value.
    var options = ["-h": false, "--help": false, "--version": false]
    /// The names of the arguments without an option; nil where there may be any number.
    var places: [String]? = []
    /// What an option is for.
    var helps: [String: String] = [:]
    var hasSettings = false

    private struct Tool: Decodable {
        struct Command: Decodable { let arguments: [Argument]? }
        struct Argument: Decodable {
            struct Name: Decodable { let kind, name: String }
            let kind: String
            let names: [Name]?
            let isRepeating: Bool
            let valueName, abstract: String?
        }
        let command: Command
    }

    /// Nil where the parser describes it in a way that is not known.
    init?(_ command: any ParsableCommand.Type, settings: [String]) {
        guard let tool = try? JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)) else { return nil }
        for argument in tool.command.arguments ?? [] {
            if argument.kind == "positional" {
                places = argument.isRepeating ? nil : places.map { $0 + [argument.valueName ?? "value"] }
                if argument.valueName == "settings" { hasSettings = true }
            }
            for name in argument.names ?? [] {
                let written = (name.kind == "long" ? "--" : "-") + name.name
                options[written] = argument.kind == "option"
                helps[written] = argument.abstract
            }
        }
        if hasSettings { for name in settings { options[name] = true } }
    }
}
