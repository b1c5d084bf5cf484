import SSOShared

/// The decision of a system about a link.
public enum LinkDecision: String, Sendable, Hashable, CaseIterable {
    case opens
    /// No rule matches, so the link opens the browser.
    case noMatch = "no match"
    /// A rule excludes the link, so it opens the browser.
    case excluded
    /// Android only: the file has no rules for the app, or Android discards all of them. The app opens only the links
    /// that the intent filters of its manifest match.
    case manifestDecides = "manifest decides"
}

/// The reasons why a link opens an app or not: every rule that was tried, in order, and the open questions.
public struct LinkExplanation: Sendable {
    public let decision: LinkDecision
    /// The rules in the order in which they were tried. If the last one matches, it decided.
    public let trials: [RuleTrial]
    /// The deciding rule or reason, in one sentence.
    public let summary: String
    /// Open questions about the system that could change the decision.
    public let disputes: [LinkDispute]

    /// The deciding rule, or `nil` if no rule matched.
    public var deciding: RuleTrial? { trials.last.flatMap { $0.matches ? $0 : nil } }
    public var isDisputed: Bool { !disputes.isEmpty }
    /// Whether the search took too long and ended without an answer. ``decision`` is then ``LinkDecision/noMatch``.
    public let isGivenUp: Bool
    /// Whether the files say what happens. False if only the app's manifest can, and if the search took too long.
    public var isDecided: Bool { decision != .manifestDecides && !isGivenUp }

    init(
        _ decision: LinkDecision, _ trials: [RuleTrial], _ summary: String, _ disputes: [LinkDispute],
        isGivenUp: Bool = false
    ) {
        self.decision = decision
        self.trials = trials
        self.summary = summary
        self.disputes = disputes
        self.isGivenUp = isGivenUp
    }
}

public enum EvidenceMark: String, Sendable, Hashable {
    /// The vendor's documentation or engineers state it.
    case documented
    /// It was observed on the vendor's own system and is not documented.
    case observed
}

/// The result of one rule for one URL.
public struct RuleTrial: Sendable {
    /// The index of the entry in `details`, or of the statement in the list. The count starts at 0.
    public let entry: Int
    /// The index of the rule in its `components` or `paths`. The count starts at 0.
    public let rule: Int
    /// The range of the rule in ``JSONDocument/text``.
    public let range: Range<Int>
    /// The JSON Pointer (RFC 6901) of the rule.
    public let pointer: String
    public let isExclude: Bool
    /// The comparisons, in order, up to the first part that does not match.
    public let parts: [PartTrial]
    public let mark: EvidenceMark
    /// Ignored values, and options from another place. Each is a part of a sentence.
    public var notes: [String] = []

    public var matches: Bool { parts.allSatisfy(\.matches) }
}

extension [RuleTrial] {
    /// The deciding rule in one sentence.
    var summary: String {
        guard let last, last.matches else {
            return "\(count == 1 ? "The one rule does not match" : "None of the \(count) rules matches"): the browser."
        }
        let verb = last.isExclude ? "keeps it out of the app" : "opens the app"
        return "The first rule that matches \(verb): \(last.pointer)."
    }
}

/// The result of one pattern for one part of a URL.
public struct PartTrial: Sendable {
    public enum Part: Sendable, Hashable {
        case path
        case query
        case item(name: String)
        case fragment
    }

    public let part: Part
    /// The pattern as written.
    public let pattern: String
    public let origin: ValueOrigin
    /// The range of the pattern in ``JSONDocument/text``, or `nil` if it is built in.
    public let range: Range<Int>?
    /// The compared text as the rule reads it; of a repeated item, the deciding value. `nil` if the URL has none.
    public let text: String?
    public let matches: Bool
    /// The reason if it is not obvious, as a part of a sentence.
    public let note: String?
    public let mark: EvidenceMark
}

/// An open question about the behaviour of a system.
public struct LinkDispute: Sendable, Hashable {
    /// A stable name, for example `both-rules`.
    public let code: String
    public let question: String
    /// The decision of this library and its evidence.
    public let taken: String
    /// The other position and its source.
    public let other: String
    /// The decision under the other position.
    public let otherwise: LinkDecision
}

/// Notes on a rule besides its patterns: ignored values, and values from `defaults`. Each is a part of a sentence.
struct RuleNotes {
    private let entries: [Int: AppLinksEntry]
    private let applinks: AppLinks?

    init(_ file: AASAFile) {
        applinks = file.applinks.value
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
        if let written, let applinks { layers += written.defaults(in: applinks) }
        return layers.flatMap(Self.ignored) + Self.options(rule, layers)
    }

    private static func ignored(_ origin: ValueOrigin, _ fields: ComponentFields) -> [String] {
        let place = origin.inDefaults
        let members = [
            fields.path.wrongMember, fields.query.wrongMember, fields.fragment.wrongMember, fields.exclude.wrongMember,
            fields.caseSensitive.wrongMember, fields.percentEncoded.wrongMember,
        ].compactMap(\.self)
        let typed = members.map {
            "\($0.key.quoted)\(place) is \($0.value.typeName), and counts as if it were not there"
        }
        // The limit keeps the list readable.
        let unknown = fields.unknownMembers.prefix(5).map { "\($0.key.quoted)\(place) is not a key that systems know" }
        return typed + unknown
    }

    private static func options(
        _ rule: AppleRule, _ layers: [(origin: ValueOrigin, fields: ComponentFields)]
    ) -> [String] {
        let merged = MergedFields(layers: layers, wrongTypeKeepsDefault: false)
        var notes: [String] = []
        if rule.reading.contains(.folded) {
            let origin = merged.value(\.caseSensitive, builtIn: true).place.origin
            notes.append("letters in both cases are one: caseSensitive is false\(origin.inDefaults)")
        }
        if rule.reading.contains(.decoded) {
            let origin = merged.value(\.percentEncoded, builtIn: true).place.origin
            notes.append("the address is decoded, the pattern is not: percentEncoded is false\(origin.inDefaults)")
        }
        let origin = rule.places.exclude.origin
        if rule.isExclude, origin.isDefault { notes.append("exclude is true\(origin.inDefaults)") }
        return notes
    }
}
