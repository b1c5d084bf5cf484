public import ArgumentParser
public import WellKnown

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    /// One JSON object, for programs.
    case json
    /// JUnit XML, for build servers that show test results.
    case junit
    /// Workflow commands of GitHub Actions, which show findings on the lines of a pull request.
    case github
    /// SARIF 2.1.0, for code scanning.
    case sarif

    /// - Parameter showsAll: whether text has remarks in full. The other formats always have them.
    func render(
        _ files: [CheckedFile], style: TextStyle, failOn threshold: FailThreshold, showsAll: Bool = true
    ) -> String {
        switch self {
        case .text: FindingText.render(files, style: style, showsAll: showsAll || threshold == .info)
        case .json: FindingJSON.render(files)
        case .junit: FindingJUnit.render(files, failOn: threshold)
        case .github: FindingGitHub.render(files)
        case .sarif: FindingSARIF.render(files)
        }
    }
}

/// The lowest severity for which the exit code is 1.
typealias FailThreshold = Severity

extension Severity: ExpressibleByArgument {
    public static var allValueStrings: [String] { allCases.reversed().map(\.rawValue) }

    func isReached(by findings: [Finding]) -> Bool { findings.contains { $0.severity >= self } }
}

/// The formats of commands that do not print a list of findings.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable { case text, json }
