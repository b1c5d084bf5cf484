import ArgumentParser
import WellKnown

/// `wellknown diff OLD NEW`.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show which links two versions of a file decide differently, with an address for each.",
        discussion: """
            The addresses are found from the rules of both files: the shortest for each app and each change of decision. \
            The host in them is a placeholder; order, comments and spelling that decide nothing are no difference. Rules with percentEncoded false beside rules \
            without, and rules of very many wildcards, cannot be compared in full: that is said, with exit code 2.

            Example: wellknown diff old/apple-app-site-association new/apple-app-site-association

            Exit codes: 0 every link is decided alike; 1 some are not; 2 it could not be checked; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The old file: a path, - , a domain or an https address.", valueName: "old"))
    var old: String

    @Argument(help: ArgumentHelp("The new file.", valueName: "new"))
    var new: String

    @Option(help: ArgumentHelp("Only this app (TEAMID.bundle.id) or package.", valueName: "id"))
    var app: String?

    @Option(help: "ios or android. Without it the content of the files tells.")
    var platform: LinkPlatform?

    @Option(help: "text or json.")
    var format: AnswerFormat = .text

    @OptionGroup(title: "Network options") var network: NetworkOptions

    func validate() throws {
        if old == "-", new == "-" { throw ValidationError("Only one of the two files can be standard input.") }
    }

    func run() async throws {
        let subjects = (try await subject(old), try await subject(new))
        let comparison: LinkComparison
        do throws(InputFault) {
            comparison = try LinkComparison(subjects.0, subjects.1, app: app)
        } catch {
            StandardOutput.complain("\(old.printable), \(new.printable): \(error)")
            throw ExitCode(2)
        }
        switch format {
        case .text: StandardOutput.write(comparison.text(style: .ofStandardOutput))
        case .json: StandardOutput.write(JSONOutput.text(comparison.json))
        }
        if comparison.exitCode != 0 { throw ExitCode(comparison.exitCode) }
    }

    private func subject(_ name: String) async throws -> LinkSubject {
        try await LinkSubject.read(name, platform: platform, network: network)
    }
}
