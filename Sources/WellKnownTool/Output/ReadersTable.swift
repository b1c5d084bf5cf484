import SSOShared
import WellKnown

/// Writes the results of each reader of assetlinks.json for each app.
enum ReadersTable {
    static func text(_ readers: AssetLinksReaders, style: TextStyle) -> String {
        let rows = readers.table()
        guard !rows.isEmpty else { return "  no app for a reader to find\n" }
        var text = ""
        var last: (package: String, fingerprint: String)?
        // The relations of an app stand together, whatever statements grant them.
        for row in grouped(rows) {
            if last.map({ $0 != (row.package, row.fingerprint) }) ?? true {
                text += "  \(row.package.printable)\n    \(row.fingerprint.printable)\n"
                last = (row.package, row.fingerprint)
            }
            text += "    \(row.relation.printable)\n"
            text += row.verdicts.filter { $0.outcome != .notAsked }.map { line($0, style) + "\n" }.joined()
            let others = row.verdicts.filter { $0.outcome == .notAsked }.map(\.reader.name)
            if !others.isEmpty { text += "    not asked for by \(others.joined(separator: ", "))\n" }
        }
        return text
    }

    private static func grouped(_ rows: [AssetLinksReaders.Row]) -> [AssetLinksReaders.Row] {
        let order = rows.reduce(into: [[String]]()) { seen, row in
            if !seen.contains([row.package, row.fingerprint]) { seen.append([row.package, row.fingerprint]) }
        }
        return order.flatMap { key in rows.filter { [$0.package, $0.fingerprint] == key } }
    }

    private static func line(_ verdict: ReaderVerdict, _ style: TextStyle) -> String {
        let colours: [ReaderVerdict.Outcome: TextStyle.Colour] = [.works: .green, .notAsked: .faint]
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        let name = padded(verdict.reader.name, 22)
        let outcome = padded(verdict.outcome.rawValue, 15)
        let reason = verdict.reason.printable + (verdict.isSure ? "" : " (Not certain.)")
        let plain = TextStyle.wrapped(reason, first: "    \(name)\(outcome)", rest: String(repeating: " ", count: 8))
        return plain.replacing(
            outcome, with: style.paint(outcome, colours[verdict.outcome] ?? .red), maxReplacements: 1)
    }

    static func rows(_ readers: AssetLinksReaders) -> [JSONObject] {
        readers.table().map { row in
            [
                "package": row.package, "fingerprint": row.fingerprint, "relation": row.relation,
                "verdicts": row.verdicts.map(encoded),
            ]
        }
    }

    private static func encoded(_ verdict: ReaderVerdict) -> JSONObject {
        [
            "reader": verdict.reader.rawValue, "outcome": verdict.outcome.rawValue, "reason": verdict.reason,
            "sure": verdict.isSure, "pointer": verdict.pointer, "line": verdict.position?.line,
            "column": verdict.position?.column,
        ]
    }
}
