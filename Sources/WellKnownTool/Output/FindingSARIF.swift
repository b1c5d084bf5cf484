import Foundation
import SSOShared
import WellKnown

/// Writes findings as SARIF (OASIS, "Static Analysis Results Interchange Format" 2.1.0).
enum FindingSARIF {
    struct Log: Encodable {
        let schema = "https://json.schemastore.org/sarif-2.1.0.json"
        let version = "2.1.0"
        let runs: [Run]

        enum CodingKeys: String, CodingKey {
            case schema = "$schema"
            case version, runs
        }
    }
    struct Run: Encodable {
        let tool: Tool
        /// The unit of a column. Source: SARIF section 3.14.17.
        let columnKind = "unicodeCodePoints"
        let results: [Result]
        let invocations: [Invocation]
    }
    struct Tool: Encodable { let driver: Driver }
    struct Driver: Encodable {
        let name = "wellknown"
        let version: String
        let rules: [Rule]
    }
    struct Rule: Encodable {
        let id, helpUri: String
        let shortDescription, fullDescription: Message
        let help: Help
        let defaultConfiguration: Configuration
        let properties: Properties
    }
    /// Values for which the format has no member. Source: SARIF section 3.8.
    struct Properties: Encodable { let source, page: String }
    struct Configuration: Encodable { let level: String }
    struct Message: Encodable { let text: String }
    /// The fix as text, and the whole page of the finding.
    struct Help: Encodable { let text, markdown: String }
    struct Result: Encodable {
        let ruleId, level: String
        let ruleIndex: Int?
        let message: Message
        let locations: [Location]
        let fixes: [Fix]?
    }
    /// Source: SARIF sections 3.55 to 3.57.
    struct Fix: Encodable {
        let description: Message
        let artifactChanges: [Change]
    }
    struct Change: Encodable {
        let artifactLocation: Artifact
        let replacements: [Replacement]
    }
    struct Replacement: Encodable {
        let deletedRegion: Region
        let insertedContent: Message
    }
    struct Location: Encodable {
        let physicalLocation: Physical
        let logicalLocations: [Logical]?
    }
    struct Logical: Encodable { let fullyQualifiedName: String }
    struct Physical: Encodable {
        let artifactLocation: Artifact
        let region: Region?
    }
    struct Artifact: Encodable { let uri: String }
    struct Region: Encodable {
        let startLine, startColumn: Int
        var endLine, endColumn: Int?
    }
    struct Invocation: Encodable {
        let executionSuccessful: Bool
        let toolExecutionNotifications: [Notification]
    }
    struct Notification: Encodable {
        let level = "error"
        let message: Message
    }

    static func render(_ files: [CheckedFile]) -> String {
        let codes = Set(files.flatMap { $0.findings.map(\.code) }).sorted()
        let rules = codes.compactMap(LintRule.named).map { rule in
            Rule(
                id: rule.code, helpUri: "urn:wellknown:finding:\(rule.code)",
                shortDescription: Message(text: rule.title),
                fullDescription: Message(text: rule.reason),
                help: Help(text: rule.fix, markdown: FindingPage(rule).text),
                defaultConfiguration: Configuration(level: level(rule.severity)),
                properties: Properties(source: rule.source, page: "docs/findings/\(rule.code).md"))
        }
        let indices = Dictionary(rules.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let results = files.flatMap { file in
            file.findings.map { result($0, in: file.name, index: indices[$0.code]) }
        }
        let failures = files.compactMap { file in
            file.failure.map { Notification(message: Message(text: "\(file.name): \($0)")) }
        }
        let run = Run(
            tool: Tool(driver: Driver(version: ProductVersion.text, rules: rules)), results: results,
            invocations: [Invocation(executionSuccessful: failures.isEmpty, toolExecutionNotifications: failures)])
        return JSONOutput.text(Log(runs: [run]))
    }

    private static func result(_ finding: Finding, in name: String, index: Int?) -> Result {
        let text = [finding.message, finding.reason, finding.fix].compactMap { $0 }.joined(separator: " ")
        let artifact = Artifact(uri: uri(finding.file ?? name))
        let place = Physical(
            artifactLocation: artifact,
            region: finding.position.map { Region(startLine: $0.line, startColumn: $0.column) })
        let logical = finding.pointer.map { [Logical(fullyQualifiedName: $0)] }
        let replacements = finding.edits.map { edit in
            Replacement(
                deletedRegion: Region(
                    startLine: edit.start.line, startColumn: edit.start.column, endLine: edit.end.line,
                    endColumn: edit.end.column), insertedContent: Message(text: edit.text))
        }
        let fix = Fix(
            description: Message(text: finding.fix ?? ""),
            artifactChanges: [Change(artifactLocation: artifact, replacements: replacements)])
        return Result(
            ruleId: finding.code, level: level(finding.severity), ruleIndex: index, message: Message(text: text),
            locations: [Location(physicalLocation: place, logicalLocations: logical)],
            fixes: replacements.isEmpty ? nil : [fix])
    }

    /// The level of a result. Source: SARIF section 3.27.10.
    private static func level(_ severity: Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }

    /// Writes a relative reference (RFC 3986). Characters that a URL cannot contain are percent-encoded. `-` is
    /// standard input.
    private static func uri(_ name: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:?#[]@!$&'()*+,;=%")
        return name == "-" ? "stdin" : name.addingPercentEncoding(withAllowedCharacters: allowed) ?? "file"
    }
}
