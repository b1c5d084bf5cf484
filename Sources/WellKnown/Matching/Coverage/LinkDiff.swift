/// The differences between two versions of a file, with sample URLs.
///
/// For each app and each change of decision, reports the shortest URL. It is computed from the rules of both files and
/// checked by both matchers. The host is a placeholder: it is not part of the rules.
public struct LinkDiff: Sendable {
    public struct Change: Sendable, Hashable {
        /// The app id or the package name.
        public let app: String
        public let old: LinkDecision
        public let new: LinkDecision
        public let witness: LinkURL
    }

    /// The changes, sorted by app in the order of the files and then by decision.
    public let changes: [Change]
    public let addedApps: [String]
    public let removedApps: [String]
    /// Packages whose certificates differ. An app that is signed with a removed certificate opens no link.
    public var changedCertificates: [String] = []
    /// Apps whose rules are too large to compare within the limits. They may have more changes.
    public let notDecided: [String]

    /// Whether it is certain that no decision differs.
    public var isEmpty: Bool {
        changes.isEmpty && notDecided.isEmpty && addedApps.isEmpty && removedApps.isEmpty && changedCertificates.isEmpty
    }

    /// The work limit, after which the answer is "not decided", in the units of ``RuleCoverage/Limits``.
    public struct Limits: Sendable {
        /// The limit for one app.
        public var perApp = 2_000_000
        /// The limit for all apps.
        public var total = 2_000_000

        public init() {}

        /// The limits for interactive use: two seconds at most.
        public static var patient: Limits {
            var limits = Limits()
            limits.perApp = 40_000_000
            limits.total = 200_000_000
            return limits
        }
    }

    public static func between(_ old: AppleMatcher, _ new: AppleMatcher, limits: Limits = Limits()) -> LinkDiff {
        var known: [[[Int]]: Comparison.Outcome] = [:]
        var left = limits.total
        return of(old.apps, new.apps) { app in
            // Apps with the same entries in both files have the same differences.
            let key = [old.entriesOfApp[app] ?? [], new.entriesOfApp[app] ?? []]
            if let outcome = known[key] { return outcome }
            let isDecoded = (old.orderedRules(of: app) + new.orderedRules(of: app)).first?.rule.reading.contains(
                .decoded)
            let spaces = LinkSpaces(isDecoded: isDecoded ?? false, tellsAbsent: false)
            let outcome = Comparison(
                old.refusal == nil ? old.linkRules(of: app, in: spaces, name: "old") : LinkRules.none,
                new.refusal == nil ? new.linkRules(of: app, in: spaces, name: "new") : LinkRules.none, spaces
            ).run(limit: limits.perApp, &left)
            known[key] = outcome
            return outcome
        }
    }

    public static func between(_ old: AndroidMatcher, _ new: AndroidMatcher, limits: Limits = Limits()) -> LinkDiff {
        var left = limits.total
        var diff = of(old.apps, new.apps) { app in
            let spaces = LinkSpaces(isDecoded: true, tellsAbsent: true)
            return Comparison(old.linkRules(of: app, in: spaces), new.linkRules(of: app, in: spaces), spaces)
                .run(limit: limits.perApp, &left)
        }
        diff.changedCertificates = old.apps.filter { app in
            new.fingerprints[app].map { $0 != old.fingerprints[app] } ?? false
        }
        return diff
    }

    private static func of(_ old: [String], _ new: [String], _ compare: (String) -> Comparison.Outcome) -> LinkDiff {
        let olds = Set(old)
        let news = Set(new)
        var changes: [Change] = []
        var notDecided: [String] = []
        for app in old + new.filter({ !olds.contains($0) }) {
            let outcome = compare(app)
            changes += outcome.changes.map { Change(app: app, old: $0.old, new: $0.new, witness: $0.witness) }
            if !outcome.isComplete { notDecided.append(app) }
        }
        return LinkDiff(
            changes: changes, addedApps: new.filter { !olds.contains($0) },
            removedApps: old.filter { !news.contains($0) },
            notDecided: notDecided)
    }
}

extension AndroidMatcher {
    fileprivate func linkRules(of package: String, in spaces: LinkSpaces) -> LinkRules {
        guard refusal == nil else { return .none }
        if let rules = dynamicRules(of: package) { return rules.linkRules(in: spaces) }
        return LinkRules([], fallback: apps.contains(package) ? .manifestDecides : .noMatch) { _ in nil }
    }
}

/// Compares the rules of one app in two files.
struct Comparison {
    struct Change {
        let old: LinkDecision
        let new: LinkDecision
        let witness: LinkURL
    }

    struct Outcome {
        let changes: [Change]
        let isComplete: Bool
    }

    private struct Pair: Hashable {
        let old: LinkDecision
        let new: LinkDecision
    }

