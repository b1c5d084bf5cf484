import SSOShared
import WellKnown

/// Findings as workflow commands.
///
/// Source: GitHub, "Workflow commands for GitHub Actions" (setting an error, warning or notice message).
enum FindingGitHub {
    static func render(_ files: [CheckedFile]) -> String {
        files.flatMap(lines).map { $0 + "\n" }.joined()
    }

    private static func lines(_ file: CheckedFile) -> [String] {
        let failures = file.failure.map {
            ["::error file=\(property(file.name))::\(data("could not be checked: \($0)"))"]
        }
        return (failures ?? [])
            + file.findings.map { finding in
                let command =
                    switch finding.severity {
                    case .error: "error"
                    case .warning: "warning"
                    case .info: "notice"
                    }
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

    /// A line break would end the command, and what follows would be one of its own.
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
