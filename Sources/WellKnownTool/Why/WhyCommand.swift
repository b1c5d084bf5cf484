import ArgumentParser
import Foundation
import WellKnown

/// The command `wellknown why URL`.
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Say in ten lines why a link does or does not open the app, and what to do next.",
        discussion: """
            Asks the server of the link, Apple's copy of its file and Google's answer, and looks at the rule, the app of \
            a project and what a phone reports. The first step that fails is on top.

            Example: wellknown why https://links.example.com/shop/1 --project .

            Exit codes: 0 opens; 1 does not; 3 undecided; 2 nothing could be asked; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The link, as in https://links.example.com/shop/1.", valueName: "url"))
    var link: String

    @Option(help: ArgumentHelp("The folder of the app's project.", valueName: "folder"), completion: .directory)
    var project: String?

    @Option(
        help: ArgumentHelp(
            "What a phone says: the output of adb shell pm get-app-links, or swcutil_show.txt.", valueName: "file"),
        completion: .file())
    var deviceReport: String?

    @Option(
        help: ArgumentHelp("This apple-app-site-association instead of the server's.", valueName: "file"),
        completion: .file())
    var aasa: String?

    @Option(help: ArgumentHelp("This assetlinks.json instead of the server's.", valueName: "file"), completion: .file())
    var assetlinks: String?

    @Option(help: ArgumentHelp("The iOS app: PREFIX.bundle.id.", valueName: "id"))
    var app: String?

    @Option(help: ArgumentHelp("The Android app's package name.", valueName: "name"))
    var package: String?

    @Option(help: "ios or android; both unless given.")
    var platform: LinkPlatform?

    @Flag(help: "Ask no server.")
    var offline = false

    @Option(help: "text or json.")
    var format: ReportFormat = .text

    @OptionGroup(title: "Network options") var services: ServiceOptions
    @OptionGroup(title: "Network options") var network: NetworkOptions

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
        var examination = DoctorExamination(host: host, app: app, package: package, now: Date())
        do throws(ProjectFiles.ReadError) { try read(into: &examination) } catch {
            throw CannotCheck("\(error)")
        }
        if !offline {
            var network = network
            network.timeLimit = min(network.timeLimit, Self.secondsPerRequest)
            let client = try network.client()
            examination.only = platform
            await examination.fetch(with: client)
            if let target = FetchTarget(host.name) { await examination.ask(services.probe(client, target)) }
        }
        let report = WhySteps(url: url, examination: examination, platform: platform, hasProject: project != nil).report
        StandardOutput.write(format == .json ? JSONOutput.text(report) : report.text)
        if report.exitCode != 0 { throw ExitCode(report.exitCode) }
    }

    private func read(into examination: inout DoctorExamination) throws(ProjectFiles.ReadError) {
        if let aasa { examination.aasa = (aasa, try ProjectFiles.bytes(aasa)) }
        if let assetlinks { examination.assetlinks = (assetlinks, try ProjectFiles.bytes(assetlinks)) }
        if let project {
            do throws(InputError) {
                examination.project = ProjectReading(try ProjectFolder(project), defined: [:])
            } catch {
                throw ProjectFiles.ReadError(file: project, reason: error.description)
            }
        }
        if let deviceReport { examination.take(try ProjectFiles.device(deviceReport)) }
    }
}
