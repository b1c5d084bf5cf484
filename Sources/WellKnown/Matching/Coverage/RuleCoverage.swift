import SSOShared

/// Finds the rules of an app that can never decide, by comparing regular languages. The matcher checks all samples.
public struct RuleCoverage: Sendable {
    public enum Verdict: Sendable, Hashable {
        case decides(LinkURL)
        /// The rule never decides, because one earlier rule matches all its URLs. `rule` is the index of that rule in
        /// the same list of ``RuleCoverage``. `sample` is a URL that both match.
        case covered(by: Int, sample: LinkURL)
        /// The rule never decides, because several earlier rules together match all its URLs. `by` decides the sample.
        case coveredTogether(by: Int, sample: LinkURL)
        /// The rule matches no URL.
        case impossible
        /// The rules are too large or too many to decide within the limits.
        case notDecided
    }

    /// The index of the entry in `details`, or of the statement. The count starts at 0.
    public let entry: Int
    /// The index of the rule in its list. The count starts at 0.
    public let rule: Int
    /// The range in ``JSONDocument/text``.
    public let range: Range<Int>
    public let pointer: String
    public let isExclude: Bool
    /// Whether the rule matches every URL.
    public let isCatchAll: Bool
    public let verdict: Verdict

    public var isDead: Bool {
        switch verdict {
        case .covered, .coveredTogether, .impossible: true
        case .decides, .notDecided: false
        }
    }

    /// The work limits, after which the answer is "not decided". One unit is some nanoseconds, so no file is slow.
    public struct Limits: Sendable {
        public let perRule: Int
        /// The limit for all rules of an app.
        public let total: Int

        public init(perRule: Int = 400_000, total: Int = 2_000_000) { (self.perRule, self.total) = (perRule, total) }
    }

    /// The rules of an app in the order in which they are tried.
    public static func rules(of app: String, _ matcher: AppleMatcher, limits: Limits = Limits()) -> [RuleCoverage] {
        let ordered = matcher.orderedRules(of: app)
        var analysis = CoverageAnalysis(of: app, matcher, limits)
        return ordered.indices.map { index in
            let (entry, rule) = ordered[index]
            return RuleCoverage(
                entry: entry.index, rule: rule.index, range: rule.range, pointer: entry.pointer(of: rule),
                isExclude: rule.isExclude, isCatchAll: rule.isCatchAll, verdict: analysis.verdict(of: index))
        }
    }

    /// What an excluding rule does among the rules of its app.
    enum ExcludeEffect: Sendable {
        /// It keeps a URL from a later rule.
        case protects
        /// It keeps nothing from a later rule, and the earlier rule at that index opens the sample.
        case opened(by: Int, sample: LinkURL)
        /// It keeps nothing from a later rule, and matches all that the earlier rules open which it meets.
        case covers
        /// No other rule opens one of its URLs.
        case idle
    }

    /// The effects of excluding rules. `places` are indices in ``rules(of:_:limits:)``. `nil` for a rule that never
    /// decides, and if the effect cannot be found within the limits.
    static func effects(
        ofExcludes places: [Int], of app: String, _ matcher: AppleMatcher, limits: Limits
    ) -> [ExcludeEffect?] {
        var analysis = CoverageAnalysis(of: app, matcher, limits)
        return places.map { analysis.effect(ofExclude: $0) }
    }

    /// The dynamic rules of an Android app. Empty if Android discards them.
    public static func rules(_ matcher: DynamicMatcher, limits: Limits = Limits()) -> [RuleCoverage] {
        guard matcher.flaws.isEmpty else { return [] }
        let spaces = LinkSpaces(isDecoded: true, tellsAbsent: true)
        var analysis = CoverageAnalysis(matcher.linkRules(in: spaces), spaces, limits)
        return matcher.rules.indices.map { index in
            let rule = matcher.rules[index]
            return RuleCoverage(
                entry: matcher.statement, rule: rule.index, range: rule.range,
                pointer: "\(matcher.pointer)/\(rule.index)", isExclude: rule.isExclude,
                isCatchAll: rule.path?.steps == [.star] && rule.items.isEmpty && rule.fragment == nil,
                verdict: analysis.verdict(of: index))
        }
    }
}

extension AppleMatcher {
    /// Groups of apps with the same entries, whose results are equal.
    public var appGroups: [[String]] {
        let groups = Dictionary(grouping: apps) { entriesOfApp[$0] ?? [] }
        return apps.map { entriesOfApp[$0] ?? [] }.uniqued { $0 }.compactMap { groups[$0] }
    }
}

