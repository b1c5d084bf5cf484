import SSOShared
import WellKnown

enum FindingText {
    /// - Parameter showsAll: whether remarks are written in full. Otherwise the last line counts them.
    static func render(_ files: [CheckedFile], style: TextStyle, showsAll: Bool) -> String {
        let texts = files.map { text(of: $0, style, showsAll) }.joined(separator: "\n")
        guard files.count > 1 else { return texts }
        let failures = files.count { $0.failure != nil }
        let result = counts(files.flatMap(\.findings), showsAll, style)
        let (fixed, ignored) = (files.reduce(0) { $0 + $1.fixed }, files.reduce(0) { $0 + $1.ignored })
        return texts + "\n\(files.count) files: \(result)\(counted(failures, "not checked"))\(counted(fixed, "fixed"))"
            + "\(counted(ignored, "left out"))\n"
    }

    private static func text(of file: CheckedFile, _ style: TextStyle, _ showsAll: Bool) -> String {
        let name = file.name.printable
        if let failure = file.failure {
            return TextStyle.wrapped("\(name): could not be checked: \(failure.printable)", first: "", rest: "  ")
                + "\n"
        }
        let shown = file.findings.filter { showsAll || $0.severity != .info }
        let findings = shown.map { text(of: $0, in: name, style) }
        let more = file.omitted.sorted { $0.key < $1.key }.map { "  and \($0.value) more of \($0.key)\n" }
        let table = file.readers.map { ReadersTable.text($0, style: style) + "\n" } ?? ""
        let untouched = file.untouched.map { "\(name): not changed: \($0.printable)\n" } ?? ""
        return (findings + more).joined() + table + untouched
            + "\(name): \(counts(file.findings, showsAll, style))\(counted(file.fixed, "fixed"))"
            + "\(counted(file.ignored, "left out"))\n"
    }

    private static func counted(_ count: Int, _ words: String) -> String { count == 0 ? "" : ", \(count) \(words)" }

    private static func text(of finding: Finding, in name: String, _ style: TextStyle) -> String {
        let file = finding.file?.printable ?? name
        let place = finding.position.map { "\(file):\($0)" } ?? file
        let colour = [Severity.error: TextStyle.Colour.red, .warning: .yellow][finding.severity] ?? .blue
        var lines = ["\(place): \(style.paint(finding.severity.rawValue, colour)) \(style.paint(finding.code, .faint))"]
        lines.append(TextStyle.wrapped(finding.message.printable, first: "  ", rest: "  "))
        lines.append(TextStyle.wrapped(finding.reason.printable, first: "  why: ", rest: "       "))
        if let fix = finding.fix { lines.append(TextStyle.wrapped(fix.printable, first: "  fix: ", rest: "       ")) }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// The numbers of errors, warnings and remarks.
    static func counts(_ findings: [Finding], _ showsAll: Bool, _ style: TextStyle) -> String {
        guard !findings.isEmpty else { return style.paint("no findings", .green) }
        let counts = Severity.allCases.reversed().compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            guard count > 0 else { return nil }
            let word = severity == .info ? "remark" : severity.rawValue
            return "\(count) \(word)\(count == 1 ? "" : "s")\(severity == .info && !showsAll ? " (--all)" : "")"
        }
        return counts.joined(separator: ", ")
    }
}

/// Writes findings as workflow commands.
///
/// Source: GitHub, "Workflow commands for GitHub Actions" (setting an error, warning or notice message).
enum FindingGitHub {
    static func render(_ files: [CheckedFile]) -> String { files.flatMap(lines).map { $0 + "\n" }.joined() }

    private static func lines(_ file: CheckedFile) -> [String] {
        let failures = file.failure.map {
            ["::error file=\(property(file.name))::\(data("could not be checked: \($0)"))"]
        }
        return (failures ?? [])
            + file.findings.map { finding in
                let command = finding.severity == .info ? "notice" : finding.severity.rawValue
                var properties = ["file=\(property(finding.file ?? file.name))"]
                if let position = finding.position {
                    properties += ["line=\(position.line)", "col=\(position.column)"]
                }
                properties.append("title=\(property(finding.code))")
                let text = [finding.message, finding.reason, finding.fix].compactMap { $0?.printable }
                    .joined(separator: "\n")
                return "::\(command) \(properties.joined(separator: ","))::\(data(text))"
            }
    }

    /// Escapes line breaks. A line break would end the command, and the rest could be read as another command.
    static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
            .unicodeScalars.reduce(into: "") { result, scalar in
                if scalar.value >= 0x20 && scalar.value != 0x7f { result.unicodeScalars.append(scalar) }
            }
    }

    static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
