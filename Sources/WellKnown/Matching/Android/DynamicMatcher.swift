public import SSOShared

/// Decides what Android does with a link, by the dynamic rules of one app. The rules apply to devices with Google
/// services from Android 15 on. Older versions ignore the rules and use only the manifest.
///
/// Sources: Google, "Configure assetlinks.json" and "Test App Links"; AOSP `UriRelativeFilter`,
/// `UriRelativeFilterGroup`, `PatternMatcher`.
public struct DynamicMatcher: Sendable {
    /// A malformed or empty field. One such field makes Android discard all rules.
    public struct Flaw: Sendable, Hashable {
        /// The range in ``JSONDocument/text``.
        public let range: Range<Int>
        /// The error as a part of a sentence.
        public let reason: String
        public let isDisputed: Bool
    }

    struct Rule: Sendable {
        struct Item: Sendable {
            let name: String
            let pattern: DynamicPattern
            let range: Range<Int>
        }

        let index: Int
        let range: Range<Int>
        let path: DynamicPattern?
        let pathRange: Range<Int>?
        let items: [Item]
        let fragment: DynamicPattern?
        let fragmentRange: Range<Int>?
        let isExclude: Bool
    }

    /// The reasons why Android discards the rules. Empty if it uses them.
    public let flaws: [Flaw]
    let rules: [Rule]
    /// The JSON Pointer of the list.
    let pointer: String
    /// The index of the statement in the list.
    let statement: Int

    public init(_ components: [DynamicComponent]) { self.init(components, pointer: "", statement: 0) }

    init(_ components: [DynamicComponent], pointer: String, statement: Int, flaws: [Flaw] = []) {
        self.pointer = pointer
        self.statement = statement
        self.flaws = flaws + components.flatMap(Self.flaws)
        rules = components.enumerated().map(Self.rule)
    }

    /// Reads a member of `relation_extensions`, or such an object alone. Returns `nil` without rules.
    public init?(declaredIn node: JSONNode) {
        guard let members = node.object else { return nil }
        self.init(
            JSONField(StaticString("dynamic_app_link_components"), in: members) {
                $0.array?.map(DynamicComponent.init)
            }, pointer: "/\(RelationExtension.componentsKey)", statement: 0)
    }

    init?(_ field: JSONField<[DynamicComponent]>, pointer: String, statement: Int) {
        switch field {
        case .absent: return nil
        case .wrongType(let member):
            let flaw = Flaw(
                range: member.value.range, reason: "the list of rules is \(member.value.typeName)", isDisputed: false)
            self.init([], pointer: pointer, statement: statement, flaws: [flaw])
        case .present(let components, _): self.init(components, pointer: pointer, statement: statement)
        }
    }

    /// The decision. ``LinkDecision/manifestDecides`` if there are no rules or Android discards them.
    public func decide(_ url: LinkURL) -> LinkDecision { decide(url, DynamicAssumptions()) }

    func decide(_ url: LinkURL, _ assumptions: DynamicAssumptions) -> LinkDecision {
        guard !rules.isEmpty, assumptions.ignoresFlaws || flaws.isEmpty else { return .manifestDecides }
        if assumptions.refusesPorts, url.hasUnusualPort { return .noMatch }
        let texts = DynamicTexts(url)
        guard let rule = rules.first(where: { $0.matches(texts, assumptions) }) else { return .noMatch }
        return rule.isExclude ? .excluded : .opens
    }

    private static func rule(_ index: Int, _ component: DynamicComponent) -> Rule {
        Rule(
            index: index, range: component.node.range, path: component.path.value.map { DynamicPattern($0) },
            pathRange: component.path.member?.value.range,
            items: (component.query.value ?? []).map {
                .init(
                    name: $0.name, pattern: DynamicPattern($0.pattern, after: $0.name + "="),
                    range: $0.member.value.range)
            }, fragment: component.fragment.value.map { DynamicPattern($0) },
            fragmentRange: component.fragment.member?.value.range, isExclude: component.exclude.value ?? false)
    }

