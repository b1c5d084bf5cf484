extension AASALint {
    /// Reports excludes that keep no URL from a later rule. They are in the wrong place or unnecessary.
    mutating func idleExcludes() {
        guard matcher.entries.contains(where: { $0.rules.contains(where: \.isExclude) }) else { return }
        var use = ExcludeUse()
        for group in matcher.appGroups {
            if let app = group.first { sort(excludesOf: app, into: &use) }
        }
        for (place, exclude) in use.idle.sorted(by: { $0.key < $1.key }) where !use.busy.contains(place) {
            report(exclude, at: place)
        }
    }

    private struct IdleExclude {
        let name: String
        /// The rule before it that opens one of its URLs.
        var opened: (by: String, sample: LinkURL)?
        /// Whether it matches all that a rule before it opens.
        var covers = false
    }

    /// The excludes by their place in the file. A rule is idle where it is so for all apps.
    private struct ExcludeUse {
        var idle: [Int: IdleExclude] = [:]
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
        let effects = RuleCoverage.effects(ofExcludes: unclear, of: app, matcher, limits: limits)
        for (index, effect) in zip(unclear, effects) {
            let (entry, rule) = ordered[index]
            let place = rule.range.lowerBound
            var exclude = use.idle[place] ?? IdleExclude(name: name(of: rule, in: entry))
            switch effect {
            case nil, .protects:
                use.busy.insert(place)
                continue
            case .opened(let by, let sample):
                exclude.opened = exclude.opened ?? (name(of: ordered[by].rule, in: ordered[by].entry), sample)
            case .covers: exclude.covers = true
            case .idle: break
            }
            use.idle[place] = exclude
        }
    }

    private mutating func report(_ exclude: IdleExclude, at place: Int) {
        let name = exclude.name.capitalizedFirst
        if let opened = exclude.opened {
            let link = shown(opened.sample)
            findings.add(
                AppleOrderRules.deadExclude, at: place,
                "\(name) excludes nothing: \(opened.by) opens \(link) before it")
        } else if exclude.covers {
            findings.add(
                AppleOrderRules.deadExclude, at: place,
                "\(name) excludes nothing: what it shares with the rules before it is opened by them",
                severity: .info,
                reason: "It matches all that those rules open, and they decide first. What no rule opens stays in the "
                    + "browser anyway.", fix: "Remove it.")
        } else {
            findings.add(
                AppleOrderRules.deadExclude, at: place,
                "\(name) excludes nothing: no rule would open any of its addresses", severity: .info,
                reason:
                    "No rule opens these addresses, so they stay in the browser without it. The exclude has no effect.",
                fix: "Remove it, or move it before the rule that it limits.")
        }
    }

    /// The limit exists because each exclude is compared with all other rules.
    private static let mostRulesBehind = 100
    /// The limit for the number of steps of all paths together. The automata are built from them.
    private static let longestPaths = 3_000
}