/// Finds for each rule a URL that it decides, or proves that there is none.
///
/// The rules distinguish only a few queries and fragments. For each of these, a rule decides a URL if its automaton
/// accepts a path that the automata of the earlier rules do not accept.
struct CoverageAnalysis {
    private let program: LinkRules
    private let spaces: LinkSpaces
    private let limits: RuleCoverage.Limits
    private var left: Int
    private var atoms: (queries: LinkAtoms, fragments: LinkAtoms)?

    init(_ program: LinkRules, _ spaces: LinkSpaces, _ limits: RuleCoverage.Limits) {
        self.program = program
        self.spaces = spaces
        self.limits = limits
        left = limits.total
    }

    init(of app: String, _ matcher: AppleMatcher, _ limits: RuleCoverage.Limits) {
        let isDecoded = matcher.orderedRules(of: app).first?.rule.reading.contains(.decoded) ?? false
        let spaces = LinkSpaces(isDecoded: isDecoded, tellsAbsent: false)
        self.init(matcher.linkRules(of: app, in: spaces, name: ""), spaces, limits)
    }

    mutating func verdict(of index: Int) -> RuleCoverage.Verdict {
        guard let rule = program.rules[index] else { return .notDecided }
        for sample in rule.samples where program.decider(sample) == index { return .decides(sample) }
        guard left > 0 else { return .notDecided }
        let (queries, fragments) = prepared()
        var isComplete = queries.isComplete && fragments.isComplete
        var rivals: [(paths: Set<Int>, query: [UInt8]?, fragment: [UInt8]?)] = []
        var canMatch = false
        for query in queries.atoms where query.fits(rule.query) {
            for fragment in fragments.atoms where fragment.fits(rule.fragment) {
                canMatch = true
                guard let paths = self.rivals(of: index, rule, query, fragment) else { continue }
                if !rivals.contains(where: { $0.paths.isSubset(of: paths) }) {
                    rivals.append((paths, query.text, fragment.text))
                }
            }
        }
        guard canMatch else { return isComplete ? .impossible : .notDecided }
        for rival in rivals.sorted(by: { $0.paths.count < $1.paths.count }) {
            let (path, isCertain) = self.path(in: [rule.path], outside: rival.paths)
            if let path {
                guard let url = spaces.url(path: path, query: rival.query, fragment: rival.fragment),
                    program.decider(url) == index
                else { return .notDecided }
                return .decides(url)
            }
            if !isCertain { isComplete = false }
        }
        return isComplete ? dead(index, rule) : .notDecided
    }

    /// ``RuleCoverage/effects(ofExcludes:of:_:limits:)`` of one rule.
    mutating func effect(ofExclude index: Int) -> RuleCoverage.ExcludeEffect? {
        guard let rule = program.rules[index], left > 0, let protects = protects(index, rule) else { return nil }
        if protects { return .protects }
        guard case .decides = verdict(of: index) else { return nil }
        return opened(before: index, rule)
    }

    /// Whether a later rule would open one of the rule's URLs. `nil` if that cannot be decided within the limits.
    private mutating func protects(_ index: Int, _ rule: LinkRules.Rule) -> Bool? {
        let (queries, fragments) = prepared()
        var isComplete = queries.isComplete && fragments.isComplete
        for later in program.rules[(index + 1)...] {
            guard let later else { return nil }
            guard !later.isExclude, Self.canMeet(rule.prefix, later.prefix),
                queries.atoms.contains(where: { (rule.query + later.query).allSatisfy($0.meets.contains) }),
                fragments.atoms.contains(where: { (rule.fragment + later.fragment).allSatisfy($0.meets.contains) })
            else { continue }
            let (path, isCertain) = path(in: [rule.path, later.path], outside: [])
            if path != nil { return true }
            if !isCertain { isComplete = false }
        }
        return isComplete ? false : nil
    }

    /// The first earlier rule that opens one of the rule's URLs, unless the rule matches all that those rules match.
    private mutating func opened(before index: Int, _ rule: LinkRules.Rule) -> RuleCoverage.ExcludeEffect? {
        let (queries, fragments) = prepared()
        var isComplete = queries.isComplete && fragments.isComplete
        var effect = RuleCoverage.ExcludeEffect.idle
        openers: for place in 0..<index {
            guard let opener = program.rules[place] else { return nil }
            guard !opener.isExclude, Self.canMeet(rule.prefix, opener.prefix) else { continue }
            for query in queries.atoms where query.fits(rule.query + opener.query) {
                for fragment in fragments.atoms where fragment.fits(rule.fragment + opener.fragment) {
                    left -= 20
                    guard left > 0 else { return nil }
                    guard let rivals = rivals(of: place, opener, query, fragment) else { continue }
                    let (path, isCertain) = path(in: [rule.path, opener.path], outside: rivals)
                    if !isCertain, path == nil { isComplete = false }
                    guard let path, let url = spaces.url(path: path, query: query.text, fragment: fragment.text),
                        program.decider(url) == place
                    else { continue }
                    guard covers(rule, opener, queries, fragments) else { return .opened(by: place, sample: url) }
                    effect = .covers
                    continue openers
                }
            }
        }
        return isComplete ? effect : nil
    }

