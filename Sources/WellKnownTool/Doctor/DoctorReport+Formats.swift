import WellKnown

/// The report in the forms that build servers read.
extension DoctorReport {
    func text(as format: OutputFormat, style: TextStyle, failOn threshold: FailThreshold) -> String {
        switch format {
        case .text: text(style: style)
        case .json: json
        case .junit, .github, .sarif: format.render(checkedFiles, style: style, failOn: threshold)
        }
    }

    /// The table under the domain's name, then the findings of each file.
    private var checkedFiles: [CheckedFile] {
        let table = CheckedFile(name: host, findings: lines.compactMap(Self.finding))
        var names: [String] = []
        for finding in findings where !names.contains(finding.file ?? host) { names.append(finding.file ?? host) }
        return [table]
            + names.map { name in CheckedFile(name: name, findings: findings.filter { ($0.file ?? host) == name }) }
    }

    /// A line that does not agree. The codes are for build servers; what a line says, its words say.
    private static func finding(_ line: DoctorLine) -> Finding? {
        let (code, severity): (String, Severity)
        switch line.verdict {
        case .agrees: return nil
        case .differs: (code, severity) = ("doctor.differs", .error)
        case .caution: (code, severity) = ("doctor.caution", .warning)
        case .notChecked: (code, severity) = ("doctor.not-checked", .info)
        }
        let sides = [line.left, line.right].map { "\($0.place): \($0.value)" }.joined(separator: "; ")
        let rule = LintRule(
            code, severity, "A line of the doctor's table", reason: "A link opens the app only when the places agree.",
            fix: line.advice ?? "",
            source: "Apple, \"Supporting associated domains\"; Google, \"Verify Android App Links\"")
        return Finding(rule, "\(line.platform.rawValue), \(line.subject): \(sides).")
    }
}
