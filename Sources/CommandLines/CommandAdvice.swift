package import ArgumentParser
import Foundation
import SSOShared

/// Says what is wrong with a command line that the parser has refused: first the word or the option that there is not, with the
/// one that was probably meant.
///
/// The parser alone checks the values before it names an unknown option, and has no word for a command of another program.
package struct CommandAdvice {
    /// What is wrong, and with which command.
    package struct Problem {
        let command: any ParsableCommand.Type
        package let text: String
    }

    private let root: any ParsableCommand.Type
    /// The options of `serve` and `check` that are settings. None for a program without settings, which has no other words at its
    /// beginning than commands.
    private let settings: [String]

    /// - Parameter settings: such as `--log-level`.
    package init(_ root: any ParsableCommand.Type, settings: [String]) { (self.root, self.settings) = (root, settings) }

    /// Nil where the parser's own words are the best.
    package func problem(in arguments: [String]) -> Problem? {
        var (command, path, rest) = (root, [root._commandName], arguments[...])
        let asksForHelp = rest.first == "help"
        if asksForHelp { rest.removeFirst() }
        while !command.configuration.subcommands.isEmpty, let word = rest.first {
            if let next = Self.command(word, of: command) {
                (command, rest) = (next, rest.dropFirst())
                path.append(word)
            } else if !word.hasPrefix("-") {
                // The parser refuses any other word, and prints the overview of all commands for one after help.
                return unknown(word, of: command, path)
                    ?? (asksForHelp ? Self.notACommand(word, of: command, path) : nil)
            } else if Self.common.contains(word) {
                return nil
            } else if let standard = command.configuration.defaultSubcommand {
                let isKnown = KnownArguments(standard, settings: settings)?.options[Self.name(of: word)] != nil
                guard isKnown || !rest.contains(where: { Self.command($0, of: command) != nil }) else {
                    return early(word, rest.dropFirst(), of: command, path)
                }
                command = standard
                break
            } else {
                return early(word, rest.dropFirst(), of: command, path)
            }
        }
        return command.configuration.subcommands.isEmpty ? wrong(rest, command, path) : nil
    }

    private static let common = ["-h", "--help", "--version"]

    private static func command(_ name: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0._commandName == name }
    }

    // MARK: Commands

    private func unknown(_ word: String, of command: any ParsableCommand.Type, _ path: [String]) -> Problem? {
        let names = command.commandNames
        let near = Self.nearest(word, among: names) ?? (path.count == 1 ? elsewhere(word) : nil)
        guard path.count == 1, !settings.isEmpty else { return Self.notACommand(word, of: command, path, near) }
        let shown = LogEscape.text(word)
        let list = names.joined(separator: ", ")
        return near.map {
            Problem(
                command: command,
                text:
                    "\"\(shown)\" is neither a command nor a setting. Did you mean \($0)? The commands are \(list). A setting begins with --, such as --log-level notice."
            )
        }
    }

    private static func notACommand(
        _ word: String, of command: any ParsableCommand.Type, _ path: [String], _ near: String? = nil
    ) -> Problem {
        let whole = path.joined(separator: " ")
        let question = near.map { " Did you mean: \(whole) \($0)?" } ?? ""
        let list = command.commandNames.joined(separator: ", ")
        return Problem(
            command: command,
            text: "\"\(LogEscape.text(word))\" is not a command of \(whole).\(question) Its commands are \(list).")
    }

    private static func nearest(_ word: String, among names: [String]) -> String? {
        if let meant = CommandSynonyms.of(word, among: names) { return meant }
        if let near = SpellingSuggestion.of(word, among: names) { return near }
        let longer = names.filter { word.count >= 3 && $0.hasPrefix(word.lowercased()) }
        return longer.count == 1 ? longer.first : nil
    }

    /// `client rotate or keys rotate`, for `rotate` alone.
    private func elsewhere(_ word: String) -> String? {
        if word.lowercased() == "version" { return "--version" }
        let found = root.configuration.subcommands.filter { Self.command(word.lowercased(), of: $0) != nil }
            .map { "\($0._commandName) \(word.lowercased())" }
        guard let last = found.last else { return nil }
        return found.count == 1 ? last : "\(found.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// An option before a command.
    private func early(
        _ option: String, _ rest: ArraySlice<String>, of command: any ParsableCommand.Type, _ path: [String]
    ) -> Problem {
        var (last, right) = (command, path)
        for word in rest {
            guard let next = Self.command(word, of: last) else { continue }
            last = next
            right.append(word)
        }
        if right == path, let first = command.commandNames.first { right.append(first) }
        let name = Self.name(of: option)
        return Problem(
            command: command,
            text:
                "\(name) stands before the command. Options come after it: \(right.joined(separator: " ")) \(name)")
    }

    // MARK: Options and arguments

    private func wrong(_ arguments: ArraySlice<String>, _ command: any ParsableCommand.Type, _ path: [String])
        -> Problem?
    {
        guard let known = KnownArguments(command, settings: settings) else { return nil }
        var rest = arguments
        var given = 0
        while let word = rest.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else {
                given += 1
                guard let places = known.places, given > places.count else { continue }
                return Problem(command: command, text: Self.surplus(word, known, path))
            }
            let name = Self.name(of: word)
            guard let takesValue = known.options[name] else {
                return Problem(command: command, text: Self.unknownOption(name, known, path))
            }
            guard takesValue, !word.contains("="), let next = rest.first else { continue }
            guard next.hasPrefix("-"), next != "-" else {
                rest.removeFirst()
                continue
            }
            guard next.dropFirst().first?.isNumber == true else { continue }
            let help = known.helps[name].map { " \($0)" } ?? ""
            return Problem(
                command: command,
                text: "\(name): \"\(LogEscape.text(next))\" begins with -, so it is no value of the option.\(help)")
        }
        return nil
    }

    private static func name(of option: String) -> String {
        LogEscape.text(String(option.split(separator: "=", maxSplits: 1).first ?? ""))
    }

    private static func unknownOption(_ name: String, _ known: KnownArguments, _ path: [String]) -> String {
        let names = known.options.keys.sorted()
        let near =
            CommandSynonyms.ofOption(name, among: names) ?? only(names, beginningWith: name)
            ?? (name.count > 2 ? SpellingSuggestion.of(name, among: names) : nil)
            // --keep-identity for --keep-identities.
            ?? only(names, beginningWith: String(name.dropLast()))
        let all =
            known.hasSettings
            ? "--help-settings lists all settings." : "\(path.joined(separator: " ")) --help lists all."
        let unseen = UnseenCharacter.sentence(about: name, after: "", subject: "It")
        return "Unknown option \(name).\(unseen) \(near.map { "Did you mean \($0)?" } ?? all)"
    }

    /// The only one that begins so.
    private static func only(_ names: [String], beginningWith start: String) -> String? {
        let found = names.filter { start.count >= 4 && $0.hasPrefix(start.lowercased()) }
        return found.count == 1 ? found.first : nil
    }

    private static func surplus(_ word: String, _ known: KnownArguments, _ path: [String]) -> String {
        let option = "--" + word.prefix { $0 != "=" }.lowercased()
        let command = path.joined(separator: " ")
        let places = known.places ?? []
        let hint =
            if known.options[option] != nil {
                "Did you mean \(option)?"
            } else if places.isEmpty, known.options["--search"] != nil {
                "Did you mean --search \(LogEscape.text(word))?"
            } else if places.isEmpty {
                "\(command) takes options only."
            } else {
                "\(command) takes \(places.map { "<\($0)>" }.joined(separator: " ")) and options."
            }
        return "\"\(LogEscape.text(word))\" is one argument too many. \(hint)"
    }
}

