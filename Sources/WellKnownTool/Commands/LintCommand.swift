public import ArgumentParser
public import WellKnown

/// `wellknown lint FILE…`.
struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Say what is wrong with association files, where, what it breaks, and how to mend it.",
        discussion: """
            Takes files, - for standard input, domains (both files of the host) and https addresses. The name or the \
            content tells which of the two files it is; --kind says it outright. Where both files of a site are given, \
            they are compared, too. Every code has a page under docs/findings.

            Example: wellknown lint apple-app-site-association assetlinks.json

            Exit codes: 0 fine; 1 findings at or above --fail-on; 2 a file could not be read; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("Files, - , domains or https addresses.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(help: "aasa or assetlinks, whatever the name and the content say.")
    var kind: AssociationKind?

    @Option(help: ArgumentHelp("The oldest iOS the apps run on, such as 12 or 13.5.", valueName: "version"))
    var minimumIOS: SystemVersion?

    @Option(help: ArgumentHelp("The host that serves the files, for the addresses in findings.", valueName: "host"))
    var domain: String?

    @Flag(help: "Also show what each reader of assetlinks.json makes of each app (text and json).")
    var readers = false

    @Flag(help: "Also say that the last line of a file does not end.")
    var finalNewline = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Network options") var network: NetworkOptions

    func validate() throws {
        if readers, output.format != .text, output.format != .json {
            throw ValidationError("--readers goes with --format text or json")
        }
        if let domain, DoctorHost(domain) == nil {
            throw ValidationError("'\(domain.printable)' is no host: write its bare name, as in example.com.")
        }
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read once only.") }
    }

    func run() async throws {
        var run = LintRun(kind: kind, minimumIOS: minimumIOS, domain: domain, readers: readers)
        run.mindsFinalNewline = finalNewline
        for word in files {
            switch InputWord(word) {
            case .local(let name): run.lint(file: name)
            case .remote(let target):
                try await CannotCheck.told {
                    run.lint(await RemoteInput.fetch(target, kind: kind, client: try network.client()))
                }
            }
        }
        run.comparePairs()
        try output.finish(run.files)
    }
}

extension SystemVersion: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
