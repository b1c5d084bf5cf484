import SSOShared
import WellKnown

/// Writes findings as SARIF (OASIS, "Static Analysis Results Interchange Format" 2.1.0).
enum FindingSARIF {
    static func render(_ files: [CheckedFile]) -> String {
        let rules = Set(files.flatMap { $0.findings.map(\.code) }).sorted().compactMap(LintRule.named)
        let indices = Dictionary(rules.enumerated().map { ($1.code, $0) }) { first, _ in first }
        let failures = files.compactMap { file in
            file.failure.map { ["level": "error", "message": message("\(file.name): \($0)")] as JSONObject }
        }
        let driver: JSONObject = ["name": "wellknown", "version": ProductVersion.text, "rules": rules.map(rule)]
        let run: JSONObject = [
            "tool": ["driver": driver] as JSONObject,
            // The unit of a column. Source: SARIF section 3.14.17.
            "columnKind": "unicodeCodePoints",
            "results": files.flatMap { file in file.findings.map { result($0, in: file.name, index: indices[$0.code]) }
            },
            "invocations": [
                ["executionSuccessful": failures.isEmpty, "toolExecutionNotifications": failures] as JSONObject
            ],
        ]
        return JSONOutput.text([
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
        ])
    }

    private static func rule(_ rule: LintRule) -> JSONObject {
        [
            "id": rule.code, "helpUri": "urn:wellknown:finding:\(rule.code)", "shortDescription": message(rule.title),
            "fullDescription": message(rule.reason),
            "help": ["text": rule.fix, "markdown": FindingPage(rule).text] as JSONObject,
            "defaultConfiguration": ["level": level(rule.severity)] as JSONObject,
            // Values for which the format has no member. Source: SARIF section 3.8.
            "properties": ["source": rule.source, "page": "docs/findings/\(rule.code).md"] as JSONObject,
        ]
    }

    private static func message(_ text: String) -> JSONObject { ["text": text] }

    private static func result(_ finding: Finding, in name: String, index: Int?) -> JSONObject {
        let text = [finding.message, finding.reason, finding.fix].compactMap { $0 }.joined(separator: " ")
        let artifact: JSONObject = ["uri": uri(finding.file ?? name)]
        let region = finding.position.map { ["startLine": $0.line, "startColumn": $0.column] as JSONObject }
        let location: JSONObject = [
            "physicalLocation": ["artifactLocation": artifact, "region": region] as JSONObject,
            "logicalLocations": finding.pointer.map { [["fullyQualifiedName": $0] as JSONObject] },
        ]
        // Source: SARIF sections 3.55 to 3.57.
        let fix: JSONObject = [
            "description": message(finding.fix ?? ""),
            "artifactChanges": [
                ["artifactLocation": artifact, "replacements": finding.edits.map(replacement)] as JSONObject
            ],
        ]
        return [
            "ruleId": finding.code, "level": level(finding.severity), "ruleIndex": index, "message": message(text),
            "locations": [location], "fixes": finding.edits.isEmpty ? nil : [fix],
        ]
    }

    private static func replacement(_ edit: TextEdit) -> JSONObject {
        let region: JSONObject = [
            "startLine": edit.start.line, "startColumn": edit.start.column, "endLine": edit.end.line,
            "endColumn": edit.end.column,
        ]
        return ["deletedRegion": region, "insertedContent": message(edit.text)]
    }

    /// The level of a result. Source: SARIF section 3.27.10.
    private static func level(_ severity: Severity) -> String { severity == .info ? "note" : severity.rawValue }

    /// Writes a relative reference (RFC 3986). `-` is standard input.
    private static func uri(_ name: String) -> String {
        name == "-" ? "stdin" : PercentCoding.encode(name, keeping: "/:?#[]@!$&'()*+,;=%")
    }
}
