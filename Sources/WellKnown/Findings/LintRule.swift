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
    /// A file that has the fault, and nothing worse; `nil` where a text alone cannot show it.
    public let wrong: LintExample?
    /// The same without the fault.
    public let right: LintExample?

    public init(
        _ code: String, _ severity: Severity, _ title: String, reason: String, fix: String, source: String,
        wrong: LintExample? = nil, right: LintExample? = nil
    ) {
        self.code = code
        self.severity = severity
        self.title = title
        self.reason = reason
        self.fix = fix
        self.source = source
        self.wrong = wrong
        self.right = right
    }
}

/// A text that shows a rule at work. Tests lint both of a rule: the page says nothing that is not so.
public struct LintExample: Sendable, Hashable {
    public let kind: AssociationKind
    public let text: String
    /// Set where the rule needs it.
    public let minimumIOS: SystemVersion?

    public init(_ kind: AssociationKind, _ text: String, minimumIOS: SystemVersion? = nil) {
        self.kind = kind
        self.text = text
        self.minimumIOS = minimumIOS
    }

    public static func aasa(_ text: String, minimumIOS: SystemVersion? = nil) -> LintExample {
        LintExample(.aasa, text, minimumIOS: minimumIOS)
    }

    public static func assetlinks(_ text: String) -> LintExample { LintExample(.assetlinks, text) }
}
