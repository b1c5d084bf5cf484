import SSOShared

/// The rules of one app on either platform as conditions on the parts of a URL, for finding dead rules and differences.
final class LinkRules {
    struct Rule {
        /// The condition on the path in ``LinkSpaces/path``, or `nil` for any path.
        let path: Int?
        let query: [Int]
        let fragment: [Int]
        let isExclude: Bool
        /// The common beginning of all matching paths, unless the rule ignores case.
        let prefix: [UInt8]
        /// URLs that the rule probably matches, tried before any computation.
        let samples: [LinkURL]

        /// What distinguishes the rule from others in the same spaces.
        var conditions: Conditions { Conditions(path: path, query: query, fragment: fragment, isExclude: isExclude) }
    }

    struct Conditions: Hashable {
        let path: Int?
        let query: [Int]
        let fragment: [Int]
        let isExclude: Bool
    }

    /// `nil` for a rule that is too large or reads URLs differently from the others.
    let rules: [Rule?]
    /// URLs that the omitted rules (`nil`) probably match.
    let samples: [LinkURL]
    /// The decision if no rule matches.
    let fallback: LinkDecision
    private let excludes: [Bool]
    /// The index of the deciding rule. `nil` if no rule decides, and if the effort is spent.
    let decider: (LinkURL, inout MatchEffort) -> Int?

    init(
        _ rules: [Rule?], samples: [LinkURL] = [], excludes: [Bool] = [], fallback: LinkDecision,
        decider: @escaping (LinkURL, inout MatchEffort) -> Int?
    ) {
        self.rules = rules
        self.samples = samples
        self.excludes = excludes
        self.fallback = fallback
        self.decider = decider
    }

    /// The rules of a file that all readers reject.
    static var none: LinkRules { LinkRules([], fallback: .noMatch) { _, _ in nil } }

    /// The index of the deciding rule, with the effort of one decision.
    func decider(_ url: LinkURL) -> Int? {
        var effort = MatchEffort()
        return decider(url, &effort)
    }

    /// Whether both have the same rules in the same order. False if that is not certain.
    func decidesLike(_ other: LinkRules) -> Bool {
        guard fallback == other.fallback, rules.count == other.rules.count else { return false }
        return zip(rules, other.rules).allSatisfy { left, right in
            guard let left, let right else { return false }
            return left.conditions == right.conditions
        }
    }

    func decision(of rule: Int?) -> LinkDecision {
        guard let rule else { return fallback }
        return excludes[rule] ? .excluded : .opens
    }
}

/// The conditions of the current rules, part by part.
final class LinkSpaces {
    let path: PartSpace
    let query: PartSpace
    let fragment: PartSpace
    let isDecoded: Bool
    /// Whether an absent query or fragment differs from an empty one. An absent part then does not match.
    let tellsAbsent: Bool

