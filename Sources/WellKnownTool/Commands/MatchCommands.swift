import ArgumentParser
import WellKnown

struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Say whether an app opens a link, and which rule decides.",
        usage: """
            wellknown match <file> <url> [<options>]
            wellknown match <url> --assetlinks <file> --manifest <file> [<options>]
            """,
        discussion: """
            The file is an apple-app-site-association, an assetlinks.json, or Android's dynamic rules alone. On Android \
            the app's manifest decides, too: with it, the answer is that of the whole app, for each version. Where \
            sources differ about a system, the answer says "disputed" and names the positions.

            Example:
              wellknown match apple-app-site-association https://example.com/shop/1 \\
                --app A1B2C3D4E5.com.example.app

            Exit codes: 0 it opens; 1 it does not; 2 the file could not be read; 3 not decided: the app's manifest \
            decides, another host's file does, or the patterns take too long; 64 wrong usage.
            """)

    @OptionGroup var question: LinkQuestion

    func run() async throws {
        let answers = try await question.answers(onlyDeciding: true)
        guard let answer = answers.deciding else { throw ExitCode(2) }
        switch question.format {
        case .json: StandardOutput.write(JSONOutput.text(LinkAnswerJSON.object(answer, of: answers, withTrials: false)))
        case .text:
            let text = LinkAnswerText(answers: answers, style: .ofStandardOutput)
            StandardOutput.write(text.verdict(answer) + text.result)
        }
        if answers.exitCode != 0 { throw ExitCode(answers.exitCode) }
    }
}

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show rule by rule why a link opens an app or not.",
        usage: """
            wellknown explain <file> <url> [<options>]
            wellknown explain <url> --assetlinks <file> --manifest <file> [<options>]
            """,
        discussion: """
            For every app of the file, or the one that --app names: the rules in the order in which the system tries \
            them, what was compared with what, and where each value comes from.

            Example:
              wellknown explain apple-app-site-association \\
                'https://example.com/shop/1?ref=x'

            Exit codes: 0 it opens; 1 it does not; 2 the file could not be read; 3 not decided; 64 wrong usage.
            """)

    @OptionGroup var question: LinkQuestion

    func run() async throws {
        let answers = try await question.answers(onlyDeciding: false)
        switch question.format {
        case .json:
            let list = answers.all.map { LinkAnswerJSON.object($0, of: answers, withTrials: true) }
            StandardOutput.write(JSONOutput.text(["answers": list]))
        case .text:
            let text = LinkAnswerText(answers: answers, style: .ofStandardOutput)
            StandardOutput.write(answers.all.map(text.explanation).joined(separator: "\n") + text.result)
        }
        if answers.exitCode != 0 { throw ExitCode(answers.exitCode) }
    }
}
