/// One entry of the catalogue: a code that never changes, and what its page says.
public struct LintRule: Sendable, Hashable {
    /// `group.name`. Codes are added, never renamed or used again.
    public let code: String
    /// The usual severity; a finding may carry another where the two files differ.
    public let severity: Severity
    /// What is wrong, in general: the page's title.
    public let title: String
    /// What fails in silence.
    public let reason: String
    /// What to do about it.
    public let fix: String
    /// Where the rule comes from.
    public let source: String

    public init(
        _ code: String, _ severity: Severity, _ title: String, reason: String, fix: String, source: String
    ) {
        self.code = code
        self.severity = severity
        self.title = title
        self.reason = reason
        self.fix = fix
        self.source = source
    }
}
