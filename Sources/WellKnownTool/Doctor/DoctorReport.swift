import Foundation
import SSOShared
import WellKnown

/// The table and the findings, as text and in machine-readable formats.
struct DoctorReport {
    let host: String
    let lines: [DoctorLine]
    var findings: [Finding]
    var names = DoctorNames()
    /// What was looked at in a project, one line for each file.
    var notes: [String] = []
    /// Whether no server was asked.
    var isOffline = false

    /// 0 if the setup is healthy, 1 if a line differs or a finding reaches `threshold`, 2 if nothing could be compared.
    func exitCode(failOn threshold: FailThreshold) -> Int32 {
        guard lines.isConclusive else { return 2 }
        return lines.isHealthy && !threshold.isReached(by: findings) ? 0 : 1
    }

    func text(style: TextStyle = TextStyle(hasColour: false), showsAll: Bool = false) -> String {
        var output: [String] = []
        if !notes.isEmpty {
            output += [style.paint("Looked at", .bold), ""]
            output += notes.map { TextStyle.wrapped($0.printable, first: "  ", rest: "    ") }
            output.append("")
        }
        for platform in LinkPlatform.allCases {
            let own = lines.filter { $0.platform == platform }
            guard !own.isEmpty else { continue }
            output += [style.paint("\(platform.title), \(host)", .bold), ""]
            for line in own { output += Self.rows(of: line, style) }
            output.append("")
        }
        if !lines.isEmpty { output += [style.paint(legend, .faint), ""] }
        let shown = findings.filter { showsAll || $0.severity != .info }
        if !shown.isEmpty {
            output += [style.paint("Findings", .bold), ""]
            output += shown.flatMap(Self.rows)
            output.append("")
        }
        let remarks = findings.count { $0.severity == .info }
        if remarks > 0, !showsAll { output.append("\(remarks) remark\(remarks == 1 ? "" : "s") (--all).") }
        output.append(summary + (isOffline ? " Apple's copy and Google's answer were not asked (--offline)." : ""))
        return output.joined(separator: "\n") + "\n"
    }

    var summary: String {
        let counts = DoctorLine.Verdict.allCases.map { verdict in lines.filter { $0.verdict == verdict }.count }
        let table = "\(counts[0]) agree, \(counts[1]) differ, \(counts[2]) to look at, \(counts[3]) not checked"
        guard lines.isConclusive else { return "Nothing could be compared: \(table)." }
        guard lines.isHealthy else {
            return lines.isAboutLinks
                ? "Links will not open the app: \(table)."
                : "Links open the app, another service does not work: \(table)."
        }
        let errors = findings.count { $0.severity == .error }
        guard errors == 0 else {
            return "The places agree (\(table)), and the files have \(errors) \(errors == 1 ? "error" : "errors")."
        }
        return counts[3] == 0 ? "Healthy: \(table)." : "No difference found, and not everything was checked: \(table)."
    }

    /// What the marks of the table mean, for those that it has.
    private var legend: String {
        let words: [(DoctorLine.Verdict, String)] = [
            (.agrees, "ok: agrees"), (.differs, "DIFFERS: links fail"), (.caution, "look: works, needs attention"),
            (.notChecked, "-: not checked"),
        ]
        return words.filter { word in lines.contains { $0.verdict == word.0 } }.map(\.1).joined(separator: "   ")
    }

    private static func rows(of line: DoctorLine, _ style: TextStyle) -> [String] {
        let marks: [DoctorLine.Verdict: (text: String, colour: TextStyle.Colour)] = [
            .agrees: ("ok", .green), .differs: ("DIFFERS", .red), .caution: ("look", .yellow),
            .notChecked: ("-", .faint),
        ]
        let mark = marks[line.verdict].map {
            style.paint($0.text, $0.colour) + String(repeating: " ", count: 7 - $0.text.count)
        }
        var rows = ["  \(mark ?? "")  \(line.subject)"]
        let indent = String(repeating: " ", count: 11)
        let width = max(line.left.place.printable.count, line.right.place.printable.count)
        for side in [line.left, line.right] {
            guard width <= 32 else {
                // Next to a URL the column has no room for the value.
                let text = "\(side.place): \(side.value)"
                rows.append(TextStyle.wrapped(text.printable, first: indent, rest: indent + "  "))
                continue
            }
            let place = side.place.printable.padding(toLength: width, withPad: " ", startingAt: 0)
            rows.append(row(side.value, first: "\(indent)\(place)  "))
        }
        if let advice = line.advice { rows.append(row(advice, first: "           -> ")) }
        return rows
    }

    private static func rows(of finding: Finding) -> [String] {
        let place = [finding.file, finding.position?.description].compactMap(\.self).joined(separator: ":")
        let message = "\(finding.message) [\(finding.code)]\(place.isEmpty ? "" : " (\(place))")"
        return [row(message, first: "  \(finding.severity.rawValue)  ")]
            + (finding.fix.map { [row($0, first: "           -> ")] } ?? [])
    }

    private static func row(_ text: String, first: String) -> String {
        TextStyle.wrapped(text.printable, first: first, rest: String(repeating: " ", count: first.count))
    }

    var json: String {
        JSONOutput.text([
            "domain": host, "healthy": exitCode(failOn: .error) == 0, "lines": lines.map(encoded),
            "findings": findings.map(FindingJSON.item), "lookedAt": notes.isEmpty ? nil : notes,
        ])
    }

    private func encoded(_ line: DoctorLine) -> JSONObject {
        [
            "platform": line.platform.rawValue, "subject": line.subject,
            "verdict": line.verdict.rawValue, "advice": line.advice, "places": [line.left, line.right].map(encoded),
        ]
    }

    /// - Parameter side: a place and its value, with the file that holds the value.
    private func encoded(_ side: DoctorLine.Side) -> JSONObject {
        [
            "place": side.place, "value": side.value, "file": names.file(of: side), "line": side.position?.line,
            "column": side.position?.column,
        ]
    }
}

/// The report in the formats for build servers.
extension DoctorReport {
    func text(
        as format: OutputFormat, style: TextStyle, failOn threshold: FailThreshold, showsAll: Bool = false
    ) -> String {
        switch format {
        case .text: text(style: style, showsAll: showsAll || threshold == .info)
        case .json: json
        case .junit, .github, .sarif: format.render(checkedFiles, style: style, failOn: threshold)
        }
    }

    /// The table as findings under the domain's name, then the findings of each file.
    private var checkedFiles: [CheckedFile] {
        let names = findings.map { $0.file ?? host }.uniqued { $0 }
        return [CheckedFile(name: host, findings: lines.compactMap(finding))]
            + names.map { name in CheckedFile(name: name, findings: findings.filter { ($0.file ?? host) == name }) }
    }

    /// The finding for a row that does not agree. The code is for build servers. The text is that of the row.
    private func finding(_ line: DoctorLine) -> Finding? {
        let rules: [DoctorLine.Verdict: LintRule] = [
            .differs: DoctorRules.differs, .caution: DoctorRules.caution, .notChecked: DoctorRules.notChecked,
        ]
        guard let rule = rules[line.verdict] else { return nil }
        let sides = [line.left, line.right].map { "\($0.place): \($0.value)" }.joined(separator: "; ")
        let location = names.location(of: line)
        return Finding(
            rule, "\(line.platform.title), \(line.subject): \(sides).", fix: line.advice, file: location?.file,
            position: location?.position)
    }
}
