import WellKnown

/// Writes findings as JUnit XML with one suite per file and one case per finding.
///
/// Findings at or above the threshold are failures. All others are skipped cases, so that the report does not fail when
/// the build passes. Format: the "junit.xsd" that build servers read (testsuites, testsuite, testcase, failure, error,
/// skipped).
enum FindingJUnit {
    static func render(_ files: [CheckedFile], failOn threshold: FailThreshold) -> String {
        let suites = files.map { suite($0, threshold) }
        let cases = suites.reduce((tests: 0, failures: 0, errors: 0)) {
            ($0.tests + $1.tests, $0.failures + $1.failures, $0.errors + $1.errors)
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<testsuites name=\"wellknown\" tests=\"\(cases.tests)\" failures=\"\(cases.failures)\" "
            + "errors=\"\(cases.errors)\">\n" + suites.map(\.text).joined() + "</testsuites>\n"
    }

    private typealias Suite = (text: String, tests: Int, failures: Int, errors: Int)

    private static func suite(_ file: CheckedFile, _ threshold: FailThreshold) -> Suite {
        var cases = file.findings.map { testCase($0, in: file.name, isFailure: threshold.isReached(by: [$0])) }
        if let failure = file.failure {
            cases.append(
                "    <testcase name=\"readable\" classname=\"\(escaped(file.name))\">\n"
                    + "      <error message=\"\(escaped(failure))\"/>\n    </testcase>\n")
        }
        if cases.isEmpty { cases = ["    <testcase name=\"no findings\" classname=\"\(escaped(file.name))\"/>\n"] }
        let failures = file.findings.count { threshold.isReached(by: [$0]) }
        let errors = file.failure == nil ? 0 : 1
        let skipped = file.findings.count - failures
        let text =
            "  <testsuite name=\"\(escaped(file.name))\" tests=\"\(cases.count)\" failures=\"\(failures)\" "
            + "errors=\"\(errors)\" skipped=\"\(skipped)\">\n" + cases.joined() + "  </testsuite>\n"
        return (text, cases.count, failures, errors)
    }

    private static func testCase(_ finding: Finding, in name: String, isFailure: Bool) -> String {
        let place = finding.position.map { " \($0)" } ?? ""
        let open = "    <testcase name=\"\(escaped(finding.code + place))\" classname=\"\(escaped(name))\">\n"
        let text = [finding.reason, finding.fix].compactMap { $0 }.joined(separator: "\n")
        let inner =
            !isFailure
            ? "      <skipped message=\"\(escaped(finding.message))\"/>\n"
            : "      <failure type=\"\(finding.severity.rawValue)\" message=\"\(escaped(finding.message))\">"
                + "\(escaped(text))</failure>\n"
        return open + inner + "    </testcase>\n"
    }

    /// Escapes a text. XML 1.0 section 2.2 forbids most control characters even in escaped form.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: result += "&amp;"
            case 0x3c: result += "&lt;"
            case 0x3e: result += "&gt;"
            case 0x22: result += "&quot;"
            case 0x09, 0x0a, 0x0d: result += "&#\(scalar.value);"
            case ..<0x20, 0x7f...0x9f, 0xfffe, 0xffff: result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
