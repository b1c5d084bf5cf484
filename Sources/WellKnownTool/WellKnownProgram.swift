import ArgumentParser
import CommandLines
import SSOShared
import ThisBuild

@main struct WellKnownProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wellknown",
        abstract: "Lints, matches, explains, diffs and fetches apple-app-site-association and assetlinks.json.",
        discussion: """
            Shell completions: wellknown --generate-completion-script bash, zsh or fish. From nothing to a link that opens \
            the app, step by step: docs/universal-links.md.
            """, version: "wellknown \(ThisBuild.stamp.text)",
        subcommands: [
            WhyCommand.self, LintCommand.self, MatchCommand.self, ExplainCommand.self, DiffCommand.self,
            CheckCommand.self, FindingCommand.self, SchemaCommand.self, QRCommand.self, GenerateCommand.self,
            FetchCommand.self, DoctorCommand.self, StatementsCommand.self, FingerprintCommand.self,
            CapabilityCommand.self,
        ])

    static func main() async { await run(advisedWith: [], failure: 2) }

    /// Returns the error in a command line without running it, or `nil` if the command line is valid.
    static func usageError(in words: [String]) -> String? {
        do {
            _ = try parseAsRoot(words)
            return nil
        } catch {
            return message(for: error)
        }
    }
}