    init(isDecoded: Bool, tellsAbsent: Bool) {
        self.isDecoded = isDecoded
        self.tellsAbsent = tellsAbsent
        let printable = ByteSet(0x21...0x7e).subtracting(ByteSet(#""<>\"#.utf8))
        let legal = isDecoded ? ByteSet(0x20...0xff).subtracting(ByteSet([0x7f])) : printable
        // In a decoded text, a question mark in a path or a number sign in a query was escaped.
        path = PartSpace(legal: isDecoded ? legal : legal.subtracting(ByteSet("?#".utf8)))
        query = PartSpace(legal: isDecoded ? legal : legal.subtracting(ByteSet("#".utf8)))
        fragment = PartSpace(legal: legal)
        path.frame(tellsAbsent ? .rooted : .trimmed)
        if isDecoded { for space in [path, query, fragment] { space.frame(.wellFormed) } }
    }

    /// The queries and fragments that the rules distinguish.
    func atoms(of rules: [LinkRules.Rule?], limit: inout Int) -> (queries: LinkAtoms, fragments: LinkAtoms) {
        let rules = rules.compactMap(\.self)
        let conditions = (Set(rules.flatMap(\.query)).sorted(), Set(rules.flatMap(\.fragment)).sorted())
        let queries = LinkAtoms(query, conditions.0, tellsAbsent: tellsAbsent, limit: &limit)
        return (queries, LinkAtoms(fragment, conditions.1, tellsAbsent: tellsAbsent, limit: &limit))
    }

    /// The URL of these texts, or `nil` if there is none.
    func url(path: [UInt8], query: [UInt8]?, fragment: [UInt8]?) -> LinkURL? {
        let path = path.first == 0x2f ? path : [0x2f] + path
        var text = "https://example.com" + sent(path, "/")
        if let query { text += "?" + sent(query, "/?&=") }
        if let fragment { text += "#" + sent(fragment, "/?") }
        return LinkURL(text)
    }

    private func sent(_ text: [UInt8], _ free: String) -> String {
        guard isDecoded else { return String(decoding: text, as: UTF8.self) }
        let plain = ByteSet(Array("-._~!$'()*+,;:@".utf8) + free.utf8)
        let bytes = text.flatMap { byte in
            byte.isASCIILetter || byte.isASCIIDigit || plain.contains(byte) ? [byte] : PercentCoding.escape(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension AppleMatcher {
    /// The rules of an app in the order in which they are tried, with their entries.
    func orderedRules(of app: String) -> [(entry: AppleEntry, rule: AppleRule)] {
        (entriesOfApp[app] ?? []).flatMap { index in entries[index].rules.map { (entries[index], $0) } }
    }

    /// - Parameter name: distinguishes the variables of two files.
    func linkRules(of app: String, in spaces: LinkSpaces, name: String) -> LinkRules {
        let indices = entriesOfApp[app] ?? []
        var starts: [Int: Int] = [:]
        var count = 0
        for index in indices {
            starts[index] = count
            count += entries[index].rules.count
        }
        let ordered = orderedRules(of: app)
        let rules = ordered.map { try? Self.linkRule($0.rule, spaces, name) }
        // Rules that read URLs differently from the others are compared by examples only.
        let other = LinkSpaces(isDecoded: !spaces.isDecoded, tellsAbsent: false)
        let samples = zip(ordered, rules).flatMap { pair, made in
            made != nil
                ? []
                : RuleSamples.of(
                    pair.rule, in: pair.rule.reading.contains(.decoded) == spaces.isDecoded ? spaces : other
                ).flatMap { [$0] + RuleSamples.otherwiseEncoded($0) }
        }
        return LinkRules(rules, samples: samples, excludes: ordered.map(\.rule.isExclude), fallback: .noMatch) {
            url, effort in
            var texts = AppleTexts(url, self.assumptions)
            guard let found = self.first(in: indices, &texts, &effort), let start = starts[found.entry] else {
                return nil
            }
            return start + found.rule
        }
    }

    private static func linkRule(_ rule: AppleRule, _ spaces: LinkSpaces, _ name: String) throws -> LinkRules.Rule {
        guard rule.reading.contains(.decoded) == spaces.isDecoded else { throw PartSpace.TooLarge() }
        let folds = rule.reading.contains(.folded)
        func condition(_ pattern: LinkPattern, _ space: PartSpace, _ kind: PartTrack.Kind, _ label: String) throws
            -> [Int]
        {
            guard !pattern.isAnything else { return [] }
            let variables = pattern.source.contains("$(") ? name : ""
            return try [
                space.add("\(label) \(folds) \(variables) \(pattern.source)", kind) {
                    PartAutomaton(pattern, folds: folds, isDecoded: spaces.isDecoded)
                }
            ]
        }

        let path = try condition(rule.path, spaces.path, .whole, "path").first
        let query =
            switch rule.query {
            case .whole(let pattern): try condition(pattern, spaces.query, .whole, "query")
            case .items(let items):
                try items.flatMap { item in
                    let label = "item " + item.name.map(String.init).joined(separator: ".")
                    return try condition(item.pattern, spaces.query, .items(name: item.name), label)
                }
            }
        let fragment = try condition(rule.fragment, spaces.fragment, .whole, "fragment")
        return LinkRules.Rule(
            path: path, query: query, fragment: fragment, isExclude: rule.isExclude,
            prefix: folds ? [] : rule.path.prefix, samples: RuleSamples.of(rule, in: spaces))
    }
}

extension DynamicMatcher {
    func linkRules(in spaces: LinkSpaces) -> LinkRules {
        guard flaws.isEmpty, !rules.isEmpty else { return LinkRules([], fallback: .manifestDecides) { _, _ in nil } }
        let made = rules.map { try? Self.linkRule($0, spaces) }
        return LinkRules(made, excludes: rules.map(\.isExclude), fallback: .noMatch) { url, effort in
            // Every rule reads the path and every item.
            effort.left -= self.rules.reduce(0) { $0 + 1 + $1.items.count } * (20 + url.bytes.count / 8)
            if effort.isSpent { return nil }
            let texts = DynamicTexts(url)
            return self.rules.firstIndex { $0.matches(texts, DynamicAssumptions()) }
        }
    }

    private static func linkRule(_ rule: Rule, _ spaces: LinkSpaces) throws -> LinkRules.Rule {
        let path = try rule.path.flatMap { pattern in
            try pattern.steps == [.star] ? nil : spaces.path.add(pattern.source, .whole) { PartAutomaton(pattern) }
        }
        let query = try rule.items.map { item in
            try spaces.query.add("\(item.name.utf8.count) \(item.name) \(item.pattern.source)", .whole) {
                PartAutomaton(item.pattern, isItem: true)
            }
        }
        let fragment = try rule.fragment.map { pattern in
            try spaces.fragment.add(pattern.source, .whole) { PartAutomaton(pattern) }
        }
        let prefix = (rule.path?.steps ?? []).prefix { if case .scalar = $0 { true } else { false } }
        let bytes = prefix.flatMap { step in
            if case .scalar(let scalar) = step { Array(String(scalar).utf8) } else { [UInt8]() }
        }
        return LinkRules.Rule(
            path: path, query: query, fragment: fragment.map { [$0] } ?? [], isExclude: rule.isExclude, prefix: bytes,
            samples: RuleSamples.of(rule, in: spaces))
    }
}

/// The queries or fragments that the rules distinguish. Contains the shortest text of each kind.
struct LinkAtoms {
    struct Atom {
        /// The text, or `nil` if the URL has no such part.
        let text: [UInt8]?
        let meets: Set<Int>

        func fits(_ conditions: [Int]) -> Bool { conditions.allSatisfy(meets.contains) }
    }

    private(set) var atoms: [Atom] = []
    /// Whether the kinds cover every text.
    private(set) var isComplete = true

    private static let limit = 256

    init(_ space: PartSpace, _ conditions: [Int], tellsAbsent: Bool, limit: inout Int) {
        var kinds: Set<Set<Int>> = []
        var atoms: [Atom] = []
        if tellsAbsent || conditions.isEmpty {
            kinds.insert([])
            atoms.append(Atom(text: nil, meets: []))
        }
        guard !conditions.isEmpty else {
            self.atoms = atoms
            return
        }
        let ending = space.walk(conditions, limit: &limit) { accepts, isDead, text in
            let meets = Set(conditions.indices.filter { accepts[$0] }.map { conditions[$0] })
            if kinds.insert(meets).inserted {
                let text = text()
                atoms.append(Atom(text: text.isEmpty && !tellsAbsent ? nil : text, meets: meets))
            }
            return atoms.count >= Self.limit ? .stop : isDead.allSatisfy { $0 } ? .prune : .goOn
        }
        self.atoms = atoms
        isComplete = ending == .complete
    }
}
