import Foundation
import WellKnown

/// The table and the findings, for people and for programs.
struct DoctorReport {
    let host: String
    let lines: [DoctorLine]
    let findings: [Finding]

    /// 0 healthy, 1 something differs or a finding is as bad as `threshold`, 2 nothing could be compared.
    func exitCode(failOn threshold: Severity) -> Int32 {
        guard lines.isConclusive else { return 2 }
        return lines.isHealthy && !findings.contains { $0.severity >= threshold } ? 0 : 1
    }

    var text: String {
        var output: [String] = []
        for platform in DoctorLine.Platform.allCases {
            let own = lines.filter { $0.platform == platform }
            guard !own.isEmpty else { continue }
            output += ["\(platform.rawValue), \(host)", ""]
            for line in own { output += Self.rows(of: line) }
            output.append("")
        }
        if !findings.isEmpty {
            output += ["Findings", ""]
            for finding in findings { output += Self.rows(of: finding) }
            output.append("")
        }
        output.append(summary)
        return output.joined(separator: "\n") + "\n"
    }

    var summary: String {
        let counts = DoctorLine.Verdict.allCases.map { verdict in lines.filter { $0.verdict == verdict }.count }
        let table = "\(counts[0]) agree, \(counts[1]) differ, \(counts[2]) to look at, \(counts[3]) not checked"
        guard lines.isConclusive else { return "Nothing could be compared: \(table)." }
        return lines.isHealthy ? "Healthy: \(table)." : "Links will not open the app: \(table)."
    }

    private static func rows(of line: DoctorLine) -> [String] {
        let mark =
            switch line.verdict {
            case .agrees: "ok     "
            case .differs: "DIFFERS"
            case .caution: "look   "
            case .notChecked: "-      "
            }
        var rows = ["  \(mark)  \(line.subject)"]
        let width = max(line.left.place.count, line.right.place.count)
        for side in [line.left, line.right] {
            let place = side.place.printable.padding(toLength: width, withPad: " ", startingAt: 0)
            rows += WrappedText.lines(side.value.printable, first: "           \(place)  ", width: 80)
        }
        if let advice = line.advice { rows += WrappedText.lines(advice.printable, first: "           -> ", width: 80) }
        return rows
    }

    private static func rows(of finding: Finding) -> [String] {
        let place = [finding.file, finding.position?.description].compactMap(\.self).joined(separator: ":")
        let start = "  \(finding.severity.rawValue)  "
        let message = "\(finding.message) [\(finding.code)]\(place.isEmpty ? "" : " (\(place))")"
        return WrappedText.lines(message.printable, first: start, width: 80)
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = DoctorDocument(
            domain: host, healthy: lines.isHealthy && lines.isConclusive, lines: lines.map(DoctorDocument.Line.init),
            findings: findings.map(DoctorDocument.Remark.init))
        return (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
}

/// The JSON form of ``DoctorReport``. The names of its members are part of the interface.
struct DoctorDocument: Encodable {
    struct Side: Encodable {
        let place, value: String
        init(_ side: DoctorLine.Side) { (place, value) = (side.place, side.value) }
    }

    struct Line: Encodable {
        let platform, subject, verdict: String
        let places: [Side]
        let advice: String?

        init(_ line: DoctorLine) {
            platform = line.platform == .ios ? "ios" : "android"
            (subject, verdict, advice) = (line.subject, line.verdict.rawValue, line.advice)
            places = [Side(line.left), Side(line.right)]
        }
    }

    struct Remark: Encodable {
        let code, severity, message, reason: String
        let fix, file, pointer: String?
        let line, column: Int?

        init(_ finding: Finding) {
            (code, severity, message) = (finding.code, finding.severity.rawValue, finding.message)
            (reason, fix, file, pointer) = (finding.reason, finding.fix, finding.file, finding.pointer)
            (line, column) = (finding.position?.line, finding.position?.column)
        }
    }

    let domain: String
    let healthy: Bool
    let lines: [Line]
    let findings: [Remark]
}
