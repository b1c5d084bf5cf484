/// One line of the doctor's table: what two places say of the same thing.
public struct DoctorLine: Sendable, Hashable {
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both say the same.
        case agrees
        /// They do not, and links fail.
        case differs
        /// It works, or works for now, and somebody should look at it.
        case caution
        /// One of the places was not given or cannot say.
        case notChecked = "not checked"
    }

    public enum Platform: String, Sendable, Hashable, CaseIterable {
        case ios = "iOS"
        case android = "Android"
    }

    /// A place and what it says. The value may quote a file.
    public struct Side: Sendable, Hashable {
        public let place: String
        public let value: String

        public init(_ place: String, _ value: String) { (self.place, self.value) = (place, value) }
    }

    /// The subject of the line that says whether the server's file can be read.
    public static let file = "the file"

    public let platform: Platform
    /// What was compared: "the app's id".
    public let subject: String
    public let left: Side
    public let right: Side
    public let verdict: Verdict
    /// What to do, one or two sentences; `nil` when nothing is.
    public let advice: String?

    public init(
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
    /// Nothing differs; what was not given does not count.
    public var isHealthy: Bool { allSatisfy { $0.verdict != .differs } }
    /// Something was compared at all: that a file can be read is no comparison.
    public var isConclusive: Bool {
        contains { $0.verdict != .notChecked && !($0.subject == DoctorLine.file && $0.verdict == .agrees) }
    }
    /// What differs concerns other services of the domain, such as passwords: links are not among it.
    public var isAboutLinks: Bool { contains { $0.verdict == .differs && !$0.subject.hasPrefix("the service ") } }
}
