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

    /// - Parameter left: what all apps together may still look at.
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
                // The same rules in the same order decide the same.
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

    /// A rule that matches a query and a fragment of one kind: what is left of it.
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
                // The rules were misread somewhere: say so rather than name an address that shows nothing.
                isComplete = false
                continue
            }
        }
    }

    /// Has both matchers decide an address; keeps it when they differ and it is the shortest of its kind.
    @discardableResult
    private mutating func note(_ url: LinkURL) -> Pair {
        let pair = Pair(old: old.decision(of: old.decider(url)), new: new.decision(of: new.decider(url)))
        guard pair.old != pair.new else { return pair }
        if let known = found[pair], known.bytes.count <= url.bytes.count { return pair }
        found[pair] = url
        return pair
    }
}
