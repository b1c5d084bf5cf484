import Foundation
import WellKnown

/// Writes findings as JUnit XML with one suite per file and one case per finding.
///
/// Findings at or above the threshold are failures. All others are skipped cases, so that the report does not fail when
/// the build passes. Format: Ant's JUnit schema (github.com/windyroad/JUnit-Schema), which is the strictest in use: no
/// attributes on `testsuites`, and every attribute and element of a suite. The schemas of build servers allow all that.
enum FindingJUnit {
    /// - Parameter date: the time of the run.
    static func render(_ files: [CheckedFile], failOn threshold: FailThreshold, date: Date = Date()) -> String {
        let time = date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
        let suites = files.enumerated().map { suite($0.element, id: $0.offset, time, threshold) }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites.joined() + "</testsuites>\n"
    }

    private static func suite(_ file: CheckedFile, id: Int, _ time: String, _ threshold: FailThreshold) -> String {
        var cases = file.findings.map { testCase($0, in: file.name, isFailure: threshold.isReached(by: [$0])) }
        if let failure = file.failure {
            cases.append(
                "    <testcase name=\"readable\" classname=\"\(escaped(file.name))\" time=\"0\">\n"
                    + "      <error type=\"unreadable\" message=\"\(escaped(failure))\"/>\n    </testcase>\n")
        }
        if cases.isEmpty {
            cases = ["    <testcase name=\"no findings\" classname=\"\(escaped(file.name))\" time=\"0\"/>\n"]
        }
        let failures = file.findings.count { threshold.isReached(by: [$0]) }
        let errors = file.failure == nil ? 0 : 1
        let skipped = file.findings.count - failures
        return "  <testsuite id=\"\(id)\" package=\"wellknown\" name=\"\(escaped(file.name))\" hostname=\"localhost\" "
            + "timestamp=\"\(time)\" time=\"0\" tests=\"\(cases.count)\" failures=\"\(failures)\" "
            + "errors=\"\(errors)\" skipped=\"\(skipped)\">\n    <properties/>\n" + cases.joined()
            + "    <system-out/>\n    <system-err/>\n  </testsuite>\n"
    }

    private static func testCase(_ finding: Finding, in name: String, isFailure: Bool) -> String {
        let place = finding.position.map { " \($0)" } ?? ""
        let open =
            "    <testcase name=\"\(escaped(finding.code + place))\" classname=\"\(escaped(name))\" time=\"0\">\n"
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
