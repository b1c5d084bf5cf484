import SSOShared

/// Defines which links open which apps, once for both systems: apps, routes and excludes.
public struct AssociationPlan: Sendable {
    public let appleApps: [AppleAppID]
    public let androidApps: [AndroidApp]
    /// The routes, at least one.
    public let routes: [LinkRoute]
    /// Paths that stay in the browser even if a route matches.
    public let excludes: [LinkRoute]
    public let options: Options

    public struct Options: Sendable, Hashable {
        /// Whether the rules are also written in the form for iOS 12 and older.
        public var hasLegacyPaths = false
        /// Whether the rules are also written into assetlinks.json, for Android 15 and later.
        public var hasDynamicRules = false
        /// Whether the apps may use the passwords and passkeys saved for the site.
        public var sharesCredentials = true

        public init() {}
    }

    /// - Throws: ``AssociationError`` if there is no app or no route, for duplicates, and for excludes with Android apps
    ///   but without dynamic rules, because a manifest cannot exclude paths.
    public init(
        appleApps: [AppleAppID] = [], androidApps: [AndroidApp] = [], routes: [LinkRoute],
        excludes: [LinkRoute] = [], options: Options = Options()
    ) throws(AssociationError) {
        guard !appleApps.isEmpty || !androidApps.isEmpty else { throw .plan(reason: "there is no app") }
        guard !routes.isEmpty else { throw .plan(reason: "there is no path that opens the apps") }
        if let twice = Self.twice(appleApps.map(\.description)) { throw .duplicate(item: twice) }
        if let twice = Self.twice(androidApps.map(\.packageName)) { throw .duplicate(item: twice) }
        if let twice = Self.twice((routes + excludes).map(\.description)) { throw .duplicate(item: twice) }
        if let first = excludes.first, !androidApps.isEmpty, !options.hasDynamicRules {
            throw .plan(
                reason:
                    "a manifest cannot keep \(first) out of an app on Android: dynamic rules can, from Android 15 on")
        }
        (self.appleApps, self.androidApps, self.routes, self.excludes) = (appleApps, androidApps, routes, excludes)
        self.options = options
    }

    private static func twice(_ items: [String]) -> String? {
        var seen: Set<[UInt8]> = []
        return items.first { !seen.insert(Array($0.utf8)).inserted }
    }

    /// Apple's file, or `nil` without an app on Apple's systems.
    public var appleFile: AppleAppSiteAssociation? {
        AppleAppSiteAssociation(
            appIDs: appleApps, paths: routes.map(\.appleForm), excludes: excludes.map(\.appleForm),
            hasLegacyPaths: options.hasLegacyPaths, sharesCredentials: options.sharesCredentials)
    }

    /// Google's file, or `nil` without an Android app.
    public var assetLinks: AssetLinks? {
        // `/shop` and `/shop/*` have forms in common, and a rule that appears twice never decides.
        func forms(_ routes: [LinkRoute]) -> [String] { routes.flatMap(\.androidForms).uniqued { Array($0.utf8) } }
        let rules = AssetLinks.Rules(paths: forms(routes), excludes: forms(excludes))
        return AssetLinks(
            apps: androidApps, rules: options.hasDynamicRules ? rules : nil,
            sharesCredentials: options.sharesCredentials)
    }

    /// The intent filter that the Android app's manifest needs for the same links.
    ///
    /// - Parameter host: the host of the links, as in URLs.
    public func intentFilter(host: String) -> IntentFilter {
        IntentFilter(
            autoVerify: true, actions: ["android.intent.action.VIEW"],
            categories: ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"], schemes: ["https"],
            hosts: [ManifestHost(host)], paths: routes.flatMap(\.manifestPaths))
    }

    func opens(_ path: String) -> Bool {
        routes.contains { $0.holds(for: path) } && !excludes.contains { $0.holds(for: path) }
    }
}

