import Foundation
import SSOShared
import WellKnown

/// Findings as one JSON object. The names of its members are part of the interface.
enum FindingJSON {
    struct Output: Encodable {
        let files: [File]
        let summary: Summary
    }

    struct File: Encodable {
        let file: String
        let kind: String?
        let findings: [Item]
        /// The number of further findings of each code.
        let omitted: [String: Int]?
        /// The result of each reader for each app, if it was requested.
        let readers: [ReadersTable.Row]?
        /// The reason why the file could not be checked.
        let failure: String?
        /// The number of findings that `--fix` mended, and the reason why it left the file as it is.
        let fixed: Int?
        let notChanged: String?
    }

    struct Item: Encodable {
        let code, severity, message, reason: String
        let fix, pointer, file: String?
        /// The source of the rule, and the page about the code in this repository.
        let source, page: String?
        let line, column: Int?
        let edits: [Edit]?

        init(_ finding: Finding) {
            (code, severity) = (finding.code, finding.severity.rawValue)
            (message, reason, fix) = (finding.message, finding.reason, finding.fix)
            (pointer, file) = (finding.pointer, finding.file)
            source = LintRule.named(finding.code)?.source
            page = source.map { _ in "docs/findings/\(finding.code).md" }
            (line, column) = (finding.position?.line, finding.position?.column)
            edits = finding.edits.isEmpty ? nil : finding.edits.map(Edit.init)
        }
    }

    /// A change that `--fix` makes: the text between two positions, and what replaces it.
    struct Edit: Encodable {
        let line, column, endLine, endColumn: Int
        let text: String

        init(_ edit: TextEdit) {
            (line, column) = (edit.start.line, edit.start.column)
            (endLine, endColumn, text) = (edit.end.line, edit.end.column, edit.text)
        }
    }

    struct Summary: Encodable {
        let errors, warnings, infos, failures: Int
    }

    static func render(_ files: [CheckedFile]) -> String {
        let all = files.flatMap(\.findings)
        func count(_ severity: Severity) -> Int { all.count { $0.severity == severity } }
        let items = files.map { file in
            File(
                file: file.name, kind: file.kind?.rawValue, findings: file.findings.map(Item.init),
                omitted: file.omitted.isEmpty ? nil : file.omitted, readers: file.readers.map(ReadersTable.rows),
                failure: file.failure, fixed: file.fixed == 0 ? nil : file.fixed, notChanged: file.untouched)
        }
        return JSONOutput.text(
            Output(
                files: items,
                summary: Summary(
                    errors: count(.error), warnings: count(.warning), infos: count(.info),
                    failures: files.count { $0.failure != nil })))
    }
}

/// Writes JSON with a fixed order of keys, so that outputs can be compared.
enum JSONOutput {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
