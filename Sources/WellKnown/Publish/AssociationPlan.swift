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

    /// - Throws: ``AssociationFault`` when there is no app or no route, for what stands there twice, and for excludes that
    ///   Android could not hear of.
    public init(
        appleApps: [AppleAppID] = [], androidApps: [AndroidApp] = [], routes: [LinkRoute],
        excludes: [LinkRoute] = [], options: Options = Options()
    ) throws(AssociationFault) {
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

    /// `/shop` and `/shop/*` have forms in common; a rule that stands there twice never decides.
    private static func once(_ forms: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return forms.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// What the Android app's manifest must say for the same links.
    ///
    /// - Parameter host: of the links, as it stands in addresses.
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
