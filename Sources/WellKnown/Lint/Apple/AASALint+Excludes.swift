extension AASALint {
    /// Rules that exclude what no rule behind them would open: they stand in the wrong place, or are not needed.
    mutating func idleExcludes(_ matcher: AppleMatcher) {
        guard matcher.entries.contains(where: { $0.rules.contains(where: \.isExclude) }) else { return }
        var idle: [Int: (entry: Int, rule: Int)] = [:]
        var busy: Set<Int> = []
        var effort = MatchEffort()
        effort.left = Self.claimsEffort
        var limits = RuleReach.Limits()
        (limits.perRule, limits.total) = (50_000, 200_000)
        for group in matcher.appGroups {
            guard let app = group.first else { continue }
            let ordered = matcher.orderedRules(of: app)
            let excludes = ordered.indices.filter { ordered[$0].rule.isExclude }
            // Where nothing opens at all, or the list is long, nothing is said of single rules.
            let size = ordered.reduce(0) { $0 + $1.rule.path.code.count }
            guard !excludes.isEmpty, excludes.count < ordered.count, ordered.count <= Self.mostRulesBehind,
                size <= Self.longestPaths
            else {
                busy.formUnion(ordered.map(\.rule.range.lowerBound))
                continue
            }
            let unclear = excludes.filter { place in
                let rules = ordered[(place + 1)...].map(\.rule).filter { !$0.isExclude }
                let isBusy = examples.of(ordered[place].rule).contains { url in
                    var texts = AppleTexts(url, matcher.conventions)
                    return rules.contains { $0.matches(&texts, &effort) }
                }
                if isBusy || effort.isSpent { busy.insert(ordered[place].rule.range.lowerBound) }
                return !isBusy && !effort.isSpent
            }
            for (place, protects) in zip(unclear, RuleReach.protecting(unclear, of: app, matcher, limits: limits)) {
                let (entry, rule) = ordered[place]
                if protects == false, decides(place, ordered.map(\.rule), matcher, &effort) {
                    idle[rule.range.lowerBound] = (entry.index, rule.index)
                } else {
                    busy.insert(rule.range.lowerBound)
                }
            }
        }
        for (place, rule) in idle.sorted(by: { $0.key < $1.key }) where !busy.contains(place) {
            sheet.add(
                AppleOrderRules.deadExclude, at: place,
                "Rule \(rule.rule + 1) of entry \(rule.entry + 1) excludes nothing: no rule behind it would open any of its "
                    + "addresses", severity: .info, fix: "Move it before the rule that it limits, or remove it.")
        }
    }

    /// Whether no rule before it takes its examples: of one that is dead that is said, and not this.
    private mutating func decides(
        _ place: Int, _ rules: [AppleRule], _ matcher: AppleMatcher, _ effort: inout MatchEffort
    ) -> Bool {
        examples.of(rules[place]).contains { url in
            var texts = AppleTexts(url, matcher.conventions)
            return rules[place].matches(&texts, &effort)
                && !rules[..<place].contains { $0.matches(&texts, &effort) } && !effort.isSpent
        }
    }

    /// Each exclude is compared with the rules behind it.
    private static let mostRulesBehind = 100
    /// Steps of all paths together: automata are made of them.
    private static let longestPaths = 3_000
}
