import ArgumentParser
import WellKnown

/// "What opens this address?": the arguments of `match` and `explain`, and the answers for each app in question.
struct LinkQuestion: ParsableArguments {
    @Argument(help: ArgumentHelp("The association file, or - for standard input.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("The link, as a browser would send it.", valueName: "url"))
    var url: String

    @Option(
        help: ArgumentHelp("The app (TEAMID.bundle.id) or package. Without it: every app of the file.", valueName: "id")
    )
    var app: String?

    @Option(help: "ios or android. Without it the content of the file tells.")
    var platform: LinkPlatform?

    @Option(help: "text or json.")
    var format: AnswerFormat = .text

    /// Reads, matches, explains.
    ///
    /// - Throws: `ExitCode` 2 after saying why it could not be checked; `ValidationError` for an address that is none.
    func answers() throws -> LinkAnswers {
        let link: LinkURL?
        do throws(LinkURL.Fault) { link = try LinkURL(reading: url) } catch {
            // Another scheme is a sound question with a plain answer: only http and https are links of a host.
            guard error == .scheme, url.contains(":") else {
                throw ValidationError("'\(url.printable)' is no address of a link: \(error.rawValue).")
            }
            link = nil
        }
        do throws(InputFault) {
            let input = try AssociationInput.read(file)
            let subject = try LinkSubject(input, platform: platform)
            return subject.answers(link, typed: url, app: app)
        } catch {
            StandardOutput.complain("\(file.printable): \(error)")
            throw ExitCode(2)
        }
    }
}

enum LinkPlatform: String, ExpressibleByArgument, CaseIterable, Sendable {
    case ios, android

    /// As people write it.
    var title: String { self == .ios ? "iOS" : "Android" }
}

enum AnswerFormat: String, ExpressibleByArgument, CaseIterable { case text, json }
