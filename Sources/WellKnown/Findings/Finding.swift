public import SSOShared

/// Something that `lint`, `fetch` or `doctor` has to say about a file.
public struct Finding: Sendable, Hashable {
    /// The stable code; ``LintRule/named(_:)`` has its page.
    public let code: String
    public let severity: Severity
    /// What is wrong here, with the values at fault: one sentence, one line.
    public let message: String
    /// What happens, unseen, if it stays: one sentence.
    public let reason: String
    /// What to do; the text to write where that is mechanical.
    public let fix: String?
    /// The file it is about, as the reader named it; `nil` for the one file at hand.
    public var file: String?
    /// Where in the file; `nil` for what concerns the whole.
    public let position: SourcePosition?
    /// The JSON Pointer (RFC 6901) of the place; `nil` where there is none.
    public let pointer: String?

    /// `severity` and `fix` come from the rule's own entry unless given.
    public init(
        _ rule: LintRule, _ message: String, severity: Severity? = nil, fix: String? = nil, file: String? = nil,
        position: SourcePosition? = nil, pointer: String? = nil
    ) {
        code = rule.code
        self.severity = severity ?? rule.severity
        self.message = message
        reason = rule.reason
        self.fix = fix ?? rule.fix
        self.file = file
        self.position = position
        self.pointer = pointer
    }
}

/// How bad a finding is.
public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
    /// Good to know.
    case info
    /// Works in part, is risky, or readers differ.
    case warning
    /// Does not work.
    case error

    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        }
    }
}
