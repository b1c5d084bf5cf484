import SSOShared

/// Compares the two files of one site: the codes `parity.*`.
public struct ParityLint: Sendable {
    public struct AppPair: Sendable, Hashable {
        /// The app identifier with its prefix, as in the file.
        public let apple: String
        /// The package name.
        public let android: String
    }

    /// A link that the two systems handle differently.
    public struct Difference: Sendable {
        public let url: LinkURL
        public let pair: AppPair
        public let apple: LinkExplanation
        public let android: LinkExplanation
        /// Android's decision from the file and the manifest. Without a manifest, ``LinkDecision/manifestDecides``.
        public let androidDecision: LinkDecision
    }

    public let apple: AppleMatcher
    public let android: AndroidMatcher
    /// The intent filters of the Android app, or `nil` if its manifest is not available.
    public let manifest: ManifestMatcher?
    private let host: String

    /// - Parameters:
    ///   - filters: the filters in the Android app's manifest, if it is available. They narrow what the file allows.
    ///   - host: the host of the sample URLs.
    public init(
        _ aasa: AASAFile, _ assetLinks: AssetLinksFile, filters: [IntentFilter]? = nil, host: String = "example.com"
    ) {
        apple = AppleMatcher(aasa)
        android = AndroidMatcher(assetLinks)
        manifest = filters.map { ManifestMatcher($0) }
        self.host = host
    }

    /// The apps that are in both files. A bundle identifier and a package name are a pair if they are equal without
    /// case, `-` and `_`. If one app remains on each side, those two are a pair.
    public var pairs: [AppPair] {
        func folded(_ name: String) -> [UInt8] {
            name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        }
        var packages: [[UInt8]: String] = [:]
        for package in android.apps where packages[folded(package)] == nil { packages[folded(package)] = package }
        var pairs: [AppPair] = []
        var left: [String] = []
        for app in apple.apps {
            let bundle = app.split(separator: ".", maxSplits: 1).last.map(String.init) ?? app
            if let package = packages[folded(bundle)] {
                pairs.append(AppPair(apple: app, android: package))
            } else {
                left.append(app)
            }
        }
        let named = Set(pairs.map(\.android))
        let rest = android.apps.filter { !named.contains($0) }
        if left.count == 1, rest.count == 1 { pairs.append(AppPair(apple: left[0], android: rest[0])) }
        return pairs
    }

    /// Returns links that open the app on only one system: the shortest link for each two deciding rules.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of links.
    ///   - effort: the maximum number of sample URLs.
    public func differences(of pair: AppPair, limit: Int = 20, effort: Int = 20_000) -> [Difference] {
        guard apple.refusal == nil, android.refusal == nil else { return [] }
        let samples = samples(for: pair, effort: effort)
        var found: [[String]: LinkURL] = [:]
        var order: [[String]] = []
        // The limit is a few milliseconds in total for any rules.
        var steps = MatchEffort()
        for address in samples.addresses where !steps.isSpent {
            guard let url = LinkURL("https://\(host)\(address)") else { continue }
            steps.left -= Self.costOfTry
            let ios = apple.deciding(url, app: pair.apple, &steps)
            let decision = androidDecision(url, package: pair.android)
            guard !steps.isSpent, Self.differ(ios.decision, decision) else { continue }
            let key = [ios.decision.rawValue, decision.rawValue, ios.rule.map { "\($0.entry)/\($0.rule)" } ?? ""]
            if let known = found[key] {
                guard url.description.utf8.count < known.description.utf8.count else { continue }
            } else {
                order.append(key)
            }
            found[key] = url
        }
        return order.prefix(limit).compactMap { key in
            found[key].map { url in
                Difference(
                    url: url, pair: pair, apple: apple.explain(url, app: pair.apple),
                    android: android.explain(url, package: pair.android),
                    androidDecision: androidDecision(url, package: pair.android))
            }
        }
    }

    /// The fixed cost of one sample besides matching, in steps.
    private static let costOfTry = 500

    private func samples(for pair: AppPair, effort: Int) -> ParitySamples {
        var samples = ParitySamples(limit: effort)
        let variables = SubstitutionVariables(apple.file)
        for entry in apple.entriesOfApp[pair.apple] ?? [] {
            for rule in apple.entries[entry].rules { samples.add(rule, variables) }
        }
        for rule in android.dynamicRules(of: pair.android)?.rules ?? [] { samples.add(rule) }
        for filter in manifest?.filters ?? [] { for path in filter.paths { samples.add(path) } }
        // Links that the rule alone matches, including links that earlier rules decide.
        let limits = RuleCoverage.Limits(total: effort * 100)
        let reaches =
            RuleCoverage.rules(of: pair.apple, apple, limits: limits)
            + (android.dynamicRules(of: pair.android).map { RuleCoverage.rules($0, limits: limits) } ?? [])
        for reach in reaches { if case .decides(let url) = reach.verdict { samples.add(url) } }
        return samples
    }

    /// Decides by the file, and by the manifest if it is available. Rules never allow more than the manifest.
    public func androidDecision(_ url: LinkURL, package: String) -> LinkDecision {
        let decision = android.decide(url, package: package)
        guard let manifest, decision == .opens || decision == .manifestDecides else { return decision }
        return manifest.filter(for: url) == nil ? .noMatch : .opens
    }

    /// Whether the decisions differ. If an unknown manifest decides, only a link that iOS explicitly excludes differs.
    private static func differ(_ ios: LinkDecision, _ android: LinkDecision) -> Bool {
        if android == .manifestDecides { return ios == .excluded }
        return (ios == .opens) != (android == .opens)
    }
}

