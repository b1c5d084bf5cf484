import SSOShared

/// Compiles the rules of an apple-app-site-association file.
///
/// Sources: Apple, "applinks.Details.Components" and "applinks.Defaults"; WWDC 2019 session 717; WWDC 2020 session
/// 10098; the behaviour of `swcutil`.
struct AppleCompiler {
    let file: AASAFile
    let assumptions: MatchingAssumptions
    private var patterns: PatternCompiler

    init(_ file: AASAFile, _ assumptions: MatchingAssumptions) {
        self.file = file
        self.assumptions = assumptions
        let variables = file.applinks.value?.substitutionVariables.value ?? []
        patterns = PatternCompiler(SubstitutionVariables(variables, prefersOwn: assumptions.redefines))
    }

    mutating func entries(only: String?) -> [AppleEntry] {
        guard let applinks = file.applinks.value, let details = applinks.details.value else { return [] }
        let places = Self.places(details, in: applinks.details.member?.value)
        var entries: [AppleEntry] = []
        for (entry, place) in zip(details.entries, places) {
            let apps = apps(of: entry)
            guard !apps.isEmpty, only.map(apps.contains) ?? true else { continue }
            entries.append(
                AppleEntry(
                    index: place, key: entry.key?.key, range: entry.node.range, apps: apps,
                    rules: rules(of: entry, applinks)))
        }
        return entries
    }

    /// The index of each entry in `details` as written. Elements that are not objects count.
    private static func places(_ details: AppLinksDetails, in node: JSONNode?) -> [Int] {
        let nodes = node?.array ?? node?.object?.map(\.value) ?? []
        return nodes.indices.filter { nodes[$0].object != nil }
    }

    private func apps(of entry: AppLinksEntry) -> [String] {
        guard assumptions.unitesAppIDs, entry.key == nil, let app = entry.appID.value else { return entry.apps }
        return entry.apps.contains(app) ? entry.apps : entry.apps + [app]
    }

    private mutating func rules(of entry: AppLinksEntry, _ applinks: AppLinks) -> [AppleRule] {
        let layers = entry.defaults(in: applinks)
        var rules: [AppleRule] = []
        let isMixed = entry.components.value != nil && entry.paths.value != nil
        let kind = isMixed ? assumptions.mixedRules : .componentsThenPaths
        if let components = entry.components.value, kind == .components || kind == .componentsThenPaths {
            for (index, component) in components.enumerated() {
                // Elements that are not objects are not rules.
                guard let fields = component.fields else { continue }
                rules.append(rule(index, component.node, [(.component, fields)] + layers))
            }
        }
        if let paths = entry.paths.value, kind == .paths || kind == .componentsThenPaths {
            for (index, node) in paths.enumerated() {
                guard let path = node.string else { continue }
                rules.append(rule(index, node, path: path, assumptions.defaultsReachPaths ? layers : []))
            }
        }
        return rules
    }

    private mutating func rule(
        _ index: Int, _ node: JSONNode, path: String? = nil, _ layers: [(origin: ValueOrigin, fields: ComponentFields)]
    ) -> AppleRule {
        let merged = MergedFields(layers: layers, wrongTypeKeepsDefault: assumptions.wrongTypeKeepsDefault)
        var reading: LinkReading = []
        if !merged.value(\.caseSensitive, builtIn: true).content { reading.insert(.folded) }
        if !merged.value(\.percentEncoded, builtIn: true).content { reading.insert(.decoded) }
        let folds = reading.contains(.folded)

        // `NOT ` before a path excludes the path (Apple, archived "App Search Programming Guide").
        let isNot = path?.utf8.starts(with: "NOT ".utf8) ?? false
        let written = path.map { isNot ? String(decoding: $0.utf8.dropFirst(4), as: UTF8.self) : $0 }
        let own = AppleRule.Place(range: node.range, origin: .path)
        let pathValue = written.map { (content: $0, place: own) } ?? merged.value(\.path, builtIn: "*")
        let query = merged.value(\.query, builtIn: .whole("*"))
        let fragment = merged.value(\.fragment, builtIn: "*")
        let exclude = isNot ? (content: true, place: own) : merged.value(\.exclude, builtIn: false)
        let (pattern, keepsSlash) = self.path(pathValue.content, reading, isLegacy: path != nil)
        return AppleRule(
            index: index, isPath: path != nil, range: node.range, reading: reading, path: pattern,
            pathKeepsSlash: keepsSlash, query: self.query(query.content, folds: folds),
            fragment: other(fragment.content, folds: folds), isExclude: exclude.content,
            places: .init(path: pathValue.place, query: query.place, fragment: fragment.place, exclude: exclude.place))
    }

