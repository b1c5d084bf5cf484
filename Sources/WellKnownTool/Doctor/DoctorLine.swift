import SSOShared
import WellKnown

/// One line of the report: the values of the same setting in two places.
struct DoctorLine: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both have the same value.
        case agrees
        /// The values differ, and links fail.
        case differs
        /// It works at the moment, but needs attention.
        case caution
        /// One of the places was not given or does not contain the value.
        case notChecked = "not checked"
    }

    enum Platform: String, Sendable, Hashable, CaseIterable {
        case ios = "iOS"
        case android = "Android"
    }

    /// A place and its value, which may quote a file.
    struct Side: Sendable, Hashable {
        let place: String
        let value: String

        init(_ place: String, _ value: String) { (self.place, self.value) = (place, value) }
    }

    /// The subject of the line about whether the server's file can be read.
    static let file = "the file"

    let platform: Platform
    /// What was compared: "the app's id".
    let subject: String
    let left: Side
    let right: Side
    let verdict: Verdict
    /// What to do, in one or two sentences, or `nil`.
    let advice: String?

    init(
        _ platform: Platform, _ subject: String, _ left: Side, _ right: Side, _ verdict: Verdict,
        _ advice: String? = nil
    ) {
        self.platform = platform
        self.subject = subject
        self.left = left
        self.right = right
        self.verdict = verdict
        self.advice = advice
    }
}

extension [DoctorLine] {
    /// No line differs. Lines that were not checked do not count.
    var isHealthy: Bool { allSatisfy { $0.verdict != .differs } }
    /// At least one comparison was made. That a file can be read is not a comparison.
    var isConclusive: Bool {
        contains { $0.verdict != .notChecked && !($0.subject == DoctorLine.file && $0.verdict == .agrees) }
    }
    /// A line about links differs, and not only lines about other services of the domain, such as passwords.
    var isAboutLinks: Bool { contains { $0.verdict == .differs && !$0.subject.hasPrefix("the service ") } }
}
