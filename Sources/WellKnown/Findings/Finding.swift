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

/// The severity of a finding.
public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
    /// Information only.
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

/// One entry of the catalogue: a code that never changes, and what its page says.
public struct LintRule: Sendable, Hashable {
    /// `group.name`. Codes are added, never renamed or used again.
    public let code: String
    /// The usual severity; a finding may carry another where the two files differ.
    public let severity: Severity
    /// What is wrong, in general: the page's title.
    public let title: String
    /// What fails silently.
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
    /// Set if the rule needs it.
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
