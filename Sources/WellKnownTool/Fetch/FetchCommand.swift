import ArgumentParser
import Foundation
import WellKnown

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch both files as the systems do, and report what prevents it.",
        discussion: """
            Asks the site as Apple's and Google's fetchers and as a browser, over IPv4 and IPv6, and asks Apple's CDN and \
            Google's Digital Asset Links service what they have. Redirects are shown, not followed. The bodies are linted.

            Example: wellknown fetch example.com

            Exit codes: 0 fine; 1 findings at or above --fail-on; 2 the site could not be reached from this machine; 64 \
            wrong usage. A service that cannot be reached is a remark.
            """)

    @Argument(help: ArgumentHelp("Domains, or the https addresses of files.", valueName: "domain"))
    var domains: [String]

    @Option(help: "ios or android; both unless given.") var platform: LinkPlatform?

    @OptionGroup var services: ServiceOptions

    @Flag(help: "Ask the site alone, neither Apple nor Google.") var originOnly = false

    @OptionGroup var network: NetworkOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for domain in domains where FetchTarget(domain) == nil {
            throw ValidationError(
                "\(domain.printable) is neither a domain nor a web address (Unicode names as Punycode)")
        }
    }

    func run() async throws { try await CannotCheck.reporting { try await fetch() } }

    private func fetch() async throws {
        let client = try network.client()
        var reports: [FetchReport] = []
        for target in domains.compactMap({ FetchTarget($0) }) {
            let services = services.probe(client, target)
            let fetcher = SiteFetcher(
                client: client, target: target, kinds: kinds(target), services: originOnly ? nil : services, now: Date()
            )
            reports.append(await fetcher.run())
        }
        let checked = try output.kept(reports.flatMap(\.checkedFiles))
        var rest = checked.makeIterator()
        for index in reports.indices {
            for file in reports[index].files.indices {
                reports[index].files[file].findings = rest.next()?.findings ?? []
            }
            for near in reports[index].neighbours.indices {
                reports[index].neighbours[near].findings = rest.next()?.findings ?? []
            }
        }
        switch output.format {
        case .text:
            StandardOutput.write(
                reports.map {
                    FetchText.render($0, style: .ofStandardOutput, showsAll: output.all || output.failOn == .info)
                }.joined(separator: "\n"))
        case .json: StandardOutput.write(FetchJSON.render(reports))
        case .junit, .github, .sarif:
            StandardOutput.write(
                output.format.render(reports.flatMap(\.checkedFiles), style: .ofStandardOutput, failOn: output.failOn))
        }
        // A site of which nothing could be read is not checked, whatever the others have.
        if reports.contains(where: { report in !report.files.contains(where: \.isChecked) }) { throw ExitCode(2) }
        if output.failOn.isReached(by: reports.flatMap(\.allFindings)) { throw ExitCode(1) }
    }

    /// A URL names one file. A domain stands for both files.
    private func kinds(_ target: FetchTarget) -> [AssociationKind] {
        switch platform {
        case .ios: [.aasa]
        case .android: [.assetlinks]
        case nil: target.path.map { [AssociationKind.guess(fileName: $0) ?? .aasa] } ?? [.aasa, .assetlinks]
        }
    }

}

/// Where the services of Apple and Google are.
struct ServiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where Apple's CDN is; may be http and local.", valueName: "url"))
    var appleCdn = ServiceProbe.apple

    @Option(help: ArgumentHelp("Where Google's API is; may be http and local.", valueName: "url"))
    var googleApi = ServiceProbe.google

    func validate() throws {
        for base in [appleCdn, googleApi] where !Self.isBase(base) {
            throw ValidationError("\(base.printable) is not an http or https address")
        }
    }

    func probe(_ client: WebClient, _ target: FetchTarget) -> ServiceProbe {
        ServiceProbe(
            client: client, target: target, appleBase: Self.trimmed(appleCdn), googleBase: Self.trimmed(googleApi))
    }

    private static func trimmed(_ base: String) -> String { base.hasSuffix("/") ? String(base.dropLast()) : base }

    private static func isBase(_ base: String) -> Bool {
        let lower = base.lowercased()
        return (lower.hasPrefix("https://") || lower.hasPrefix("http://")) && FetchTarget(base) != nil
    }
}
