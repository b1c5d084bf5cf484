import SSOShared

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
    mutating func claims() {
        guard !matcher.entries.isEmpty else { return }
        // The limit is a few milliseconds in total. A hostile file gets fewer findings and takes no more time.
        var effort = MatchEffort(left: Self.claimsEffort)
        logins(&effort)
        wellKnown(&effort)
        sharedPaths(&effort)
    }

    private mutating func logins(_ effort: inout MatchEffort) {
        var taken: [Int: [String]] = [:]
        for path in Self.browserPaths {
            guard let url = address(path) else { continue }
            for rule in openers(of: url, &effort) { taken[rule, default: []].append(path) }
        }
        // This loop also finds rules whose own text names such URLs.
        for entry in matcher.entries {
            for rule in entry.rules where !rule.isExclude && taken[rule.range.lowerBound] == nil {
                guard let word = Self.browserWord(in: rule.path.source) else { continue }
                taken[rule.range.lowerBound] = [word]
            }
        }
        for (rule, paths) in taken.sorted(by: { $0.key < $1.key }) where facts?.wide.contains(rule) != true {
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
    private mutating func wellKnown(_ effort: inout MatchEffort) {
        guard let url = address("/.well-known/apple-app-site-association"), let other = address("/"),
            let decoy = address("/.other")
        else { return }
        let general = openers(of: other, &effort).union(openers(of: decoy, &effort))
        let own = openers(of: url, &effort).subtracting(general)
        for rule in own.sorted() {
            findings.add(AppleOrderRules.hostWellKnown, at: rule, "The rule opens \(url.path) in the app")
        }
        // Systems also read the file from its old place in the root. A wide rule that matches it gets no finding.
        guard let root = address("/apple-app-site-association"), let like = address("/apple-"),
            let other = address("/ap-app-site-association")
        else { return }
        let wide = openers(of: like, &effort).union(openers(of: other, &effort)).union(own)
        for rule in openers(of: root, &effort).subtracting(wide.union(general)).sorted() {
            findings.add(AppleOrderRules.hostWellKnown, at: rule, "The rule opens \(root.path) in the app")
        }
    }

    /// The places of the rules that open a URL, one per app.
    private func openers(of url: LinkURL, _ effort: inout MatchEffort) -> Set<Int> {
        var texts = AppleTexts(url, matcher.assumptions)
        var places: Set<Int> = []
        for entries in matcher.apps.compactMap({ matcher.entriesOfApp[$0] }).uniqued(by: { $0 }) {
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
    mutating func sharedPaths(_ effort: inout MatchEffort) {
        let entries = matcher.entries
        let texts = facts?.rulesTexts ?? [:]
        let claimed = Set(facts?.losers.values.map(\.index) ?? [])
        guard entries.count > 1 else { return }
        for (later, entry) in entries.enumerated() {
            // Equal rules have another finding already. Its fix is to join the entries.
            let text = texts[entry.range.lowerBound]
            let others = Self.others(than: entry, in: entries[..<later]).filter {
                texts[entries[$0].range.lowerBound] != text
            }
            // Each app is tested once, because all its entries decide together.
            let before = others.compactMap { entries[$0].apps.first }.uniqued { $0 }
            guard !before.isEmpty else { continue }
            if let found = shared(entry, with: before, &effort) {
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
        _ entry: AppleEntry, with before: [String], _ effort: inout MatchEffort
    ) -> (place: Int, url: LinkURL, other: String)? {
        for rule in entry.rules where !rule.isExclude {
            for url in examples.of(rule) {
                var parts = AppleTexts(url, matcher.assumptions)
                guard let own = entry.apps.first, opens(own, &parts, &effort) else { continue }
                for app in before {
                    effort.left -= Self.costOfTry
                    guard !effort.isSpent else { return nil }
                    if opens(app, &parts, &effort) { return (rule.range.lowerBound, url, app) }
                }
            }
        }
        return nil
    }

    private func opens(_ app: String, _ texts: inout AppleTexts, _ effort: inout MatchEffort) -> Bool {
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
