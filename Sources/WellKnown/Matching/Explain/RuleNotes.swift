import SSOShared

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
