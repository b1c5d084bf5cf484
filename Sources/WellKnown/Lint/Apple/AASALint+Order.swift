extension AASALint {
    /// Rules that decide nothing because of their place, and entries that open nothing.
    mutating func order(_ matcher: AppleMatcher) {
        var opening: Set<String> = []
        for entry in matcher.entries where entry.rules.contains(where: { !$0.isExclude }) {
            opening.formUnion(entry.apps)
        }
        var dead: Set<Int> = []
        for entry in matcher.entries where !entry.rules.isEmpty {
            if entry.rules.allSatisfy(\.isExclude), opening.isDisjoint(with: entry.apps) {
                sheet.add(
                    AppleOrderRules.excludeOnly, at: entry.rules[0].range.lowerBound,
                    "Entry \(entry.index + 1) has only rules that exclude: nothing opens \(entry.apps[0].quoted)")
            }
            guard let first = entry.rules.firstIndex(where: \.isCatchAll), first + 1 < entry.rules.count else {
                continue
            }
            if entry.rules.count <= Self.mostRules {
                dead.formUnion(entry.rules[(first + 1)...].map(\.range.lowerBound))
            }
            // One that is as wide only because a value was ignored has been said to be.
            let place = entry.rules[first].range.lowerBound
            guard !remarked.contains(place) || empty.contains(place) else { continue }
            let count = entry.rules.count - first - 1
            let rest = count == 1 ? "the rule behind it never decides" : "the \(count) rules behind it never decide"
            sheet.add(
                AppleOrderRules.catchAllFirst, at: entry.rules[first].range.lowerBound,
                "Rule \(entry.rules[first].index + 1) of entry \(entry.index + 1) matches everything: \(rest)")
        }
        covered(matcher, except: dead)
    }

    /// Rules that never decide for any app, found from the rules before them.
    private mutating func covered(_ matcher: AppleMatcher, except known: Set<Int>) {
        var alive = known
        var found: [Int: (dead: RuleReach, by: RuleReach, sample: LinkURL, isTogether: Bool)] = [:]
        var left = Self.mostComparisons
        var limits = RuleReach.Limits()
        limits.perRule = 100_000
        limits.total = 400_000
        var effort = MatchEffort()
        effort.left = Self.claimsEffort
        for group in matcher.appGroups {
            guard let app = group.first else { continue }
            // A bound for files with thousands of rules: of the rest nothing is said, nor of what they share.
            let entries = matcher.entriesOfApp[app] ?? []
            let count = entries.reduce(0) { $0 + matcher.entries[$1].rules.count }
            if count > 1, count <= Self.mostRules { left -= count * count }
            guard count > 1, count <= Self.mostRules, left >= 0, !allDecide(entries, matcher, &effort) else {
                for entry in entries { alive.formUnion(matcher.entries[entry].rules.map(\.range.lowerBound)) }
                continue
            }
            let rules = RuleReach.rules(of: app, matcher, limits: limits)
            for rule in rules {
                let place = rule.range.lowerBound
                switch rule.verdict {
                case .covered(let by, let sample) where rules.indices.contains(by):
                    if found[place] == nil { found[place] = (rule, rules[by], sample, false) }
                case .coveredTogether(let by, let sample) where rules.indices.contains(by):
                    if found[place] == nil { found[place] = (rule, rules[by], sample, true) }
                // What matches nothing has its own finding, by what makes it so.
                default: alive.insert(place)
                }
            }
        }
        for (place, dead) in found.sorted(by: { $0.key < $1.key }) where !alive.contains(place) {
            report(dead.dead, by: dead.by, dead.sample, isTogether: dead.isTogether)
        }
    }

    /// Whether each rule decides one of its own examples: so it is in nearly every file, and quickly seen.
    private mutating func allDecide(_ entries: [Int], _ matcher: AppleMatcher, _ effort: inout MatchEffort) -> Bool {
        for entry in entries {
            for (index, rule) in matcher.entries[entry].rules.enumerated() {
                let decides = examples.of(rule).contains { url in
                    var texts = AppleTexts(url, matcher.conventions)
                    guard let found = matcher.first(in: entries, &texts, &effort) else { return false }
                    return found == (entry, index)
                }
                guard decides else { return false }
            }
        }
        return true
    }

    private mutating func report(_ dead: RuleReach, by: RuleReach, _ sample: LinkURL, isTogether: Bool) {
        let place = dead.range.lowerBound
        let link = shown(sample)
        let name = "Rule \(dead.rule + 1) of entry \(dead.entry + 1)"
        let other = "rule \(by.rule + 1)" + (by.entry == dead.entry ? "" : " of entry \(by.entry + 1)")
        if dead.isExclude, !by.isExclude {
            sheet.add(
                AppleOrderRules.deadExclude, at: place,
                "\(name) excludes nothing: \(other) opens \(link) before it")
        } else if dead.isExclude == by.isExclude {
            // Nothing is decided otherwise than it reads: only a line too many.
            sheet.add(
                AppleOrderRules.shadowed, at: place,
                "\(name) never decides: \(isTogether ? "the rules before it together cover it" : "\(other) covers it"), "
                    + "as with \(link), and decide\(isTogether ? "" : "s") the same",
                severity: .info, fix: "Remove the rule.")
        } else {
            sheet.add(
                AppleOrderRules.shadowed, at: place,
                "\(name) never decides: \(other) excludes \(link) before it")
        }
    }

    /// Each rule is compared with those before it.
    private static let mostRules = 400
    private static let mostComparisons = mostRules * mostRules

    /// A witness with the site's own host.
    func shown(_ url: LinkURL) -> String {
        let tail = (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
        return ("https://" + (options.domain ?? "example.com") + url.path + tail).quoted
    }
}
