public import ArgumentParser
import Foundation
public import WellKnown

struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Say what is wrong with association files, where, what it breaks, and how to correct it.",
        discussion: """
            Takes files, folders in which it finds them, - for standard input, domains (both files of the host) and https addresses. The name or the \
            content tells which of the two files it is; --kind says it outright. Where both files of a site are given, \
            they are compared, too. Every code has a page under docs/findings.

            --fix makes the edits that findings carry: white space, upper and lower case, colons, commas, duplicates and the \
            like. Only these bytes change, and the findings that are left are shown. --dry-run shows the edits \
            as a diff.

            Example: wellknown lint apple-app-site-association assetlinks.json

            Exit codes: 0 fine; 1 findings at or above --fail-on, or edits that --dry-run shows; 2 a file could not be \
            read; 64 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp(
            "Files, folders, - , domains or https addresses; the current folder without any.", valueName: "file"),
        completion: .file()) var files: [String] = []

    @Option(help: "aasa or assetlinks, whatever the name and the content say.") var kind: AssociationKind?

    @Option(help: ArgumentHelp("The oldest iOS the apps run on, such as 12 or 13.5.", valueName: "version"))
    var minimumIOS: SystemVersion?

    @Option(help: ArgumentHelp("The host that serves the files, for the addresses in findings.", valueName: "host"))
    var domain: String?

    @Flag(help: "Also show what each reader of assetlinks.json makes of each app (text and json).") var readers = false

    @Flag(help: "Also say that the last line of a file does not end.") var finalNewline = false

    @Flag(help: "Mend what a program can, and show what is left. Local files only.") var fix = false

    @Flag(help: "Show what --fix would change as a unified diff, and change nothing.") var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Write the present findings into this file, as a baseline for .wellknown.yaml.", valueName: "file"),
        completion: .file()) var writeBaseline: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Network options") var network: NetworkOptions

    func validate() throws {
        if readers, output.format != .text, output.format != .json {
            throw ValidationError("--readers goes with --format text or json")
        }
        if writeBaseline != nil, fix || dryRun {
            throw ValidationError("--write-baseline goes with neither --fix nor --dry-run.")
        }
        if dryRun, output.format != .text { throw ValidationError("--dry-run goes with --format text") }
        if let domain, DomainName(domain) == nil {
            throw ValidationError("'\(domain.printable)' is not a host: write its bare name, as in example.com.")
        }
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read once only.") }
    }

    func run() async throws {
        var run = LintRun(command: self)
        if fix || dryRun { run.fixing = .init(ignored: try output.ignoring.list(), isDry: dryRun) }
        for word in files.isEmpty ? ["."] : files {
            if AssociationFolder.isFolder(word) {
                try lint(folder: word, &run)
                continue
            }
            switch InputWord(word) {
            case .local(let name): run.lint(file: name)
            case .remote(let target):
                try await CannotCheck.reporting {
                    let client = try network.client()
                    if kind == nil, let path = target.path, let neighbour = Neighbour.named(path) {
                        run.lint(await NeighbourProbe(client: client, target: target).ask(neighbour, at: path))
                        return
                    }
                    run.lint(await RemoteInput.fetch(target, kind: kind, client: client))
                }
            }
        }
        run.comparePairs()
        if let writeBaseline {
            try output.failIfUnread(run.files)
            let baseline = Baseline(run.files.map { ($0.name, $0.findings) })
            do throws(InputError) {
                try Baseline.replace(writeBaseline, with: JSONOutput.text(encoding: baseline))
            } catch {
                StandardOutput.reportError("\(writeBaseline.printable): \(error)")
                throw ExitCode(2)
            }
            let count = run.files.reduce(0) { $0 + $1.findings.count }
            StandardOutput.write("\(writeBaseline.printable): \(count) finding\(count == 1 ? "" : "s") written\n")
            return
        }
        StandardOutput.write(run.diff)
        try output.finish(run.files)
        if !run.diff.isEmpty { throw ExitCode(1) }
    }
}

extension LintCommand {
    /// Lints the files below a folder.
    ///
    /// - Throws: `ExitCode` 2 after a message if there are none.
    private func lint(folder: String, _ run: inout LintRun) throws {
        let found = AssociationFolder(folder)
        if found.isTruncated {
            StandardOutput.reportError("\(folder.printable): it has more entries than are looked at")
        }
        guard !found.files.isEmpty else {
            StandardOutput.reportError(
                "\(folder.printable): no association file was found: \(AssociationFolder.places)")
            throw ExitCode(2)
        }
        for file in found.files { run.lint(file: file) }
    }
}

extension SystemVersion: ExpressibleByArgument { public init?(argument: String) { self.init(argument) } }

/// The inputs of one run of `lint`, the findings of each input, and the findings about both files of a site.
struct LintRun {
    let command: LintCommand
    /// How findings with edits are mended. `nil` if they are not.
    var fixing: Fixing?

    struct Fixing {
        let ignored: IgnoreList
        let isDry: Bool
    }

    private(set) var files: [CheckedFile] = []
    /// What `--dry-run` would change.
    private(set) var diff = ""
    private(set) var pairs: [Pair] = []

    /// The two files of one place, if they are available.
    struct Pair {
        /// A folder or a host.
        let place: String
        let host: String?
        var aasa: [(index: Int, file: AASAFile)] = []
        var assetLinks: [(index: Int, file: AssetLinksFile)] = []
    }

    mutating func lint(file name: String) {
        do throws(InputError) {
            if command.kind == nil, let neighbour = Neighbour.named(name) {
                let body = try AssociationInput.read(name).body
                append(
                    CheckedFile(name: name, findings: NeighbourLint.findings(in: body, as: neighbour, file: name)),
                    untouched: "it is no association file")
                return
            }
            let input = try AssociationInput.read(name, kind: command.kind)
            let options = LintOptions(
                file: name, minimumIOS: command.minimumIOS, domain: command.domain,
                mindsFinalNewline: command.finalNewline)
            var report = AssociationLint.lint(body: input.body, as: input.kind, options: options)
            let fix = fixing.map { fixing in
                FileFix(
                    name, input.body, kind: report.kind, options: options, ignored: fixing.ignored,
                    isWritten: !fixing.isDry)
            }
            if let fix, fix.fixed > 0 {
                report = AssociationLint.lint(body: fix.body, as: report.kind, options: options)
                if fixing?.isDry == true {
                    diff += UnifiedDiff.text(input.body, fix.body, name: name, isForTerminal: TextStyle.isTerminal)
                }
            }
            let folder = name.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            var checked = CheckedFile(name: name, report: report)
            (checked.fixed, checked.untouched) = (fix?.fixed ?? 0, fix?.untouched)
            if let finding = TransportLint.nameFinding(fileName: name, file: report.kind) {
                checked.findings.insert(finding, at: 0)
            }
            add(checked, report, place: folder, host: command.domain)
        } catch {
            files.append(CheckedFile(name: name, failure: "\(error)"))
        }
    }

    mutating func lint(_ neighbour: FetchReport.Neighbouring) {
        guard case .success = neighbour.fact.outcome else {
            files.append(CheckedFile(name: neighbour.fact.url, failure: neighbour.trouble))
            return
        }
        append(CheckedFile(name: neighbour.fact.url, findings: neighbour.findings), untouched: "it is remote")
    }

    /// Adds a file that `--fix` does not change.
    private mutating func append(_ file: CheckedFile, untouched: String) {
        var file = file
        if fixing != nil { file.untouched = untouched }
        files.append(file)
    }

    /// Lints one or both files of a site.
    mutating func lint(_ inputs: [RemoteInput]) {
        let bodies = inputs.filter { $0.seen.body != nil }
        for input in inputs {
            // A site may have an app on one system only. A missing file for the other system is then not an error.
            if inputs.count == 2, bodies.count == 1, input.isMissing {
                let finding = ParityLint.hostFinding(
                    input.target.host, hasAASA: input.kind != .aasa, hasAssetLinks: input.kind != .assetlinks)
                files.append(CheckedFile(name: input.seen.url, kind: input.kind, findings: finding.map { [$0] } ?? []))
                continue
            }
            guard input.seen.isChecked else {
                files.append(CheckedFile(name: input.seen.url, failure: input.trouble))
                continue
            }
            let served = TransportLint.findings(input.seen)
            guard let body = input.seen.body else {
                files.append(CheckedFile(name: input.seen.url, kind: input.kind, findings: served))
                continue
            }
            let options = LintOptions(
                file: input.seen.url, minimumIOS: command.minimumIOS, domain: command.domain ?? input.target.host,
                servedPath: input.path)
            let report = AssociationLint.lint(body: body, as: input.kind, options: options)
            // The transport findings are more precise, because they use the HTTP response.
            var checked = CheckedFile(name: input.seen.url, report: report)
            checked.findings = served + checked.findings.filter { !$0.code.hasPrefix("http.") }
            if fixing != nil { checked.untouched = "it is remote" }
            add(checked, report, place: "https://" + input.target.authority, host: command.domain ?? input.target.host)
        }
    }

    private mutating func add(_ file: CheckedFile, _ report: LintReport, place: String, host: String?) {
        var file = file
        if command.readers, report.kind == .assetlinks { file.readers = AssetLinksReaders(report.document) }
        files.append(file)
        if !pairs.contains(where: { $0.place == place }) { pairs.append(Pair(place: place, host: host)) }
        guard let pair = pairs.firstIndex(where: { $0.place == place }) else { return }
        if let aasa = report.aasa { pairs[pair].aasa.append((files.count - 1, aasa)) }
        if let assetLinks = report.assetLinks { pairs[pair].assetLinks.append((files.count - 1, assetLinks)) }
    }

    /// Compares the two files of each folder and host. If there is exactly one file of each kind, compares those two.
    mutating func comparePairs() {
        var all = Pair(place: "", host: command.domain)
        for pair in pairs {
            all.aasa += pair.aasa
            all.assetLinks += pair.assetLinks
        }
        let isOnePair = all.aasa.count == 1 && all.assetLinks.count == 1
        let host = pairs.lazy.compactMap(\.host).first
        for pair in isOnePair ? [all] : pairs where pair.aasa.count == 1 && pair.assetLinks.count == 1 {
            let (aasa, assetLinks) = (pair.aasa[0], pair.assetLinks[0])
            let lint = ParityLint(aasa.file, assetLinks.file, host: pair.host ?? host ?? "example.com")
            let names = (files[aasa.index].name, files[assetLinks.index].name)
            for finding in lint.findings(aasaName: names.0, assetLinksName: names.1) {
                // Each finding appears once, with the file that it points to.
                files[finding.file == names.1 ? assetLinks.index : aasa.index].findings.append(finding)
            }
        }
    }
}
