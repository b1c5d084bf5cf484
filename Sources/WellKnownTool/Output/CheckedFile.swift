import ArgumentParser
import WellKnown

struct CheckedFile {
    /// The name on the command line.
    let name: String
    var kind: AssociationKind?
    var findings: [Finding] = []
    /// The number of further findings of each code that ``findings`` leaves out.
    var omitted: [String: Int] = [:]
    /// The number of findings that the configuration leaves out.
    var ignored = 0
    /// The number of findings that `--fix` mended, or would mend.
    var fixed = 0
    /// The reason why `--fix` left the file as it is.
    var untouched: String?
    /// The results of all readers, if they were requested.
    var readers: AssetLinksReaders?
    /// The reason why the file could not be checked.
    var failure: String?
}

extension CheckedFile {
    init(name: String, report: LintReport) {
        self.init(name: name, kind: report.kind, findings: report.findings, omitted: report.omitted)
    }
}

/// Options for the output format, and for the severity that fails a build.
struct OutputOptions: ParsableArguments {
    @Option(help: "text, json, junit, github or sarif.") var format: OutputFormat = .text

    @Option(help: "The severity from which on the exit code is 1: error, warning or info.")
    var failOn: FailThreshold = .error

    @Flag(help: "Show remarks in full, too. Without it, text has their number alone.") var all = false

    @OptionGroup var ignoring: IgnoreOptions

    /// Prints the results. Exits with 2 if an input could not be checked, else with 1 if findings reach the threshold.
    func finish(_ files: [CheckedFile]) throws {
        let files = try kept(files)
        StandardOutput.write(format.render(files, style: .ofStandardOutput, failOn: failOn, showsAll: all))
        if format != .text { report(failuresOf: files) }
        try fail(files)
    }

    /// - Throws: `ExitCode` 2 after a message for each input that could not be checked.
    func failIfUnread(_ files: [CheckedFile]) throws {
        report(failuresOf: files)
        if files.contains(where: { $0.failure != nil }) { throw ExitCode(2) }
    }

    private func report(failuresOf files: [CheckedFile]) {
        for file in files {
            if let failure = file.failure { StandardOutput.reportError("\(file.name.printable): \(failure)") }
        }
    }

    /// The files without the findings that are left out. Entries that match nothing are said.
    func kept(_ files: [CheckedFile]) throws -> [CheckedFile] {
        var list = try ignoring.list()
        let kept = files.map { file in
            var file = file
            (file.findings, file.ignored) = list.kept(file.findings, in: file.name)
            return file
        }
        for remark in list.remarks { StandardOutput.reportError(remark) }
        return kept
    }

    private func fail(_ files: [CheckedFile]) throws {
        if files.contains(where: { $0.failure != nil }) { throw ExitCode(2) }
        if files.contains(where: { failOn.isReached(by: $0.findings) }) { throw ExitCode(1) }
    }
}
