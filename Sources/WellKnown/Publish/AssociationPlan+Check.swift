import SSOShared

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
