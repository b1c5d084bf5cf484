extension AASALint {
    /// Two entries for different apps that open one address: an example address of each rule of the later one is tried
    /// on the apps before it. What is reported was decided by the matcher; what no example shows is not found.
    mutating func sharedPaths(_ matcher: AppleMatcher, _ effort: inout MatchEffort) {
        let entries = matcher.entries
        let texts = rulesTexts
        guard entries.count > 1 else { return }
        for (later, entry) in entries.enumerated() {
            // Equal rules are one finding already, and joining them is its fix.
            let text = texts[entry.range.lowerBound]
            let others = Self.others(than: entry, in: entries[..<later]).filter {
                texts[entries[$0].range.lowerBound] != text
            }
            // An app is asked once: all its entries decide together.
            var seen: Set<String> = []
            let before = others.compactMap { entries[$0].apps.first }.filter { seen.insert($0).inserted }
            guard !before.isEmpty else { continue }
            if let found = shared(entry, with: before, matcher, &effort) {
                let link = shown(found.url)
                sheet.add(
                    AppleStructureRules.sharedPath, at: found.place,
                    "\(link) opens \(found.other.quoted); \(entry.apps[0].quoted) also claims it")
            }
            guard !effort.isSpent else { return }
        }
    }

    private mutating func shared(
        _ entry: AppleEntry, with before: [String], _ matcher: AppleMatcher, _ effort: inout MatchEffort
    ) -> (place: Int, url: LinkURL, other: String)? {
        for rule in entry.rules where !rule.isExclude {
            for url in examples.of(rule) {
                var parts = AppleTexts(url, matcher.conventions)
                guard let own = entry.apps.first, opens(own, matcher, &parts, &effort) else { continue }
                for app in before {
                    effort.left -= Self.costOfTry
                    guard !effort.isSpent else { return nil }
                    if opens(app, matcher, &parts, &effort) { return (rule.range.lowerBound, url, app) }
                }
            }
        }
        return nil
    }

    private func opens(
        _ app: String, _ matcher: AppleMatcher, _ texts: inout AppleTexts, _ effort: inout MatchEffort
    ) -> Bool {
        guard let entries = matcher.entriesOfApp[app], let found = matcher.first(in: entries, &texts, &effort) else {
            return false
        }
        return !matcher.entries[found.entry].rules[found.rule].isExclude
    }

    /// What a try takes besides comparing, in steps.
    private static let costOfTry = 50

    /// The entries before that have none of this one's apps.
    private static func others(than entry: AppleEntry, in before: ArraySlice<AppleEntry>) -> [Int] {
        let own = Set(entry.apps)
        return before.indices.prefix(50).filter { own.isDisjoint(with: before[$0].apps) }
    }
}

/// Example addresses of rules, made once each.
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
