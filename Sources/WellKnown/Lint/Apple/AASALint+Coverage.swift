import SSOShared

extension AASALint {
    /// Reports rules that never decide because of their place, and entries that open no link.
    mutating func order() {
        var opening: Set<String> = []
        for entry in matcher.entries where entry.rules.contains(where: { !$0.isExclude }) {
            opening.formUnion(entry.apps)
        }
        var dead: Set<Int> = []
        for entry in matcher.entries where !entry.rules.isEmpty {
            if entry.rules.allSatisfy(\.isExclude), opening.isDisjoint(with: entry.apps) {
                findings.add(
                    AppleOrderRules.excludeOnly, at: entry.rules[0].range.lowerBound,
                    "The entry of \(entry.apps[0].quoted) has only rules that exclude: nothing opens the app",
                    fix: entry.rules[0].isPath ? "End the list with a path that opens, such as \"*\"." : nil)
            }
            guard let first = entry.rules.firstIndex(where: \.isCatchAll) else { continue }
            if first + 1 < entry.rules.count, entry.rules.count <= Self.mostRules {
                dead.formUnion(entry.rules[(first + 1)...].map(\.range.lowerBound))
            }
            if facts?.isMeant(entry.rules[first]) == true { catchAll(first, of: entry) }
        }
        covered(except: dead)
    }

    /// Reports a rule that matches everything, if rules follow it. It is an error only if one of them would have decided
    /// differently, or would have given its links to another app.
    private mutating func catchAll(_ first: Int, of entry: AppleEntry) {
        let rule = entry.rules[first]
        let later = entry.rules[(first + 1)...]
        let differs = later.contains { $0.isExclude != rule.isExclude }
        let loser = facts?.losers[entry.index]
        let name = self.name(of: rule, in: entry).capitalizedFirst
        guard !later.isEmpty || loser != nil else { return }
        var effects: [String] = []
        if !later.isEmpty {
            let rest =
                later.count == 1 ? "the rule after it never decides" : "the \(later.count) rules after it never decide"
            effects.append(rest + (differs || loser != nil ? "" : ", and would decide the same"))
        }
        if let loser { effects.append("where both apps are installed, no link opens \(loser.apps[0].quoted)") }
        findings.add(
            AppleOrderRules.catchAllFirst, at: rule.range.lowerBound,
            "\(name) matches everything: \(effects.joined(separator: "; "))",
            severity: differs || loser != nil ? nil : .info,
            fix: differs || loser != nil ? nil : "Remove the rules after it, or narrow this one.")
    }

    /// Reports rules that never decide for any app because earlier rules cover them.
    private mutating func covered(except known: Set<Int>) {
        var alive = known
        var found: [Int: (dead: RuleCoverage, by: RuleCoverage, sample: LinkURL, isTogether: Bool)] = [:]
        var left = Self.mostComparisons
        let limits = RuleCoverage.Limits(perRule: 100_000, total: 400_000)
        var effort = MatchEffort(left: Self.claimsEffort)
        for group in matcher.appGroups {
            guard let app = group.first else { continue }
            // The limit is for files with thousands of rules. The rules beyond it are not checked.
            let entries = matcher.entriesOfApp[app] ?? []
            let count = entries.reduce(0) { $0 + matcher.entries[$1].rules.count }
            if count > 1, count <= Self.mostRules { left -= count * count }
            guard count > 1, count <= Self.mostRules, left >= 0, !allDecide(entries, &effort) else {
                for entry in entries { alive.formUnion(matcher.entries[entry].rules.map(\.range.lowerBound)) }
                continue
            }
            let rules = RuleCoverage.rules(of: app, matcher, limits: limits)
            for rule in rules {
                let place = rule.range.lowerBound
                switch rule.verdict {
                case .covered(let by, let sample) where rules.indices.contains(by):
                    if found[place] == nil { found[place] = (rule, rules[by], sample, false) }
                case .coveredTogether(let by, let sample) where rules.indices.contains(by):
                    if found[place] == nil { found[place] = (rule, rules[by], sample, true) }
                // A rule that matches no URL has a finding of its own, by its cause.
                default: alive.insert(place)
                }
            }
        }
        for (place, dead) in found.sorted(by: { $0.key < $1.key }) where !alive.contains(place) {
            report(dead.dead, by: dead.by, dead.sample, isTogether: dead.isTogether)
        }
    }

    /// Whether each rule decides one of its own examples. That is true in nearly every file, and the check is cheap.
    private mutating func allDecide(_ entries: [Int], _ effort: inout MatchEffort) -> Bool {
        for entry in entries {
            for (index, rule) in matcher.entries[entry].rules.enumerated() {
                let decides = examples.of(rule).contains { url in
                    var texts = AppleTexts(url, matcher.assumptions)
                    guard let found = matcher.first(in: entries, &texts, &effort) else { return false }
                    return found == (entry, index)
                }
                guard decides else { return false }
            }
        }
        return true
    }

    private mutating func report(_ dead: RuleCoverage, by: RuleCoverage, _ sample: LinkURL, isTogether: Bool) {
        let place = dead.range.lowerBound
        let link = shown(sample)
        let name = self.name(of: dead).capitalizedFirst
        let other = self.name(of: by)
        if dead.isExclude, !by.isExclude {
            findings.add(
                AppleOrderRules.deadExclude, at: place, "\(name) excludes nothing: \(other) opens \(link) before it")
        } else if dead.isExclude != by.isExclude {
            findings.add(
                AppleOrderRules.shadowed, at: place, "\(name) never decides: \(other) excludes \(link) before it")
        } else {
            // The rule has no effect on any link. It is only unnecessary.
            findings.add(
                AppleOrderRules.shadowed, at: place,
                "\(name) never decides: \(isTogether ? "the rules before it together cover it" : "\(other) covers it"), "
                    + "as with \(link), and decide\(isTogether ? "" : "s") the same",
                severity: .info, fix: "Remove the rule.")
        }
    }

    private func name(of found: RuleCoverage) -> String {
        guard let entry = matcher.entries.first(where: { $0.index == found.entry }),
            let rule = entry.rules.first(where: { $0.range == found.range })
        else { return "rule \(found.rule + 1)" }
        return self.name(of: rule, in: entry)
    }

    /// The limit exists because each rule is compared with all earlier rules.
    private static let mostRules = 400
    private static let mostComparisons = mostRules * mostRules

    /// The witness URL with the site's own host.
    func shown(_ url: LinkURL) -> String { "https://\(options.domain ?? "example.com")\(url.address)".quoted }
}

/// Example URLs of rules. Each list is computed once.
struct RuleExamples {
    private var known: [Int: [LinkURL]] = [:]
    private let sent = LinkSpaces(isDecoded: false, tellsAbsent: false)
    private let decoded = LinkSpaces(isDecoded: true, tellsAbsent: false)

    mutating func of(_ rule: AppleRule) -> [LinkURL] {
        let place = rule.range.lowerBound
        if let urls = known[place] { return urls }
        let urls = RuleSamples.of(rule, in: rule.reading.contains(.decoded) ? decoded : sent)
        known[place] = urls
        return urls
    }
}
