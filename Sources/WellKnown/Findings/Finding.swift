public import SSOShared

/// A finding of `lint`, `fetch` or `doctor` about a file.
public struct Finding: Sendable, Hashable {
    /// The stable code. ``LintRule/named(_:)`` returns the rule with its page.
    public let code: String
    public let severity: Severity
    /// The error with the values: one sentence in one line.
    public let message: String
    /// The effect of the error, which is usually silent: one sentence.
    public let reason: String
    /// The recommended fix. It contains the correct text if that is known.
    public let fix: String?
    /// The changes of the file that remove the cause. Empty if a program cannot make them.
    public let edits: [TextEdit]
    /// The name of the file, or `nil` if only one file is checked.
    public var file: String?
    /// The position, or `nil` for findings about the whole file.
    public let position: SourcePosition?
    /// The JSON Pointer (RFC 6901) of the position, if there is one.
    public let pointer: String?

    /// `severity`, `reason` and `fix` default to those of the rule.
    public init(
        _ rule: LintRule, _ message: String, severity: Severity? = nil, reason: String? = nil, fix: String? = nil,
        edits: [TextEdit] = [], file: String? = nil, position: SourcePosition? = nil, pointer: String? = nil
    ) {
        code = rule.code
        self.severity = severity ?? rule.severity
        self.message = message
        self.reason = reason ?? rule.reason
        self.fix = fix ?? rule.fix
        self.edits = edits
        self.file = file
        self.position = position
        self.pointer = pointer
    }
}

extension [Finding] {
    /// The findings with the name of their file.
    func of(_ file: String) -> [Finding] {
        map { finding in
            var finding = finding
            finding.file = file
            return finding
        }
    }
}

public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
    case info
    /// The file works only partly, is risky, or depends on the reader.
    case warning
    /// The file does not work.
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

/// One rule of the catalogue: a stable code and the content of its page.
public struct LintRule: Sendable, Hashable {
    /// `group.name`. Codes are never renamed or reused.
    public let code: String
    /// The usual severity. A finding may have another one.
    public let severity: Severity
    /// The error in general. It is the title of the page.
    public let title: String
    /// The silent effect of the error.
    public let reason: String
    public let fix: String
    public let source: String
    /// A file with this error and no finding of a higher severity. `nil` if the text alone cannot show the error.
    public let wrong: LintExample?
    /// The same file without the error. `nil` for any sound file.
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

/// An example for a rule. Tests lint both examples of each rule.
public struct LintExample: Sendable, Hashable {
    public let kind: AssociationKind
    public let text: String
    /// The oldest iOS version, if the rule depends on it.
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
