import ArgumentParser
import WellKnown

/// `wellknown explain FILE URL`.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show rule by rule why a link opens an app or not.",
        discussion: """
            For every app of the file, or the one that --app names: the rules in the order in which the system tries \
            them, what was compared with what, and where each value comes from.

            Example: wellknown explain apple-app-site-association 'https://example.com/shop/1?ref=x'

            Exit codes as of match.
            """)

    @OptionGroup var question: LinkQuestion

    func run() async throws {
        let answers = try await question.answers(onlyDeciding: false)
        switch question.format {
        case .json:
            let list = answers.all.map { LinkAnswerJSON($0, of: answers, withTrials: true) }
            StandardOutput.write(JSONOutput.text(["answers": list]))
        case .text:
            let text = LinkAnswerText(answers, style: .ofStandardOutput)
            StandardOutput.write(answers.all.map(text.explanation).joined(separator: "\n"))
        }
        if answers.exitCode != 0 { throw ExitCode(answers.exitCode) }
    }
}