    private let old: LinkRules
    private let new: LinkRules
    private let spaces: LinkSpaces
    private var found: [Pair: LinkURL] = [:]
    private var isComplete = true

    init(_ old: LinkRules, _ new: LinkRules, _ spaces: LinkSpaces) {
        self.old = old
        self.new = new
        self.spaces = spaces
    }

    /// - Parameter left: the remaining work for all apps.
    func run(limit: Int, _ left: inout Int) -> Outcome {
        var comparison = self
        return comparison.compared(limit, &left)
    }

    private mutating func compared(_ limit: Int, _ left: inout Int) -> Outcome {
        let rules = (old.rules + new.rules)
        for sample in rules.compactMap({ $0 }).flatMap(\.samples) + old.samples + new.samples { note(sample) }
        if let root = spaces.url(path: [0x2f], query: nil, fragment: nil) { note(root) }
        if rules.contains(where: { $0 == nil }) { isComplete = false }
        let known = rules.compactMap { $0 }
        var limit = min(limit, left)
        let before = limit
        let queries = LinkAtoms(
            spaces.query, Array(Set(known.flatMap(\.query))).sorted(), tellsAbsent: spaces.tellsAbsent, limit: &limit)
        let fragments = LinkAtoms(
            spaces.fragment, Array(Set(known.flatMap(\.fragment))).sorted(), tellsAbsent: spaces.tellsAbsent,
            limit: &limit)
        if !queries.isComplete || !fragments.isComplete { isComplete = false }
        var done: Set<[[Step]]> = []
        for query in queries.atoms {
            for fragment in fragments.atoms {
                let steps = [old, new].map { self.steps($0, query, fragment) }
                // Equal rules in the same order decide equally.
                guard steps[0] != steps[1] || old.fallback != new.fallback, done.insert(steps).inserted else {
                    continue
                }
                compare(steps, query, fragment, &limit)
            }
        }
        left -= before - max(limit, 0)
        let order = LinkDecision.allCases
        let pairs = order.flatMap { first in order.map { Pair(old: first, new: $0) } }
        return Outcome(
            changes: pairs.compactMap { pair in
                found[pair].map { Change(old: pair.old, new: pair.new, witness: $0) }
            }, isComplete: isComplete)
    }

    /// A rule reduced to its path condition, for queries and fragments of one kind.
    private struct Step: Hashable {
        let path: Int?
        let decision: LinkDecision
    }

    private func steps(_ program: LinkRules, _ query: LinkAtoms.Atom, _ fragment: LinkAtoms.Atom) -> [Step] {
        var steps: [Step] = []
        for case let rule? in program.rules
        where rule.query.allSatisfy(query.meets.contains) && rule.fragment.allSatisfy(fragment.meets.contains) {
            steps.append(Step(path: rule.path, decision: rule.isExclude ? .excluded : .opens))
            if rule.path == nil { break }
        }
        return steps
    }

    private mutating func compare(
        _ steps: [[Step]], _ query: LinkAtoms.Atom, _ fragment: LinkAtoms.Atom, _ limit: inout Int
    ) {
        let conditions = Array(Set(steps.joined().compactMap(\.path))).sorted()
        let places = Dictionary(uniqueKeysWithValues: conditions.enumerated().map { ($1, $0) })
        let fallbacks = [old.fallback, new.fallback]
        var witnesses: [(Pair, [UInt8])] = []
        var pairs: Set<Pair> = []
        let ending = spaces.path.walk(conditions, limit: &limit) { accepts, isDead, text in
            let decisions = steps.indices.map { side in
                steps[side].first { step in step.path.flatMap { places[$0] }.map { accepts[$0] } ?? true }?.decision
                    ?? fallbacks[side]
            }
            let pair = Pair(old: decisions[0], new: decisions[1])
            if pair.old != pair.new, pairs.insert(pair).inserted { witnesses.append((pair, text())) }
            return isDead.contains(false) ? .goOn : .prune
        }
        if ending != .complete { isComplete = false }
        for (pair, path) in witnesses {
            guard let url = spaces.url(path: path, query: query.text, fragment: fragment.text), note(url) == pair else {
                // The analysis was wrong. Report "not decided" rather than a URL that shows no difference.
                isComplete = false
                continue
            }
        }
    }

    /// Decides a URL with both matchers. Keeps it if they differ and it is the shortest of its kind.
    @discardableResult
    private mutating func note(_ url: LinkURL) -> Pair {
        let pair = Pair(old: old.decision(of: old.decider(url)), new: new.decision(of: new.decider(url)))
        guard pair.old != pair.new else { return pair }
        if let known = found[pair], known.bytes.count <= url.bytes.count { return pair }
        found[pair] = url
        return pair
    }
}
