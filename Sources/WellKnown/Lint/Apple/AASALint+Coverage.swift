import SSOShared

extension AASALint {
    /// Reports rules that never decide because of their place, and entries that open no link.
    mutating func order(_ matcher: AppleMatcher) {
        var opening: Set<String> = []
        for entry in matcher.entries where entry.rules.contains(where: { !$0.isExclude }) {
            opening.formUnion(entry.apps)
        }
        var dead: Set<Int> = []
        let narrow = matcher.entries.filter { entry in
            entry.rules.contains { !$0.isExclude } && !entry.rules.contains { $0.isCatchAll && !$0.isExclude }
        }
        for entry in matcher.entries where !entry.rules.isEmpty {
            if entry.rules.allSatisfy(\.isExclude), opening.isDisjoint(with: entry.apps) {
                findings.add(
                    AppleOrderRules.excludeOnly, at: entry.rules[0].range.lowerBound,
                    "Entry \(entry.index + 1) has only rules that exclude: nothing opens \(entry.apps[0].quoted)")
            }
            guard let first = entry.rules.firstIndex(where: \.isCatchAll) else { continue }
            if first + 1 < entry.rules.count, entry.rules.count <= Self.mostRules {
                dead.formUnion(entry.rules[(first + 1)...].map(\.range.lowerBound))
            }
            // A rule that is this wide only because a value was ignored already has a finding.
            let place = entry.rules[first].range.lowerBound
            guard !remarked.contains(place) || empty.contains(place) else { continue }
            catchAll(first, of: entry, narrow)
        }
        covered(matcher, except: dead)
    }

    /// Reports a rule that matches everything, if rules follow it. It is an error only if one of them would have decided
    /// differently, or would have given its links to another app.
    ///
    /// - Parameter narrow: the entries whose rules open some links and not all. An app with a rule for everything is
    ///   usually another build of the same app.
    private mutating func catchAll(_ first: Int, of entry: AppleEntry, _ narrow: [AppleEntry]) {
        let rule = entry.rules[first]
        let later = entry.rules[(first + 1)...]
        let differs = later.contains { $0.isExclude != rule.isExclude }
        let own = Set(entry.apps)
        let others = rule.isExclude ? [] : narrow.drop { $0.index <= entry.index }.prefix(50)
        let loser = others.first { own.isDisjoint(with: $0.apps) }
        guard !later.isEmpty || loser != nil else { return }
        var effects: [String] = []
        if !later.isEmpty {
            let rest =
                later.count == 1 ? "the rule after it never decides" : "the \(later.count) rules after it never decide"
            effects.append(rest + (differs || loser != nil ? "" : ", and would decide the same"))
        }
        if let loser {
            claimed.insert(loser.index)
            effects.append(
                "where both apps are installed, no link opens \(loser.apps[0].quoted) of entry \(loser.index + 1)")
        }
        findings.add(
            AppleOrderRules.catchAllFirst, at: rule.range.lowerBound,
            "Rule \(rule.index + 1) of entry \(entry.index + 1) matches everything: "
                + effects.joined(separator: "; "),
            severity: differs || loser != nil ? nil : .info,
            fix: differs || loser != nil ? nil : "Remove the rules after it, or narrow this one.")
    }