extension AsyncParsableCommand {
    /// Runs the program with the arguments of this process, and never returns with an error.
    ///
    /// - Parameters:
    ///   - settings: see ``CommandAdvice``.
    ///   - failure: its exit code where its output cannot be written.
    package static func run(advisedWith settings: [String], failure: Int32 = 1) async {
        StandardOutput.failsWhenLost(of: _commandName, with: failure)
        let arguments = Array(ProcessInfo.processInfo.arguments.dropFirst())
        let advice = CommandAdvice(self, settings: settings)
        // The parser would print the help of the whole program for a command that there is not.
        if arguments.first == "help", let problem = advice.problem(in: arguments) { exit(saying: problem) }
        var command: any ParsableCommand
        do { command = try parseAsRoot(arguments) } catch {
            if exitCode(for: error) == .validationFailure, let problem = advice.problem(in: arguments) {
                exit(saying: problem)
            }
            exit(withError: error)
        }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch { exit(withError: error) }
    }

    private static func exit(saying problem: CommandAdvice.Problem) -> Never {
        let usage = usageString(for: problem.command)
        let name = usage.prefix { $0 != "[" && $0 != "<" }
        StandardError.write("Error: \(problem.text)\nUsage: \(usage)\n  See '\(name)--help' for more information.\n")
        exit(withError: ExitCode.validationFailure)
    }
}