extension AssociationPlan {
    /// A link that a reader handles differently than the plan.
    public struct Mismatch: Sendable, Hashable, CustomStringConvertible {
        /// The system: "iOS", "iOS 12 and older", "Android 15 and later" or "Android".
        public let system: String
        public let app: String
        public let url: LinkURL
        /// Whether the plan opens the app for the link.
        public let isMeant: Bool

        private static let starHint = " (There a star stops at the first place where the sign after it is.)"

        public var description: String {
            "\(url) \(isMeant ? "should open" : "should not open") \(app), and on \(system) it "
                + (isMeant ? "does not." : "does.") + (isMeant && system.hasPrefix("Android") ? Self.starHint : "")
        }
    }

    /// Runs the matchers on the bytes to publish, with sample URLs of every route and exclude, for every system.
    ///
    /// - Returns: an empty list if every reader follows the plan.
    public func mismatches(host: String = "example.com") -> [Mismatch] {
        var found: [Mismatch] = []
        let samples = (routes + excludes).flatMap(\.samples).compactMap { path in
            LinkURL("https://\(host)\(PatternEscapes.encoded(path, limit: .max))").map {
                (url: $0, isMeant: opens(path))
            }
        }
        func ask(_ system: String, _ apps: [String], _ opens: (LinkURL, String) -> Bool) {
            for app in apps {
                for sample in samples where opens(sample.url, app) != sample.isMeant {
                    found.append(Mismatch(system: system, app: app, url: sample.url, isMeant: sample.isMeant))
                }
            }
        }
        let apple = appleApps.map(\.description)
        if let matcher = appleFile.flatMap({ AASAFile(JSONReader.read($0.json())) }).map({ AppleMatcher($0) }) {
            ask("iOS", apple) { matcher.decide($0, app: $1) == .opens }
        }
        if options.hasLegacyPaths,
            let matcher = appleFile.flatMap({ AASAFile(JSONReader.read($0.legacyJSON())) }).map({ AppleMatcher($0) })
        {
            ask("iOS 12 and older", apple) { matcher.decide($0, app: $1) == .opens }
        }
        guard let file = assetLinks.flatMap({ AssetLinksFile(JSONReader.read($0.json())) }) else { return found }
        let (matcher, manifest) = (AndroidMatcher(file), ManifestMatcher([intentFilter(host: host)]))
        ask(options.hasDynamicRules ? "Android 15 and later" : "Android", androidApps.map(\.packageName)) { url, app in
            let decision = matcher.decide(url, package: app)
            return (decision == .opens || decision == .manifestDecides) && manifest.filter(for: url) != nil
        }
        return found
    }

    /// Routes that open no sample, because the excludes cover all of them.
    public var deadRoutes: [LinkRoute] { routes.filter { !$0.samples.contains(where: opens) } }
}

extension IntentFilter {
    /// The element for an AndroidManifest.xml, indented by four blanks per level, with a line break at the end.
    ///
    /// Backslashes are doubled, because the resource compiler removes one of each pair.
    /// Source: Android, "`<data>` element"; "String resources", section "Escape special characters".
    public var manifestText: String {
        var lines = ["<intent-filter\(autoVerify ? " android:autoVerify=\"true\"" : "")>"]
        func add(_ element: String, _ attributes: String) { lines.append("    <\(element) \(attributes) />") }
        for action in actions { add("action", Self.attribute("name", action)) }
        for category in categories { add("category", Self.attribute("name", category)) }
        for scheme in schemes { add("data", Self.attribute("scheme", scheme)) }
        for host in hosts {
            add("data", Self.attribute("host", host.name) + (host.port.map { " " + Self.attribute("port", $0) } ?? ""))
        }
        for path in paths { add("data", Self.attribute(path.kind.rawValue, path.text)) }
        return (lines + ["</intent-filter>"]).map { $0 + "\n" }.joined()
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "\\'")
        return "android:\(name)=\"\(escaped)\""
    }
}