    /// Reports rules that never decide for any app because earlier rules cover them.
    private mutating func covered(_ matcher: AppleMatcher, except known: Set<Int>) {
        var alive = known
        var found: [Int: (dead: RuleCoverage, by: RuleCoverage, sample: LinkURL, isTogether: Bool)] = [:]
        var left = Self.mostComparisons
        var limits = RuleCoverage.Limits()
        limits.perRule = 100_000
        limits.total = 400_000
        var effort = MatchEffort()
        effort.left = Self.claimsEffort
        for group in matcher.appGroups {
            guard let app = group.first else { continue }
            // The limit is for files with thousands of rules. The rules beyond it are not checked.
            let entries = matcher.entriesOfApp[app] ?? []
            let count = entries.reduce(0) { $0 + matcher.entries[$1].rules.count }
            if count > 1, count <= Self.mostRules { left -= count * count }
            guard count > 1, count <= Self.mostRules, left >= 0, !allDecide(entries, matcher, &effort) else {
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
    private mutating func allDecide(_ entries: [Int], _ matcher: AppleMatcher, _ effort: inout MatchEffort) -> Bool {
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
        let name = "Rule \(dead.rule + 1) of entry \(dead.entry + 1)"
        let other = "rule \(by.rule + 1)" + (by.entry == dead.entry ? "" : " of entry \(by.entry + 1)")
        if dead.isExclude, !by.isExclude {
            findings.add(
                AppleOrderRules.deadExclude, at: place,
                "\(name) excludes nothing: \(other) opens \(link) before it")
        } else if dead.isExclude == by.isExclude {
            // The rule has no effect on any link. It is only unnecessary.
            findings.add(
                AppleOrderRules.shadowed, at: place,
                "\(name) never decides: \(isTogether ? "the rules before it together cover it" : "\(other) covers it"), "
                    + "as with \(link), and decide\(isTogether ? "" : "s") the same",
                severity: .info, fix: "Remove the rule.")
        } else {
            findings.add(
                AppleOrderRules.shadowed, at: place,
                "\(name) never decides: \(other) excludes \(link) before it")
        }
    }

    /// The limit exists because each rule is compared with all earlier rules.
    private static let mostRules = 400
    private static let mostComparisons = mostRules * mostRules

    /// The witness URL with the site's own host.
    func shown(_ url: LinkURL) -> String {
        let tail = (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
        return ("https://" + (options.domain ?? "example.com") + url.path + tail).quoted
    }
}

extension AASALint {
    /// URLs that should usually stay in the browser. This list leaves out `/auth/sso/authorize` and `/sign-in/link/*`,
    /// because swift-sso uses these paths to open the app.
    static let browserPaths = [
        "/auth/callback", "/auth/sso/callback", "/oauth/callback", "/oauth2/callback", "/login/callback",
        "/sso/callback", "/callback", "/signin-oidc", "/saml/acs", "/login/oauth2/code/google",
        "/__/auth/handler", "/login", "/log-in", "/signin", "/sign-in", "/logout", "/sign-out", "/unsubscribe",
        "/email/unsubscribe", "/download",
    ]

    /// The number of matcher steps for all checks of one kind.
    static let claimsEffort = 200_000

    /// Checks callbacks, the paths of the files themselves, and URLs that two apps claim.
    mutating func claims(_ matcher: AppleMatcher) {
        guard !matcher.entries.isEmpty else { return }
        var effort = MatchEffort()
        // The limit is a few milliseconds in total. A hostile file gets fewer findings and takes no more time.
        effort.left = Self.claimsEffort
        logins(matcher, &effort)
        wellKnown(matcher, &effort)
        sharedPaths(matcher, &effort)
    }

    private mutating func logins(_ matcher: AppleMatcher, _ effort: inout MatchEffort) {
        var taken: [Int: [String]] = [:]
        for path in Self.browserPaths {
            guard let url = address(path) else { continue }
            for rule in openers(of: url, matcher, &effort) { taken[rule, default: []].append(path) }
        }
        // This loop also finds rules whose own text names such URLs.
        for entry in matcher.entries {
            for rule in entry.rules where !rule.isExclude && taken[rule.range.lowerBound] == nil {
                guard let word = Self.browserWord(in: rule.path.source) else { continue }
                taken[rule.range.lowerBound] = [word]
            }
        }
        for (rule, paths) in taken.sorted(by: { $0.key < $1.key }) where !remarked.contains(rule) {
            let shown = paths.prefix(3).joined(separator: ", ") + (paths.count > 3 ? " and others" : "")
            findings.add(AppleOrderRules.loginLinks, at: rule, "The rule opens \(shown) in the app")
        }
    }

    /// The path of a rule, if one of its segments names a callback or another page for the browser.
    private static func browserWord(in path: String) -> String? {
        guard path.utf8.count > 3 else { return nil }
        let words = path.lowercased().utf8.split { !$0.isASCIILetter }.map { String(decoding: $0, as: UTF8.self) }
        let known: Set = ["callback", "callbacks", "oauth", "oauthredirect", "saml", "oidc", "logout", "unsubscribe"]
        return words.contains(where: known.contains) ? path : nil
    }

    /// Reports rules about `/.well-known/`. A catch-all rule also matches these URLs, and gets no finding for it.
    private mutating func wellKnown(_ matcher: AppleMatcher, _ effort: inout MatchEffort) {
        guard let url = address("/.well-known/apple-app-site-association"), let other = address("/"),
            let decoy = address("/.other")
        else { return }
        let general = openers(of: other, matcher, &effort).union(openers(of: decoy, matcher, &effort))
        let own = openers(of: url, matcher, &effort).subtracting(general)
        for rule in own.sorted() {
            findings.add(AppleOrderRules.hostWellKnown, at: rule, "The rule opens \(url.path) in the app")
        }
        // Systems also read the file from its old place in the root. A wide rule that matches it gets no finding.
        guard let root = address("/apple-app-site-association"), let like = address("/apple-"),
            let other = address("/ap-app-site-association")
        else { return }
        let wide = openers(of: like, matcher, &effort).union(openers(of: other, matcher, &effort)).union(own)
        for rule in openers(of: root, matcher, &effort).subtracting(wide.union(general)).sorted() {
            findings.add(AppleOrderRules.hostWellKnown, at: rule, "The rule opens \(root.path) in the app")
        }
    }

    /// The places of the rules that open a URL, one per app.
    private func openers(of url: LinkURL, _ matcher: AppleMatcher, _ effort: inout MatchEffort) -> Set<Int> {
        var texts = AppleTexts(url, matcher.assumptions)
        var places: Set<Int> = []
        var seen: Set<[Int]> = []
        for app in matcher.apps {
            guard let entries = matcher.entriesOfApp[app], seen.insert(entries).inserted else { continue }
            guard let found = matcher.first(in: entries, &texts, &effort) else { continue }
            let rule = matcher.entries[found.entry].rules[found.rule]
            if !rule.isExclude { places.insert(rule.range.lowerBound) }
        }
        return places
    }

    func address(_ path: String) -> LinkURL? { LinkURL("https://\(options.domain ?? "example.com")\(path)") }
}

extension AASALint {
    /// Reports two entries for different apps that open the same URL. The check tests an example URL of each rule of
    /// the later entry with the apps of the earlier entries. The matcher decides, so there are no false findings. An
    /// overlap without an example URL is not found.
    mutating func sharedPaths(_ matcher: AppleMatcher, _ effort: inout MatchEffort) {
        let entries = matcher.entries
        let texts = rulesTexts
        guard entries.count > 1 else { return }
        for (later, entry) in entries.enumerated() {
            // Equal rules have another finding already. Its fix is to join the entries.
            let text = texts[entry.range.lowerBound]
            let others = Self.others(than: entry, in: entries[..<later]).filter {
                texts[entries[$0].range.lowerBound] != text
            }
            // Each app is tested once, because all its entries decide together.
            var seen: Set<String> = []
            let before = others.compactMap { entries[$0].apps.first }.filter { seen.insert($0).inserted }
            guard !before.isEmpty else { continue }
            if let found = shared(entry, with: before, matcher, &effort) {
                guard !claimed.contains(entry.index) else { continue }
                let link = shown(found.url)
                findings.add(
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
                var parts = AppleTexts(url, matcher.assumptions)
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

    /// The fixed cost of one test besides matching, in steps.
    private static let costOfTry = 50

    /// The earlier entries that share no app with this entry.
    private static func others(than entry: AppleEntry, in before: ArraySlice<AppleEntry>) -> [Int] {
        let own = Set(entry.apps)
        return before.indices.prefix(50).filter { own.isDisjoint(with: before[$0].apps) }
    }
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
