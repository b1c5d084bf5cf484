import SSOShared

/// What a system does with a link.
public enum LinkDecision: String, Sendable, Hashable, CaseIterable {
    /// The app opens.
    case opens
    /// No rule speaks of it: the browser.
    case noMatch = "no match"
    /// A rule keeps it out of the app: the browser.
    case excluded
    /// Android only: the file has no rules for the app, or Android discards them all. The app opens what the intent
    /// filters of its manifest name, and nothing else.
    case manifestDecides = "manifest decides"
}

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
    /// Sources differ, or there is no evidence.
    case disputed
}

/// One rule and one address.
public struct RuleTrial: Sendable {
    /// The place of the entry in `details`, or of the statement in the list; from 0.
    public let entry: Int
    /// The place of the rule in its `components` or `paths`; from 0.
    public let rule: Int
    /// The place of the rule in ``JSONDocument/text``.
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
    /// The place of the pattern in ``JSONDocument/text``, or `nil` if it is built in.
    public let range: Range<Int>?
    /// What was compared, as the rule reads it; of a repeated item, the value that decided. `nil` when the address has
    /// no such part.
    public let text: String?
    public let matches: Bool
    /// Why, when it is not plain to see: a half sentence.
    public let note: String?
    public let mark: EvidenceMark
}

/// An open question about the behaviour of a system.
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

/// What decides about a rule besides its patterns, in half sentences: what is ignored of it, and what `defaults` add.
struct RuleNotes {
    private let entries: [Int: AppLinksEntry]
    private let defaults: ComponentFields?

    init(_ file: AASAFile) {
        let applinks = file.applinks.value
        defaults = applinks?.defaults.value
        entries = Dictionary(
            (applinks?.details.value?.entries ?? []).map { ($0.node.range.lowerBound, $0) }
        ) { first, _ in first }
    }

    func notes(on rule: AppleRule, of entry: AppleEntry) -> [String] {
        let written = entries[entry.range.lowerBound]
        var layers: [(origin: ValueOrigin, fields: ComponentFields)] = []
        if !rule.isPath, let components = written?.components.value, components.indices.contains(rule.index),
            let fields = components[rule.index].fields
        {
            layers.append((.component, fields))
        }
        if let own = written?.defaults.value { layers.append((.entryDefaults, own)) }
        if let defaults { layers.append((.applinksDefaults, defaults)) }
        return layers.flatMap(Self.ignored) + Self.options(rule, layers)
    }

    private static func ignored(_ origin: ValueOrigin, _ fields: ComponentFields) -> [String] {
        let place = origin == .component ? "" : " in the \(origin.rawValue)"
        let members = [
            fields.path.wrongMember, fields.query.wrongMember, fields.fragment.wrongMember, fields.exclude.wrongMember,
            fields.caseSensitive.wrongMember, fields.percentEncoded.wrongMember,
        ].compactMap(\.self)
        let typed = members.map {
            "\($0.key.quoted)\(place) is \($0.value.typeName), and counts as if it were not there"
        }
        // Nobody reads a list of a thousand.
        let unknown = fields.unknownMembers.prefix(5).map { "\($0.key.quoted)\(place) is no key that systems know" }
        return typed + unknown
    }

    private static func options(
        _ rule: AppleRule, _ layers: [(origin: ValueOrigin, fields: ComponentFields)]
    ) -> [String] {
        let merged = MergedFields(layers: layers, wrongTypeKeepsDefault: false)
        var notes: [String] = []
        if rule.reading.contains(.folded) {
            let origin = merged.value(\.caseSensitive, builtIn: true).origin
            notes.append("letters in both cases are one: caseSensitive is false\(place(origin))")
        }
        if rule.reading.contains(.decoded) {
            let origin = merged.value(\.percentEncoded, builtIn: true).origin
            notes.append("the address is decoded, the pattern is not: percentEncoded is false\(place(origin))")
        }
        if rule.isExclude, [.entryDefaults, .applinksDefaults].contains(rule.excludePlace.origin) {
            notes.append("exclude is true\(place(rule.excludePlace.origin))")
        }
        return notes
    }

    private static func place(_ origin: ValueOrigin) -> String {
        origin == .component || origin == .builtIn ? "" : " in the \(origin.rawValue)"
    }
}

extension JSONField {
    fileprivate var wrongMember: JSONMember? { if case .wrongType(let member) = self { member } else { nil } }
}
