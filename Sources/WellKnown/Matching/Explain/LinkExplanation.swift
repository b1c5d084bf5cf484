import SSOShared

/// Why a link opens an app or not: every rule that was tried, in order, and what is not certain about it.
public struct LinkExplanation: Sendable {
    public let decision: LinkDecision
    /// The rules in the order in which they were tried. The last one decided when it matches; none follows it.
    public let trials: [RuleTrial]
    /// What decided, in one sentence.
    public let summary: String
    /// Open questions about the system whose other answer would decide otherwise.
    public let disputes: [LinkDispute]

    /// The rule that decided; `nil` when none matched.
    public var deciding: RuleTrial? { trials.last.flatMap { $0.matches ? $0 : nil } }
    public var isDisputed: Bool { !disputes.isEmpty }

    init(_ decision: LinkDecision, _ trials: [RuleTrial], _ summary: String, _ disputes: [LinkDispute]) {
        self.decision = decision
        self.trials = trials
        self.summary = summary
        self.disputes = disputes
    }
}

/// How one is to know.
public enum EvidenceMark: String, Sendable, Hashable {
    /// The vendor writes so, or its engineers have said so.
    case documented
    /// Seen on the vendor's own system, written nowhere.
    case observed
    /// Sources differ, or nobody has shown it.
    case disputed
}

/// One rule and one address.
public struct RuleTrial: Sendable {
    /// The place of the entry in `details`, or of the statement in the list; from 0.
    public let entry: Int
    /// The place of the rule in its `components` or `paths`; from 0.
    public let rule: Int
    /// Where the rule stands, in ``JSONDocument/text``.
    public let range: Range<Int>
    /// The same place as an RFC 6901 pointer.
    public let pointer: String
    public let isExclude: Bool
    /// Where `exclude` comes from.
    public let excludeOrigin: ValueOrigin
    /// What was compared, in order, up to the first part that does not match.
    public let parts: [PartTrial]
    public let mark: EvidenceMark
    /// What the rule does not say where it is read: values that systems ignore, and options that come from elsewhere.
    /// Half a sentence each.
    public var notes: [String] = []

    public var matches: Bool { parts.allSatisfy(\.matches) }
}

/// One part of an address and one pattern.
public struct PartTrial: Sendable {
    public enum Part: Sendable, Hashable {
        case path
        case query
        case item(name: String)
        case fragment
    }

    public let part: Part
    /// As written.
    public let pattern: String
    public let origin: ValueOrigin
    /// Where the pattern stands, in ``JSONDocument/text``; `nil` for what is built in.
    public let range: Range<Int>?
    /// What was compared, as the rule reads it; of a repeated item, the value that decided. `nil` when the address has
    /// no such part.
    public let text: String?
    public let matches: Bool
    /// Why, when it is not plain to see: a half sentence.
    public let note: String?
    public let mark: EvidenceMark
}

/// A question about a system that nobody has settled.
public struct LinkDispute: Sendable, Hashable {
    /// A stable name, for example `both-rules`.
    public let code: String
    public let question: String
    /// How this library decides, and on what evidence.
    public let taken: String
    /// The other position, and who holds it.
    public let other: String
    /// What would be decided then.
    public let otherwise: LinkDecision
}
