import SSOShared

/// What several parts of ``AASALint`` ask about the file.
///
/// The facts are known before the first part runs and no part changes them, so the parts can run in any order.
struct AASAFacts {
    /// The entries with their numbers, see ``AASALint/entries(_:)``.
    private(set) var entries: [(number: Int, entry: AppLinksEntry)] = []
    /// Offsets of components that set nothing that systems know. They match every address.
    private(set) var empty: Set<Int> = []
    /// Offsets of components that match more than their text says: the empty ones, and those with a pattern that is
    /// ignored because of its type. Each has a finding about that.
    private(set) var wide: Set<Int> = []
    /// Whether a component compares decoded URLs.
    private(set) var decodes = false
    /// The rules of each entry in canonical form, by the offset of the entry.
    private(set) var rulesTexts: [Int: CanonicalText] = [:]
    /// The first entry of another app that gets no link because of a rule for everything, by the entry of that rule.
    private(set) var losers: [Int: AppleEntry] = [:]

    init(_ applinks: AppLinks, _ matcher: AppleMatcher) {
        entries = AASALint.entries(applinks)
        for (_, entry) in entries {
            rulesTexts[entry.node.range.lowerBound] = AASALint.rulesText(entry)
            let defaults = entry.defaults(in: applinks)
            for component in entry.components.value ?? [] {
                if let fields = component.fields { read(fields, at: component.node.range.lowerBound, defaults) }
            }
        }
        readLosers(matcher)
    }

    private mutating func read(
        _ fields: ComponentFields, at place: Int, _ defaults: [(origin: ValueOrigin, fields: ComponentFields)]
    ) {
        func has(_ keys: [String], _ fields: ComponentFields) -> Bool {
            fields.node.object?.contains { keys.contains($0.key) } == true
        }
        let isEmpty =
            !has(ComponentFields.keys.filter { $0 != "comment" }, fields)
            && !defaults.contains { has(["/", "?", "#"], $0.fields) }
        if isEmpty { empty.insert(place) }
        if isEmpty || fields.path.isWrongType || fields.fragment.isWrongType || fields.query.isWrongType {
            wide.insert(place)
        }
        let merged = MergedFields(layers: [(.component, fields)] + defaults, wrongTypeKeepsDefault: false)
        if !merged.value(\.percentEncoded, builtIn: true).content { decodes = true }
    }

    private mutating func readLosers(_ matcher: AppleMatcher) {
        // Entries whose rules open some links and not all. An app with a rule for everything is usually another build.
        let narrow = matcher.entries.filter { entry in
            entry.rules.contains { !$0.isExclude } && !entry.rules.contains { $0.isCatchAll && !$0.isExclude }
        }
        for entry in matcher.entries {
            guard let rule = entry.rules.first(where: \.isCatchAll), !rule.isExclude, isMeant(rule) else { continue }
            let own = Set(entry.apps)
            let others = narrow.drop { $0.index <= entry.index }.prefix(50)
            losers[entry.index] = others.first { own.isDisjoint(with: $0.apps) }
        }
    }

    /// Whether a rule for everything was written as one. One that is so by an ignored value has a finding about that.
    func isMeant(_ rule: AppleRule) -> Bool {
        let place = rule.range.lowerBound
        return !wide.contains(place) || empty.contains(place)
    }
}
