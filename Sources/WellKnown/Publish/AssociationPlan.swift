import SSOShared

/// Which links open which apps, said once for both systems: apps, routes and what is kept out.
public struct AssociationPlan: Sendable {
    public let appleApps: [AppleAppID]
    public let androidApps: [AndroidApp]
    /// Never empty.
    public let routes: [LinkRoute]
    /// Stay in the browser, whatever the routes say.
    public let excludes: [LinkRoute]
    public let options: Options

    public struct Options: Sendable, Hashable {
        /// Also writes the rules as iOS 12 and older read them.
        public var hasLegacyPaths = false
        /// Also writes the rules into assetlinks.json, for Android 15 and later; what is older goes by the manifest.
        public var hasDynamicRules = false
        /// The apps may use the passwords and passkeys saved for the site.
        public var sharesCredentials = true

        public init() {}
    }

    /// - Throws: ``AssociationError`` when there is no app or no route, for duplicates, and for excludes that
    ///   Android could not hear of.
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

    /// `nil` without an app on Apple's systems.
    public var appleFile: AppleAppSiteAssociation? {
        AppleAppSiteAssociation(
            appIDs: appleApps, paths: routes.map(\.appleForm), excludes: excludes.map(\.appleForm),
            hasLegacyPaths: options.hasLegacyPaths, sharesCredentials: options.sharesCredentials)
    }

    /// `nil` without an app on Android.
    public var assetLinks: AssetLinks? {
        let rules = AssetLinks.Rules(
            paths: Self.once(routes.flatMap(\.androidForms)), excludes: Self.once(excludes.flatMap(\.androidForms)))
        return AssetLinks(
            apps: androidApps, rules: options.hasDynamicRules ? rules : nil,
            sharesCredentials: options.sharesCredentials)
    }

    /// `/shop` and `/shop/*` have forms in common; a rule that appears twice never decides.
    private static func once(_ forms: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return forms.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// What the Android app's manifest must say for the same links.
    ///
    /// - Parameter host: the host of the links, as in URLs.
    public func intentFilter(host: String) -> IntentFilter {
        IntentFilter(
            autoVerify: true, actions: ["android.intent.action.VIEW"],
            categories: ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"], schemes: ["https"],
            hosts: [ManifestHost(host)], paths: routes.flatMap(\.manifestPaths))
    }

    /// Whether a path is meant to open the apps.
    func opens(_ path: String) -> Bool {
        routes.contains { $0.holds(for: path) } && !excludes.contains { $0.holds(for: path) }
    }
}

extension AssociationPlan {
    /// A reader that does with a link what the plan did not mean.
    public struct Mismatch: Sendable, Hashable, CustomStringConvertible {
        /// "iOS", "iOS 12 and older", "Android 15 and later", "Android".
        public let system: String
        public let app: String
        public let url: LinkURL
        /// Whether the plan means it to open the app.
        public let isMeant: Bool

        private static let starHint = " (There a star stops at the first place where the sign after it is.)"

        /// One sentence.
        public var description: String {
            "\(url) \(isMeant ? "should open" : "should not open") \(app), and on \(system) it "
                + (isMeant ? "does not." : "does.")
                + (isMeant && system.hasPrefix("Android") ? Self.starHint : "")

        }
    }

    /// Asks the matchers about sample addresses of every route and exclude, on every system, with the bytes that would be
    /// published.
    ///
    /// - Returns: Nothing when every reader does as meant.
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

    /// Routes of which not one sample is meant to open: the excludes take all of it.
    public var deadRoutes: [LinkRoute] { routes.filter { !$0.samples.contains(where: opens) } }
}

extension IntentFilter {
    /// The element for an AndroidManifest.xml, indented by four blanks a level, with a line break at the end.
    ///
    /// Backslashes are doubled: the resource compiler takes one of each pair.
    /// Source: Android, "`<data>` element"; "String resources", section "Escape special characters".
    public var manifestText: String {
        var lines = ["<intent-filter\(autoVerify ? " android:autoVerify=\"true\"" : "")>"]
        func add(_ element: String, _ attributes: String) { lines.append("    <\(element) \(attributes) />") }
        for action in actions { add("action", Self.attribute("name", action)) }
        for category in categories { add("category", Self.attribute("name", category)) }
        for scheme in schemes { add("data", Self.attribute("scheme", scheme)) }
        for host in hosts {
            add(
                "data",
                Self.attribute("host", host.name) + (host.port.map { " " + Self.attribute("port", $0) } ?? ""))
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
