import ArgumentParser
import CommandLines
import Foundation
import SSOShared
import WellKnown

struct StatementsCommand: CommandOfCommands {
    typealias Root = WellKnownProgram

    static let configuration = CommandConfiguration(
        commandName: "statements",
        abstract: "Ask who is linked to whom, as Google's Digital Asset Links service answers it.",
        discussion: """
            Prints one JSON object: outcome is SUCCESS, QUERY_PARSING_ERROR or FETCH_ERROR; statements or linked is the \
            result, which is valid even if a list could not be read in full; error_code and error_message say why.

            Exit codes: 0 an outcome of any kind was printed; 2 the request or the content could not be read, or the \
            statements of an Android app were asked for without --content; 64 wrong usage.
            """, subcommands: [StatementsListCommand.self, StatementsCheckCommand.self])
}

struct StatementsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the statements that an asset makes.",
        discussion: """
            REQUEST holds {"source": {"web": {"site": "https://example.com"}}}, and "relation" to have only those.

            Example: wellknown statements list request.json
            """)

    @OptionGroup var options: StatementsOptions

    func run() async throws { try await CannotCheck.reporting { try await options.run(.list) } }
}

struct StatementsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Print whether an asset makes a certain statement.",
        discussion: """
            REQUEST holds "source", "relation" and "target"; an app is {"android_app": {"package_name": "com.example", \
            "certificate": {"sha256_fingerprint": "14:6D:…"}}}.

            Example: wellknown statements check request.json
            """)

    @OptionGroup var options: StatementsOptions

    func run() async throws { try await CannotCheck.reporting { try await options.run(.check) } }
}

struct StatementsOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The request, a JSON object; - is standard input.", valueName: "request"),
        completion: .file()) var request: String

    @Option(
        help: ArgumentHelp(
            "Lists to use instead of the network: web_content and android_content, as in Google's suite.",
            valueName: "file"), completion: .file()) var content: String?

    @OptionGroup var network: NetworkOptions

    func run(_ kind: AssetQuery.Kind) async throws {
        let query = try read(request)
        guard query.object != nil else {
            throw CannotCheck("\(request): the request is \(query.typeName); it must be an object with a source")
        }
        let source: any AssetContent
        if let content {
            guard let supplied = SuppliedAssetContent(try read(content)) else {
                throw CannotCheck(
                    "\(content): web_content needs url and body, android_content package_name, cert_fingerprint and "
                        + "assets_statements")
            }
            source = supplied
        } else {
            source = NetworkAssetContent(client: try network.client())
        }
        let answer = await DigitalAssetLinksClient(content: source).answer(query, kind)
        FileHandle.standardOutput.write(Data(answer.json()))
        // No content was checked, so there is no answer.
        if content == nil, answer.outcome == .fetchError, query["source"]?["web"] == nil { throw ExitCode(2) }
    }

    private func read(_ name: String) throws -> JSONNode {
        let data: Data
        do throws(InputError) {
            data = try InputBytes.read(name, limit: 64 << 20)
        } catch {
            throw CannotCheck("\(name): \(error)")
        }
        var limits = JSONReader.Limits()
        limits.bytes = 64 << 20
        let document = JSONReader.read(data, limits: limits)
        guard let root = document.root else {
            let fault = document.errors.last
            let place = document.position(at: fault?.offset ?? 0)
            throw CannotCheck("\(name):\(place.line):\(place.column): \(fault?.message ?? "no JSON")")
        }
        return root
    }
}
