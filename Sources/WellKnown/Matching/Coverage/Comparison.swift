/// Compares the rules of one app in two files.
struct Comparison {
    struct Outcome {
        let changes: [(old: LinkDecision, new: LinkDecision, witness: LinkURL)]
        let isComplete: Bool
    }

    private struct Pair: Hashable {
        let old: LinkDecision
        let new: LinkDecision
    }

    private let old: LinkRules
    private let new: LinkRules
    private let spaces: LinkSpaces
    /// The work of one look at all conditions of all rules, in the units of ``RuleCoverage/Limits``.
    private let costOfLook: Int
    private var found: [Pair: LinkURL] = [:]
    private var isComplete = true

    init(_ old: LinkRules, _ new: LinkRules, _ spaces: LinkSpaces) {
        self.old = old
        self.new = new
        self.spaces = spaces
        costOfLook = (old.rules + new.rules).reduce(100) { sum, rule in
            sum + 40 + 10 * ((rule?.query.count ?? 0) + (rule?.fragment.count ?? 0))
        }
    }

    /// - Parameter left: the remaining work for all apps.
    func run(limit: Int, _ left: inout Int) -> Outcome {
        if old.decidesLike(new) { return Outcome(changes: [], isComplete: true) }
        var comparison = self
        return comparison.compared(limit, &left)
    }

    private mutating func compared(_ limit: Int, _ left: inout Int) -> Outcome {
        var limit = min(limit, left)
        let before = limit
        // Samples are hints: at most a quarter of the work goes into them.
        var forSamples = limit / 4
        limit -= forSamples
        for sample in samples {
            guard forSamples > 0 else { break }
            note(sample, &forSamples)
        }
        limit += max(forSamples, 0)
        let rules = old.rules + new.rules
        if rules.contains(where: { $0 == nil }) { isComplete = false }
        let (queries, fragments) = spaces.atoms(of: rules, limit: &limit)
        if !queries.isComplete || !fragments.isComplete { isComplete = false }
        compare(queries.atoms, fragments.atoms, &limit)
        left -= before - max(limit, 0)
        let order = LinkDecision.allCases
        let pairs = order.flatMap { first in order.map { Pair(old: first, new: $0) } }
        return Outcome(
            changes: pairs.compactMap { pair in found[pair].map { (pair.old, pair.new, $0) } }, isComplete: isComplete)
    }

    /// Links that probably show a difference. Those of rules that only one of the two files has come first.
    private var samples: [LinkURL] {
        let olds = Set(old.rules.compactMap { $0?.conditions })
        let news = Set(new.rules.compactMap { $0?.conditions })
        var (own, shared): ([LinkURL], [LinkURL]) = ([], [])
        for rule in (old.rules + new.rules).compactMap(\.self) {
            if olds.contains(rule.conditions), news.contains(rule.conditions) {
                shared += rule.samples
            } else {
                own += rule.samples
            }
        }
        let root = spaces.url(path: [0x2f], query: nil, fragment: nil)
        return [root].compactMap(\.self) + own + old.samples + new.samples + shared
    }

    private mutating func compare(_ queries: [LinkAtoms.Atom], _ fragments: [LinkAtoms.Atom], _ limit: inout Int) {
        var done: Set<[[Step]]> = []
        for query in queries {
            for fragment in fragments {
                limit -= costOfLook
                guard limit > 0 else { return isComplete = false }
                let steps = [old, new].map { self.steps($0, query, fragment) }
                // Equal rules in the same order decide equally.
                guard steps[0] != steps[1] || old.fallback != new.fallback, done.insert(steps).inserted else {
                    continue
                }
                compare(steps, query, fragment, &limit)
            }
        }
    }

    /// A rule reduced to its path condition, for queries and fragments of one kind.
    private struct Step: Hashable {
        let path: Int?
        let decision: LinkDecision
    }

    private func steps(_ program: LinkRules, _ query: LinkAtoms.Atom, _ fragment: LinkAtoms.Atom) -> [Step] {
        var steps: [Step] = []
        for case let rule? in program.rules where query.fits(rule.query) && fragment.fits(rule.fragment) {
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
            guard let url = spaces.url(path: path, query: query.text, fragment: fragment.text),
                note(url, &limit) == pair
            else {
                // The analysis was wrong. Report "not decided" rather than a URL that shows no difference.
                isComplete = false
                continue
            }
        }
    }

    /// Decides a URL with both matchers. Keeps it if they differ and it is the shortest of its kind.
    ///
    /// - Returns: `nil` if a matcher gave up.
    @discardableResult private mutating func note(_ url: LinkURL, _ limit: inout Int) -> Pair? {
        var decisions: [LinkDecision] = []
        for program in [old, new] {
            var effort = MatchEffort()
            let before = effort.left
            let rule = program.decider(url, &effort)
            limit -= before - effort.left + 60 * program.rules.count + 500
            guard !effort.isSpent else { return nil }
            decisions.append(program.decision(of: rule))
        }
        let pair = Pair(old: decisions[0], new: decisions[1])
        guard pair.old != pair.new else { return pair }
        if let known = found[pair], known.bytes.count <= url.bytes.count { return pair }
        found[pair] = url
        return pair
    }
}
