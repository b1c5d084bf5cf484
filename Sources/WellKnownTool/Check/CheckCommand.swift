import ArgumentParser
import Foundation
import WellKnown

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that links open the apps that they are expected to open, over many domains.",
        usage: "wellknown check [<options>] <file>",
        discussion: """
            The YAML file lists links, and for each the app on iOS and Android, or browser. The files of each host are \
            fetched once, unless the file names local ones:

            expect:
              - url: https://links.example.com/shop/1
                ios: ABCDE12345.com.example.shop
                android: browser
            files:
              links.example.com: {aasa: public/aasa.json, assetlinks: public/assetlinks.json, manifest: AndroidManifest.xml}

            It ends at the first difference; --keep-going shows all. --watch repeats the check and prints only changes.

            Example: wellknown check expectations.yaml

            Exit codes: 0 all as expected; 1 a difference, or an error in the file; 2 a file could not be read; 3 nothing \
            differs, and a link is not decided; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The YAML file, or -.", valueName: "file"), completion: .file()) var file: String

    @Flag(help: "Do not end at the first difference.") var keepGoing = false

    @Flag(help: "Repeat the check, and print only what changes.") var watch = false

    @Option(help: ArgumentHelp("With --watch: the seconds between two checks.", valueName: "seconds"))
    var interval: Double = 300

    @Option(
        help: ArgumentHelp(
            "With --watch: end after so many checks, with the exit code of the last.", valueName: "count"))
    var rounds: Int?

    @Option(help: "text or json.") var format: ReportFormat = .text

    @OptionGroup(title: "Network options") var network: NetworkOptions

    func validate() throws {
        guard interval >= 0, interval <= 86_400 else { throw ValidationError("--interval is from 0 to 86400 seconds") }
        if let rounds, rounds < 1 || !watch { throw ValidationError("--rounds is at least 1, and goes with --watch") }
        if watch, format == .json { throw ValidationError("--watch goes with --format text") }
    }

    func run() async throws {
        let file: ExpectationsFile
        do throws(YAMLFile.ReadError) { file = try ExpectationsFile(self.file) } catch {
            error.lines.forEach(StandardOutput.reportError)
            throw ExitCode(error.isUnreadable ? 2 : 1)
        }
        guard watch else {
            let results = try await round(file, endsEarly: !keepGoing)
            print(results)
            return try finish(results)
        }
        var last: [ExpectationCheck.Result] = []
        var count = 0
        while true {
            let results = try await round(file, endsEarly: false)
            count += 1
            for change in changes(from: last, to: results) { StandardOutput.write(change) }
            last = results
            if count == rounds { return try finish(results) }
            try await Task.sleep(for: .seconds(interval))
        }
    }

    private func round(_ file: ExpectationsFile, endsEarly: Bool) async throws -> [ExpectationCheck.Result] {
        var check = ExpectationCheck(file, network: network)
        var results: [ExpectationCheck.Result] = []
        for expectation in file.expectations {
            results += try await check.results(expectation)
            if endsEarly, let index = results.firstIndex(where: { $0.verdict == .differs }) {
                return Array(results[...index])
            }
        }
        return results
    }

    /// The first round shows what is not as expected. Later rounds show what is different from the round before.
    private func changes(from last: [ExpectationCheck.Result], to results: [ExpectationCheck.Result]) -> [String] {
        guard last.count == results.count else { return results.filter { $0.verdict != .asExpected }.map { text($0) } }
        return zip(last, results).filter { $0.verdict != $1.verdict || $0.found != $1.found }.map { text($1) }
    }

    private func print(_ results: [ExpectationCheck.Result]) {
        switch format {
        case .json: StandardOutput.write(JSONOutput.text(["results": results]))
        case .text:
            let counts = [ExpectationCheck.Result.Verdict.asExpected, .differs, .notDecided, .unreadable].map {
                verdict in "\(results.count { $0.verdict == verdict }) \(verdict.rawValue)"
            }
            let lines = results.filter { $0.verdict != .asExpected }.map { text($0) }
            StandardOutput.write(lines.joined() + counts.joined(separator: ", ") + "\n")
        }
    }

    private func text(_ result: ExpectationCheck.Result) -> String {
        let style = TextStyle.ofStandardOutput
        let colours: [ExpectationCheck.Result.Verdict: TextStyle.Colour] = [.asExpected: .green, .notDecided: .yellow]
        let system = LinkPlatform(rawValue: result.platform)?.title ?? result.platform
        let verdict = style.paint(result.verdict.rawValue, colours[result.verdict] ?? .red)
        let head = "\(file.printable):\(result.line): \(verdict) on \(system)"
        return head
            + "\n  \(result.url.printable)\n  expected \(result.expected.printable), found \(result.found.printable)\n"
            + TextStyle.wrapped(result.summary.printable, first: "  ", rest: "  ") + "\n"
    }

    private func finish(_ results: [ExpectationCheck.Result]) throws {
        if results.contains(where: { $0.verdict == .differs }) { throw ExitCode(1) }
        if results.contains(where: { $0.verdict == .unreadable }) { throw ExitCode(2) }
        if results.contains(where: { $0.verdict == .notDecided }) { throw ExitCode(3) }
    }
}
