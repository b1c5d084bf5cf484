import ArgumentParser
import Foundation
import WellKnown

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Say in ten lines why a link does or does not open the app, and what to do next.",
        discussion: """
            Asks the server of the link, Apple's copy of its file and Google's answer, and looks at the rule, the app of \
            a project and what a phone reports. The first step that fails is on top.

            Example: wellknown why https://links.example.com/shop/1 --project .

            Exit codes: 0 opens; 1 does not; 3 undecided; 2 nothing could be asked; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The link, as in https://links.example.com/shop/1.", valueName: "url"))
    var link: String

    @OptionGroup var sources: DoctorSources

    @Option(help: "ios or android; both unless given.") var platform: LinkPlatform?

    @Option(help: "text or json.") var format: ReportFormat = .text

    /// How long the command takes at most, also when no server answers.
    static let secondsInAll = 15.0
    /// Both files, Apple's copy and Google's answer. The requests follow each other.
    static let requests = 4
    /// One share of the time is left for what is not a request.
    static var secondsPerRequest: Double { secondsInAll / Double(requests + 1) }

    func validate() throws { _ = try parsed() }

    private func parsed() throws -> (url: LinkURL, host: DomainName) {
        let form = "It is written as https://HOST/PATH."
        let url: LinkURL
        do throws(LinkURL.ParseError) { url = try LinkURL(reading: link) } catch {
            throw ValidationError("'\(link.printable)' is not a link: \(error.rawValue). \(form)")
        }
        guard let host = DomainName(url.host) else {
            throw ValidationError("'\(link.printable)' has no host name: an app names hosts, no addresses. \(form)")
        }
        return (url, host)
    }

    func run() async throws { try await CannotCheck.reporting { try await answer() } }

    private func answer() async throws {
        let (url, host) = try parsed()
        var examination = sources.examination(of: host)
        examination.only = platform
        do throws(ProjectFiles.ReadError) {
            try sources.read(into: &examination)
            try sources.readReport(into: &examination)
        } catch {
            throw CannotCheck("\(error)")
        }
        try await sources.ask(for: &examination, most: Self.secondsPerRequest)
        let report = WhySteps(
            url: url, examination: examination, platform: platform, hasProject: sources.project != nil
        ).report
        StandardOutput.write(format == .json ? JSONOutput.text(encoding: report) : report.text)
        if report.exitCode != 0 { throw ExitCode(report.exitCode) }
    }
}