    private static func flaws(_ component: DynamicComponent) -> [Flaw] {
        guard component.isObject else {
            return [Flaw(range: component.node.range, reason: "a rule is not an object", isDisputed: false)]
        }
        var flaws: [Flaw] = []
        func check<Value>(_ field: JSONField<Value>, _ name: String, _ isEmpty: (Value) -> Bool) {
            switch field {
            case .absent: break
            case .wrongType(let member):
                flaws.append(
                    Flaw(range: member.value.range, reason: "\(name) is \(member.value.typeName)", isDisputed: false))
            case .present(let value, let member) where isEmpty(value):
                flaws.append(Flaw(range: member.value.range, reason: "\(name) is empty", isDisputed: false))
            case .present: break
            }
        }
        check(component.path, "\"/\"", \.isEmpty)
        check(component.fragment, "\"#\"", \.isEmpty)
        check(component.exclude, "exclude") { _ in false }
        check(component.query, "\"?\"", \.isEmpty)
        for item in component.query.value ?? [] where item.name.isEmpty || item.pattern.isEmpty {
            flaws.append(
                Flaw(range: item.member.value.range, reason: "the item \"\(item.name)\" is empty", isDisputed: false))
        }
        if component.path.isAbsent, component.query.isAbsent, component.fragment.isAbsent {
            flaws.append(
                Flaw(range: component.node.range, reason: "a rule has none of \"/\", \"?\" and \"#\"", isDisputed: true)
            )
        }
        return flaws
    }
}

/// Assumptions about Android's behaviour where Google does not document it.
struct DynamicAssumptions: Sendable, Hashable {
    /// Whether a star backtracks if the rest does not match.
    var goesBack = false
    /// Whether an item without `=` has an empty value.
    var readsValueless = false
    /// Whether malformed and empty fields have no effect on the other rules.
    var ignoresFlaws = false
    /// Whether a wildcard directly after a star is a plain character.
    var readsNextLiterally = false
    var refusesPorts = false
}

extension DynamicMatcher.Rule {
    func matches(_ texts: DynamicTexts, _ assumptions: DynamicAssumptions) -> Bool {
        // AOSP: a group without filters never matches.
        guard path != nil || fragment != nil || !items.isEmpty else { return false }
        if let path, !path.matches(texts.path, assumptions) { return false }
        for item in items where item.match(in: texts, assumptions) == nil { return false }
        guard let fragment else { return true }
        return texts.fragment.map { fragment.matches($0, assumptions) } ?? false
    }
}

extension DynamicMatcher.Rule.Item {
    /// The first item of the query that matches. One matching item is enough.
    func match(in texts: DynamicTexts, _ assumptions: DynamicAssumptions) -> [Unicode.Scalar]? {
        texts.items?.first { item in
            if pattern.matches(item, assumptions) { return true }
            return assumptions.readsValueless && !item.contains("=") && pattern.matches(item + ["="], assumptions)
        }
    }
}

/// The parts of a URL as Android reads them: decoded. Absent and empty parts differ.
///
/// Source: AOSP `android.content.UriRelativeFilter` over `android.net.Uri`.
struct DynamicTexts {
    let path: [Unicode.Scalar]
    /// The decoded query's items as `name=value`, or `nil` without a query. Android decodes it before it is split.
    let items: [[Unicode.Scalar]]?
    let fragment: [Unicode.Scalar]?

    init(_ url: LinkURL) {
        func decoded(_ range: Range<Int>) -> [Unicode.Scalar] {
            let text = url.bytes[range]
            guard text.contains(0x25) else { return text.map { Unicode.Scalar($0) } }
            return Array(String(decoding: PercentCoding.decodeLeniently(text), as: UTF8.self).unicodeScalars)
        }
        path = decoded(url.pathRange)
        fragment = url.fragmentRange.map(decoded)
        items = url.queryRange.map { range in
            let query = decoded(range)
            let items = Self.split(query, "&")
            return items.count == 1 ? Self.split(query, ";") : items
        }
    }

    /// Splits like Java's `String.split`: empty parts at the end are dropped, unless all parts are empty.
    private static func split(_ text: [Unicode.Scalar], _ separator: Unicode.Scalar) -> [[Unicode.Scalar]] {
        var pieces = text.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
        while pieces.count > 1, pieces.last?.isEmpty == true { pieces.removeLast() }
        return pieces
    }
}