    private mutating func path(
        _ source: String, _ reading: LinkReading, isLegacy: Bool
    ) -> (LinkPattern, keepsSlash: Bool) {
        let expands = !isLegacy || assumptions.expandsInPaths
        if source.isEmpty, !assumptions.emptyPathIsRoot {
            return (LinkPattern(source: source, code: [], undefined: [""]), false)
        }
        let keepsSlash = assumptions.starTakesFirstSlash && source.utf8.first == 0x2a
        var pattern = patterns.pattern(
            folded(source, reading.contains(.folded)), .path, folds: reading.contains(.folded), expands: expands)
        if assumptions.bareNeedsPlainStar, pattern.hasUnplainBareForm { pattern = pattern.withoutBareForm }
        guard assumptions.innerStarStopsAtSlash else { return (pattern, keepsSlash) }
        return (pattern.withInnerStarsInsideSegments, keepsSlash)
    }

    private mutating func query(_ query: QueryPattern, folds: Bool) -> AppleRule.Query {
        switch query {
        case .whole(let source): return .whole(other(source, folds: folds))
        case .items(let items):
            // The last of duplicate items counts, as for every key.
            var latest: [[UInt8]: Int] = [:]
            for (index, item) in items.enumerated() { latest[Array(item.name.utf8)] = index }
            return .items(
                latest.values.sorted().map { index in
                    let item = items[index]
                    return AppleRule.Item(
                        name: Array(item.name.utf8), pattern: other(item.pattern, folds: folds),
                        range: item.member.value.range)
                })
        }
    }

    private mutating func other(_ source: String, folds: Bool) -> LinkPattern {
        source == "*" ? .anything : patterns.pattern(folded(source, folds), .other, folds: folds)
    }

    private func folded(_ source: String, _ folds: Bool) -> String {
        folds && assumptions.foldsUnicode && !source.utf8.contains(0x24) ? source.lowercased() : source
    }
}

/// The origin of a value of a rule.
public enum ValueOrigin: String, Sendable, Hashable {
    case component
    /// An element of the legacy `paths`.
    case path
    case entryDefaults = "defaults of the entry"
    case applinksDefaults = "defaults of applinks"
    case builtIn = "built in"

    var isDefault: Bool { self == .entryDefaults || self == .applinksDefaults }

    /// The place of a value that is not in the rule itself, as the end of a sentence.
    var inDefaults: String { isDefault ? " in the \(rawValue)" : "" }
}

extension AppLinksEntry {
    /// The defaults of the entry, the nearest first.
    func defaults(in applinks: AppLinks) -> [(origin: ValueOrigin, fields: ComponentFields)] {
        let own = defaults.value.map { [(origin: ValueOrigin.entryDefaults, fields: $0)] } ?? []
        return own + (applinks.defaults.value.map { [(origin: ValueOrigin.applinksDefaults, fields: $0)] } ?? [])
    }
}

/// A component and its defaults, key by key.
struct MergedFields: Sendable {
    let layers: [(origin: ValueOrigin, fields: ComponentFields)]
    let wrongTypeKeepsDefault: Bool

    /// The value of the first layer that has the key. One of the wrong type hides later layers and counts as absent.
    func value<Content: Sendable>(
        _ field: (ComponentFields) -> JSONField<Content>, builtIn: Content
    ) -> (content: Content, place: AppleRule.Place) {
        for layer in layers {
            switch field(layer.fields) {
            case .absent: continue
            case .wrongType where wrongTypeKeepsDefault: continue
            case .wrongType(let member): return (builtIn, .init(range: member.value.range, origin: .builtIn))
            case .present(let content, let member):
                return (content, .init(range: member.value.range, origin: layer.origin))
            }
        }
        return (builtIn, .init(range: nil, origin: .builtIn))
    }
}
