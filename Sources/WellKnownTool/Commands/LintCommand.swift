public import ArgumentParser
public import WellKnown

/// `wellknown lint FILE…`.
struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Say what is wrong with association files, where, what it breaks, and how to mend it.",
        discussion: """
            Takes files, - for standard input, domains and addresses. The name or the content tells which of the two \
            files it is; --kind says it outright. Every code has a page under docs/findings.

            Example: wellknown lint apple-app-site-association assetlinks.json

            Exit codes: 0 fine; 1 findings at or above --fail-on; 2 a file could not be read; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("Files, - , domains or https addresses.", valueName: "file"))
    var files: [String]

    @Option(help: "aasa or assetlinks, whatever the name and the content say.")
    var kind: AssociationKind?

    @Option(help: ArgumentHelp("The oldest iOS the apps run on, such as 12 or 13.5.", valueName: "version"))
    var minimumIOS: SystemVersion?

    @Option(help: ArgumentHelp("The host that serves the files, for the addresses in findings.", valueName: "host"))
    var domain: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        var checked: [CheckedFile] = []
        for name in files {
            do throws(InputFault) {
                for input in try await RemoteInput.inputs(name, kind: kind) {
                    checked.append(CheckedFile(name: input.name, report: lint(input)))
                }
            } catch {
                checked.append(CheckedFile(name: name, failure: "\(error)"))
            }
        }
        try output.finish(checked)
    }

    private func lint(_ input: AssociationInput) -> LintReport {
        let options = LintOptions(file: input.name, minimumIOS: minimumIOS, domain: domain)
        return AssociationLint.lint(body: input.body, as: input.kind, options: options)
    }
}

extension SystemVersion: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