extension ParityLint {
    /// Returns the differences between the two files.
    ///
    /// - Parameters:
    ///   - aasaName: the name of Apple's file, for the findings.
    ///   - assetLinksName: the name of Google's file, for the findings.
    public func findings(
        aasaName: String = "apple-app-site-association", assetLinksName: String = "assetlinks.json"
    ) -> [Finding] {
        // If many apps have the same rules, the finding names the first app and counts the others.
        var known: [[String]: Int] = [:]
        var different: [(difference: Difference, more: Int)] = []
        let pairs = pairs.prefix(100)
        let effort = max(500, 40_000 / max(pairs.count, 1))
        for pair in pairs {
            for difference in differences(of: pair, effort: min(effort, 20_000)) {
                let key = [
                    difference.url.description, difference.apple.decision.rawValue, difference.androidDecision.rawValue,
                ]
                if let index = known[key] {
                    different[index].more += 1
                } else {
                    known[key] = different.count
                    different.append((difference, 0))
                }
            }
        }
        return different.map { finding($0.difference, more: $0.more, aasaName, assetLinksName) }
            + serviceFindings(aasaName, assetLinksName)
    }

    private func finding(_ difference: Difference, more: Int, _ aasaName: String, _ assetLinksName: String) -> Finding {
        let ios =
            difference.apple.decision == .opens
            ? "opens \(difference.pair.apple)" : Self.words(difference.apple.decision)
        let onAndroid: String
        switch difference.androidDecision {
        case .opens: onAndroid = "opens \(difference.pair.android)"
        case .manifestDecides: onAndroid = "goes by the manifest of \(difference.pair.android), which is not at hand"
        case let decision:
            let fileAllows = difference.android.decision == .opens || difference.android.decision == .manifestDecides
            onAndroid = fileAllows ? "does not open it: no intent filter names it" : Self.words(decision)
        }
        let isDisputed = difference.apple.isDisputed || difference.android.isDisputed
        let message =
            "\(difference.url): iOS \(ios); Android \(onAndroid).\(more > 0 ? " (So do \(more) more apps.)" : "")"
            + (isDisputed ? " (Disputed.)" : "")
        let isOpen = difference.androidDecision == .manifestDecides
        // The rule that decides the link: Apple's rule if there is one, else Android's.
        let trial = difference.apple.deciding ?? difference.android.deciding
        let isApple = difference.apple.deciding != nil
        let document = isApple ? apple.file.document : android.file.document
        return Finding(
            ParityRules.decision, message, severity: isOpen ? .info : nil,
            file: isApple || trial == nil ? aasaName : assetLinksName,
            position: trial.map { document.position(at: $0.range.lowerBound) }, pointer: trial?.pointer)
    }

    private static func words(_ decision: LinkDecision) -> String {
        switch decision {
        case .opens: "opens the app"
        case .noMatch: "does not open it: no rule names it"
        case .excluded: "does not open it: a rule excludes it"
        case .manifestDecides: "goes by the manifest"
        }
    }

    /// Compares which apps share passwords and passkeys on the two systems: `webcredentials` and `get_login_creds`.
    public func serviceFindings(_ aasaName: String, _ assetLinksName: String) -> [Finding] {
        let hasApple = apple.file.webcredentials.value?.appIDs.isEmpty == false
        let relation = android.file.statements.first { statement in
            statement.relations.contains(RelationNames.getLoginCredentials)
                && statement.target.value?.namespace.value == "android_app"
        }
        let document = android.file.document
        guard hasApple == (relation == nil), !(hasApple ? android.apps : apple.apps).isEmpty,
            let place = (relation?.node ?? document.root)?.range.lowerBound
        else { return [] }
        let finding = Finding(
            ParityRules.service,
            hasApple
                ? "iOS apps have webcredentials; no Android app has get_login_creds."
                : "Android apps have get_login_creds; no iOS app has webcredentials.",
            file: assetLinksName, position: document.position(at: place), pointer: document.pointer(at: place))
        return [finding]
    }

    /// Reports a host that has only one of the two files. Returns `nil` if it has both or no file.
    public static func hostFinding(_ host: String, hasAASA: Bool, hasAssetLinks: Bool) -> Finding? {
        guard hasAASA != hasAssetLinks else { return nil }
        let there: AssociationKind = hasAASA ? .aasa : .assetlinks
        return Finding(ParityRules.host, "\(host) has \(there.fileName) and no \(there.other.fileName).")
    }
}

/// The rules about the two files of one site: codes `parity.*`.
public enum ParityRules {
    public static let rules: [LintRule] = [decision, service, host]

    static let decision = LintRule(
        "parity.decision", .warning, "A link opens the app on one system and not on the other",
        reason: "The same link opens the app on one phone and the browser on the other.",
        fix: "Write the rules so that both systems open the link, or neither.",
        source: "Apple, \"applinks.Details.Components\"; Google, \"Configure Dynamic App Links\"")
    static let service = LintRule(
        "parity.service", .info, "Passwords and passkeys are shared on one system only",
        reason: "Users sign in with saved credentials on one system, and have to type them on the other.",
        fix: "Name the app in webcredentials, and add get_login_creds to its statement.",
        source: "Apple, \"Supporting associated domains\"; Android, \"Sign in your user with Credential Manager\"")
    static let host = LintRule(
        "parity.host", .warning, "The host has only one of the two files",
        reason: "Its links open the app on one system only.", fix: "Also serve the other file.",
        source: "Apple, \"Supporting associated domains\"; Google, \"Verify Android App Links\"")
}
