import SSOShared
import WellKnown

enum FindingJSON {
    static func render(_ files: [CheckedFile]) -> String {
        JSONOutput.text([
            "files": files.map(file),
            "summary": summary(files.flatMap(\.findings), failures: files.count { $0.failure != nil }),
        ])
    }

    static func summary(_ findings: [Finding], failures: Int) -> JSONObject {
        func count(_ severity: Severity) -> Int { findings.count { $0.severity == severity } }
        return ["errors": count(.error), "warnings": count(.warning), "infos": count(.info), "failures": failures]
    }

    private static func file(_ file: CheckedFile) -> JSONObject {
        [
            "file": file.name, "kind": file.kind?.rawValue, "findings": file.findings.map(item),
            // The number of further findings of each code.
            "omitted": file.omitted.isEmpty ? nil : file.omitted, "readers": file.readers.map(ReadersTable.rows),
            "failure": file.failure, "fixed": file.fixed == 0 ? nil : file.fixed, "notChanged": file.untouched,
        ]
    }

    static func item(_ finding: Finding) -> JSONObject {
        let source = LintRule.named(finding.code)?.source
        return [
            "code": finding.code, "severity": finding.severity.rawValue, "message": finding.message,
            "reason": finding.reason, "fix": finding.fix, "pointer": finding.pointer, "file": finding.file,
            "source": source, "page": source.map { _ in "docs/findings/\(finding.code).md" },
            "line": finding.position?.line, "column": finding.position?.column,
            "edits": finding.edits.isEmpty ? nil : finding.edits.map(edit),
        ]
    }

    /// A change that `--fix` makes: the text between two positions, and what replaces it.
    private static func edit(_ edit: TextEdit) -> JSONObject {
        [
            "line": edit.start.line, "column": edit.start.column, "endLine": edit.end.line,
            "endColumn": edit.end.column, "text": edit.text,
        ]
    }
}
