extension AASALint {
    /// Reports excludes of URLs that no later rule opens. They are in the wrong place or unnecessary.
    mutating func idleExcludes() {
        guard matcher.entries.contains(where: { $0.rules.contains(where: \.isExclude) }) else { return }
        var use = ExcludeUse()
        for group in matcher.appGroups {
            if let app = group.first { sort(excludesOf: app, into: &use) }
        }
        for (place, rule) in use.idle.sorted(by: { $0.key < $1.key }) where !use.busy.contains(place) {
            findings.add(
                AppleOrderRules.deadExclude, at: place,
                "\(rule.capitalizedFirst) excludes nothing: no rule after it would open any of its addresses",
                severity: .info,
                reason:
                    "No rule opens these addresses, so they stay in the browser without it. The exclude has no effect.",
                fix: "Remove it, or move it before the rule that it limits.")
        }
    }

    /// The names of the excludes by their place in the file. A rule is idle where it is so for all apps.
    private struct ExcludeUse {
        var idle: [Int: String] = [:]
        var busy: Set<Int> = []
        /// What all apps together may cost.
        var effort = MatchEffort(left: AASALint.claimsEffort)
    }

    private mutating func sort(excludesOf app: String, into use: inout ExcludeUse) {
        let ordered = matcher.orderedRules(of: app)
        let excludes = ordered.indices.filter { ordered[$0].rule.isExclude }
        // Single rules are not reported if the app opens no URL at all, or if the list is too long.
        let size = ordered.reduce(0) { $0 + $1.rule.path.code.count }
        guard !excludes.isEmpty, excludes.count < ordered.count, ordered.count <= Self.mostRulesBehind,
            size <= Self.longestPaths
        else {
            use.busy.formUnion(ordered.map(\.rule.range.lowerBound))
            return
        }
        let unclear = excludes.filter { place in
            let rules = ordered[(place + 1)...].map(\.rule).filter { !$0.isExclude }
            let isBusy = examples.of(ordered[place].rule).contains { url in
                var texts = AppleTexts(url, matcher.assumptions)
                return rules.contains { $0.matches(&texts, &use.effort) }
            }
            if isBusy || use.effort.isSpent { use.busy.insert(ordered[place].rule.range.lowerBound) }
            return !isBusy && !use.effort.isSpent
        }
        let limits = RuleCoverage.Limits(perRule: 50_000, total: 200_000)
        for (place, protects) in zip(unclear, RuleCoverage.protecting(unclear, of: app, matcher, limits: limits)) {
            let (entry, rule) = ordered[place]
            if protects == false, decides(place, ordered.map(\.rule), &use.effort) {
                use.idle[rule.range.lowerBound] = name(of: rule, in: entry)
            } else {
                use.busy.insert(rule.range.lowerBound)
            }
        }
    }

    /// Whether a rule decides at least one of its examples. A rule that never decides already has a finding.
    private mutating func decides(_ place: Int, _ rules: [AppleRule], _ effort: inout MatchEffort) -> Bool {
        examples.of(rules[place]).contains { url in
            var texts = AppleTexts(url, matcher.assumptions)
            return rules[place].matches(&texts, &effort)
                && !rules[..<place].contains { $0.matches(&texts, &effort) } && !effort.isSpent
        }
    }

    /// The limit exists because each exclude is compared with all later rules.
    private static let mostRulesBehind = 100
    /// The limit for the number of steps of all paths together. The automata are built from them.
    private static let longestPaths = 3_000
}
