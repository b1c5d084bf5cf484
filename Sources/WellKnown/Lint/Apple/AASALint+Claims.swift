import SSOShared

extension AASALint {
    /// Addresses that an app rarely means to take. Our own contract's `/auth/sso/authorize` and `/sign-in/link/*` are
    /// meant to open the app, and are not among them.
    static let browserPaths = [
        "/auth/callback", "/auth/sso/callback", "/oauth/callback", "/oauth2/callback", "/login/callback",
        "/sso/callback", "/callback", "/signin-oidc", "/saml/acs", "/login/oauth2/code/google",
        "/__/auth/handler", "/login", "/log-in", "/signin", "/sign-in", "/logout", "/sign-out", "/unsubscribe",
        "/email/unsubscribe", "/download",
    ]

    /// Steps of the matcher for all questions of one kind.
    static let claimsEffort = 200_000

    /// Callbacks, the files themselves, and what two apps take at once.
    mutating func claims(_ matcher: AppleMatcher) {
        guard !matcher.entries.isEmpty else { return }
        var effort = MatchEffort()
        // A few milliseconds in all: a hostile file has fewer remarks, not more time.
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
        // And rules that are about such addresses by their own words.
        for entry in matcher.entries {
            for rule in entry.rules where !rule.isExclude && taken[rule.range.lowerBound] == nil {
                guard let word = Self.browserWord(in: rule.path.source) else { continue }
                taken[rule.range.lowerBound] = [word]
            }
        }
        for (rule, paths) in taken.sorted(by: { $0.key < $1.key }) where !remarked.contains(rule) {
            let shown = paths.prefix(3).joined(separator: ", ") + (paths.count > 3 ? " and others" : "")
            sheet.add(AppleOrderRules.loginLinks, at: rule, "The rule opens \(shown) in the app")
        }
    }

    /// The path of a rule when one of its segments speaks of a callback or of what browsers do themselves.
    private static func browserWord(in path: String) -> String? {
        guard path.utf8.count > 3 else { return nil }
        let words = path.lowercased().utf8.split { !$0.isASCIILetter }.map { String(decoding: $0, as: UTF8.self) }
        let known: Set = ["callback", "callbacks", "oauth", "oauthredirect", "saml", "oidc", "logout", "unsubscribe"]
        return words.contains(where: known.contains) ? path : nil
    }

    /// A rule for every address takes them as well; only one that is about them is worth a word.
    private mutating func wellKnown(_ matcher: AppleMatcher, _ effort: inout MatchEffort) {
        guard let url = address("/.well-known/apple-app-site-association"), let other = address("/"),
            let decoy = address("/.other")
        else { return }
        let general = openers(of: other, matcher, &effort).union(openers(of: decoy, matcher, &effort))
        let own = openers(of: url, matcher, &effort).subtracting(general)
        for rule in own.sorted() {
            sheet.add(AppleOrderRules.hostWellKnown, at: rule, "The rule opens \(url.path) in the app")
        }
        // The place of old, where systems look, too; a wide rule takes it along with much else.
        guard let root = address("/apple-app-site-association"), let like = address("/apple-"),
            let other = address("/ap-app-site-association")
        else { return }
        let wide = openers(of: like, matcher, &effort).union(openers(of: other, matcher, &effort)).union(own)
        for rule in openers(of: root, matcher, &effort).subtracting(wide.union(general)).sorted() {
            sheet.add(AppleOrderRules.hostWellKnown, at: rule, "The rule opens \(root.path) in the app")
        }
    }

    /// The places of the rules that open an address, one for each app.
    private func openers(of url: LinkURL, _ matcher: AppleMatcher, _ effort: inout MatchEffort) -> Set<Int> {
        var texts = AppleTexts(url, matcher.conventions)
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
