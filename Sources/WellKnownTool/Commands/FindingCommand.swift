import ArgumentParser
import WellKnown

struct FindingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finding",
        abstract: "Print the page of a finding: what fails, what to do, examples and the source.",
        discussion: """
            The pages are in the program, so no network is needed. They are those of docs/findings. Without a code, all \
            codes are listed.

            Example: wellknown finding pat.catch-all-first

            Exit codes: 0 printed; 64 there is no such code.
            """)

    @Argument(
        help: ArgumentHelp("The code of the finding. Without it, all codes are listed.", valueName: "code"),
        completion: .list(LintCatalogue.rules.map(\.code))) var code: String?

    func run() throws {
        guard let code else {
            let width = LintCatalogue.rules.map(\.code.count).max() ?? 0
            let lines = LintCatalogue.rules.map { rule in
                rule.code + String(repeating: " ", count: width - rule.code.count + 2) + rule.title + "\n"
            }
            return StandardOutput.write(lines.joined())
        }
        guard let rule = LintRule.named(code) else {
            let near = LintCatalogue.nearest(to: code)
            throw ValidationError(
                "There is no finding '\(code.printable)'."
                    + (near.isEmpty
                        ? " All are listed by: wellknown finding" : " Did you mean \(near.joined(separator: " or "))?"))
        }
        StandardOutput.write(FindingPage(rule).text)
    }
}