    private mutating func prepared() -> (queries: LinkAtoms, fragments: LinkAtoms) {
        if let atoms { return atoms }
        var limit = limits.perRule * 2
        let made = spaces.atoms(of: program.rules, limit: &limit)
        left -= limits.perRule * 2 - max(limit, 0)
        atoms = made
        return made
    }

    /// The path conditions of the earlier rules that match such a query and fragment. `nil` if one of these rules
    /// matches every path, or every path of this rule.
    private func rivals(
        of index: Int, _ rule: LinkRules.Rule, _ query: LinkAtoms.Atom, _ fragment: LinkAtoms.Atom
    ) -> Set<Int>? {
        var paths: Set<Int> = []
        for case let earlier? in program.rules[..<index]
        where query.fits(earlier.query) && fragment.fits(earlier.fragment) {
            guard let path = earlier.path, path != rule.path else { return nil }
            if Self.canMeet(earlier.prefix, rule.prefix) { paths.insert(path) }
        }
        return paths
    }

    private static func canMeet(_ a: [UInt8], _ b: [UInt8]) -> Bool { zip(a, b).allSatisfy { $0 == $1 } }

    /// Walks the paths within the limit of one rule.
    private mutating func walk(
        _ conditions: [Int], _ visit: ([Bool], [Bool], () -> [UInt8]) -> PartSpace.Visit
    ) -> PartSpace.Ending {
        var limit = min(left, limits.perRule)
        let before = limit
        defer { left -= before - max(limit, 0) }
        return spaces.path.walk(conditions, limit: &limit, visit)
    }

    /// The shortest path that meets the conditions and none of the others. `isCertain` if all paths were tried.
    private mutating func path(in conditions: [Int?], outside others: Set<Int>) -> (path: [UInt8]?, isCertain: Bool) {
        let inside = conditions.compactMap(\.self)
        var found: [UInt8]?
        let ending = walk(inside + others.sorted()) { accepts, isDead, text in
            if isDead.prefix(inside.count).contains(true) { return .prune }
            guard !accepts.prefix(inside.count).contains(false), !accepts.dropFirst(inside.count).contains(true)
            else { return .goOn }
            found = text()
            return .stop
        }
        return (found, ending == .complete)
    }

    /// The reason why a rule never decides.
    private mutating func dead(_ index: Int, _ rule: LinkRules.Rule) -> RuleCoverage.Verdict {
        var samples = rule.samples
        let (queries, fragments) = prepared()
        if let path = path(in: [rule.path], outside: []).path,
            let query = queries.atoms.first(where: { $0.fits(rule.query) }),
            let fragment = fragments.atoms.first(where: { $0.fits(rule.fragment) }),
            let url = spaces.url(path: path, query: query.text, fragment: fragment.text)
        {
            samples.insert(url, at: 0)
        } else {
            return left > 0 ? .impossible : .notDecided
        }
        let sample = samples[0]
        guard let decider = program.decider(sample), decider < index else { return .notDecided }
        for (place, earlier) in program.rules[..<index].enumerated() {
            guard let earlier, covers(earlier, rule, queries, fragments) else { continue }
            return .covered(by: place, sample: sample)
        }
        return .coveredTogether(by: decider, sample: sample)
    }

    /// Whether one rule matches every URL of another rule.
    private mutating func covers(
        _ wide: LinkRules.Rule, _ narrow: LinkRules.Rule, _ queries: LinkAtoms, _ fragments: LinkAtoms
    ) -> Bool {
        guard !queries.atoms.contains(where: { $0.fits(narrow.query) && !$0.fits(wide.query) }),
            !fragments.atoms.contains(where: { $0.fits(narrow.fragment) && !$0.fits(wide.fragment) })
        else { return false }
        guard let path = wide.path, path != narrow.path else { return true }
        guard Self.canMeet(wide.prefix, narrow.prefix) else { return false }
        let outside = self.path(in: [narrow.path], outside: [path])
        return outside.path == nil && outside.isCertain
    }
}
