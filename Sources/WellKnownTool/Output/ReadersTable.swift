import SSOShared
import WellKnown

/// Writes the results of each reader of assetlinks.json for each app.
enum ReadersTable {
    static func text(_ readers: AssetLinksReaders, style: TextStyle) -> String {
        let rows = readers.table()
        guard !rows.isEmpty else { return "  no app for a reader to find\n" }
        return rows.map { row in
            let head = "  \(row.package.printable)\n    \(row.fingerprint.printable)\n    \(row.relation.printable)\n"
            return head + row.verdicts.map { line($0, style) + "\n" }.joined()
        }.joined()
    }

    private static func line(_ verdict: ReaderVerdict, _ style: TextStyle) -> String {
        let colour: TextStyle.Colour =
            switch verdict.outcome {
            case .works: .green
            case .refused, .listVoid: .red
            case .notAsked: .faint
            }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        let name = padded(verdict.reader.name, 22)
        let outcome = padded(verdict.outcome.rawValue, 15)
        let reason = verdict.reason.printable + (verdict.isSure ? "" : " (Not certain.)")
        let plain = TextStyle.wrapped(reason, first: "    \(name)\(outcome)", rest: String(repeating: " ", count: 8))
        return plain.replacing(outcome, with: style.paint(outcome, colour), maxReplacements: 1)
    }

    /// A row of the JSON output. The names of its members are part of the interface.
    struct Row: Encodable {
        let package, fingerprint, relation: String
        let verdicts: [Verdict]
    }

    struct Verdict: Encodable {
        let reader, outcome, reason: String
        let sure: Bool
        let pointer: String?
        let line, column: Int?
    }

    static func rows(_ readers: AssetLinksReaders) -> [Row] {
        readers.table().map { row in
            Row(
                package: row.package, fingerprint: row.fingerprint, relation: row.relation,
                verdicts: row.verdicts.map {
                    Verdict(
                        reader: $0.reader.rawValue, outcome: $0.outcome.rawValue, reason: $0.reason, sure: $0.isSure,
                        pointer: $0.pointer, line: $0.position?.line, column: $0.position?.column)
                })
        }
    }
}
