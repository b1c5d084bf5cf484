import SSOShared
import WellKnown

/// One line of the report: the values of the same setting in two places.
struct DoctorLine: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both places have the same value.
        case agrees
        /// The values differ, and links fail.
        case differs
        /// Links work at the moment, but the line needs attention.
        case caution
        /// One of the places was not given or does not contain the value.
        case notChecked = "not checked"
    }

    /// A place and its value, which may quote a file.
    struct Side: Sendable, Hashable {
        let place: String
        let value: String
        /// The line and column in the file of the place, if the value is at one.
        let position: SourcePosition?

        init(_ place: String, _ value: String, at position: SourcePosition? = nil) {
            (self.place, self.value, self.position) = (place, value, position)
        }
    }

    /// The subject of the line that reports whether the server's file can be parsed.
    static let file = "the file"
    /// The subjects of the lines about what the services answer.
    static let appleCopy = "Apple's copy"
    static let googleAnswer = "Google's answer"

    let platform: LinkPlatform
    /// The compared setting, for example "the app's id".
    let subject: String
    let left: Side
    let right: Side
    let verdict: Verdict
    /// The recommended fix in one or two sentences, or `nil`.
    let advice: String?

    init(
        _ platform: LinkPlatform, _ subject: String, _ left: Side, _ right: Side, _ verdict: Verdict,
        _ advice: String? = nil
    ) {
        (self.platform, self.subject, self.left, self.right) = (platform, subject, left, right)
        (self.verdict, self.advice) = (verdict, advice)
    }
}

extension [DoctorLine] {
    /// Whether no line differs. Unchecked lines do not count.
    var isHealthy: Bool { allSatisfy { $0.verdict != .differs } }
    /// Whether at least one comparison was made. A parsed file alone is not a comparison.
    var isConclusive: Bool {
        contains { $0.verdict != .notChecked && !($0.subject == DoctorLine.file && $0.verdict == .agrees) }
    }
    /// Whether a line about links differs. Other services of the domain, such as passwords, do not count.
    var isAboutLinks: Bool { contains { $0.verdict == .differs && !$0.subject.hasPrefix("the service ") } }
}
