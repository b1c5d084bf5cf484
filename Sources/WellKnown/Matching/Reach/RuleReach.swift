import SSOShared

/// Which rules of an app can ever decide, found from the rules themselves: as languages, not by guessing. Every address
/// that is named was decided by the matcher first.
public struct RuleReach: Sendable {
    public enum Verdict: Sendable, Hashable {
        /// It decides this address.
        case decides(LinkURL)
        /// It never decides: an earlier rule matches all that it matches. `rule` is that rule's place in the same list
        /// of ``RuleReach``; `sample` an address that both match.
        case covered(by: Int, sample: LinkURL)
        /// It never decides: several earlier rules together match all that it matches. `by` decides the sample.
        case coveredTogether(by: Int, sample: LinkURL)
        /// It matches no address at all.
        case impossible
        /// The rules are too large, or too many at once, to tell in bounded time.
        case notDecided
    }

    /// The place of the entry in `details`, or of the statement; from 0.
    public let entry: Int
    /// The place of the rule in its list; from 0.
    public let rule: Int
    /// In ``JSONDocument/text``.
    public let range: Range<Int>
    public let pointer: String
    public let isExclude: Bool
    /// It matches every address.
    public let isCatchAll: Bool
    public let verdict: Verdict

    public var isDead: Bool {
        switch verdict {
        case .covered, .coveredTogether, .impossible: true
        case .decides, .notDecided: false
        }
    }

    /// How much work is done before the answer is "not decided": units of some nanoseconds, so that no file is slow.
    public struct Limits: Sendable {
        /// For one rule.
        public var perRule = 400_000
        /// And for all rules of an app.
        public var total = 2_000_000

        public init() {}
    }

    /// The rules of an app in the order in which they are tried.
    public static func rules(of app: String, _ matcher: AppleMatcher, limits: Limits = Limits()) -> [RuleReach] {
        let ordered = matcher.orderedRules(of: app)
        let isDecoded = ordered.first?.rule.reading.contains(.decoded) ?? false
        let spaces = LinkSpaces(isDecoded: isDecoded, tellsAbsent: false)
        var analysis = ReachAnalysis(matcher.linkRules(of: app, in: spaces, name: ""), spaces, limits)
        return ordered.indices.map { index in
            let (entry, rule) = ordered[index]
            return RuleReach(
                entry: entry.index, rule: rule.index, range: rule.range, pointer: entry.pointer(of: rule),
                isExclude: rule.isExclude, isCatchAll: rule.isCatchAll, verdict: analysis.verdict(of: index))
        }
    }

    /// Whether each of some excluding rules of an app, by its place in ``rules(of:_:limits:)``, keeps an address from a rule
    /// behind it; `nil` for those of which nobody can tell in bounded time.
    static func protecting(_ places: [Int], of app: String, _ matcher: AppleMatcher, limits: Limits) -> [Bool?] {
        let ordered = matcher.orderedRules(of: app)
        let isDecoded = ordered.first?.rule.reading.contains(.decoded) ?? false
        let spaces = LinkSpaces(isDecoded: isDecoded, tellsAbsent: false)
        var analysis = ReachAnalysis(matcher.linkRules(of: app, in: spaces, name: ""), spaces, limits)
        return places.map { analysis.protects($0) }
    }

    /// The dynamic rules of an Android app; none when Android discards them.
    public static func rules(_ matcher: DynamicMatcher, limits: Limits = Limits()) -> [RuleReach] {
        guard matcher.flaws.isEmpty else { return [] }
        let spaces = LinkSpaces(isDecoded: true, tellsAbsent: true)
        var analysis = ReachAnalysis(matcher.linkRules(in: spaces), spaces, limits)
        return matcher.rules.indices.map { index in
            let rule = matcher.rules[index]
            return RuleReach(
                entry: matcher.statement, rule: rule.index, range: rule.range,
                pointer: "\(matcher.pointer)/\(rule.index)",
                isExclude: rule.isExclude,
                isCatchAll: rule.path?.steps == [.star] && rule.items.isEmpty && rule.fragment == nil,
                verdict: analysis.verdict(of: index))
        }
    }
}

extension AppleMatcher {
    /// Apps with the very same entries: what is true of the rules of one is true of all.
    public var appGroups: [[String]] {
        var order: [[Int]] = []
        var groups: [[Int]: [String]] = [:]
        for app in apps {
            let entries = entriesOfApp[app] ?? []
            if groups[entries] == nil { order.append(entries) }
            groups[entries, default: []].append(app)
        }
        return order.compactMap { groups[$0] }
    }
}
