/// The file `/.well-known/assetlinks.json`, in which a site lists the Android apps that it trusts.
///
/// The file names apps. The app's manifest decides which links it opens. From Android 15 on, ``Rules`` can narrow them.
/// Source: Google, "Digital Asset Links", "Verify Android App Links" and "Configure assetlinks.json".
public struct AssetLinks: Hashable, Sendable {
    /// The path from which Android and Google's service request the file.
    public static let path = "/.well-known/assetlinks.json"

    /// The app may open links of the site.
    package static let handleAllURLs = "delegate_permission/common.handle_all_urls"
    /// The app may use the passwords and passkeys saved for the site.
    package static let getLoginCredentials = "delegate_permission/common.get_login_creds"

    /// Patterns for Android 15 and later. `*` matches any text up to the first place where the next character occurs.
    public struct Rules: Hashable, Sendable {
        /// Paths that open the app, in order.
        public let paths: [String]
        /// Paths that stay in the browser even if one of ``paths`` matches.
        public let excludes: [String]

        public init(paths: [String], excludes: [String] = []) {
            self.paths = paths
            self.excludes = excludes
        }
    }

    /// The apps, at least one.
    public let apps: [AndroidApp]
    /// The rules. They have at least one path, because a list of excludes alone would keep every link in the browser.
    public let rules: Rules?
    /// Whether the apps may use the passwords and passkeys saved for the site.
    public let sharesCredentials: Bool

    /// - Returns: `nil` without an app, and for rules without a path: an empty list would be a valid file.
    public init?(apps: [AndroidApp], rules: Rules? = nil, sharesCredentials: Bool = true) {
        guard !apps.isEmpty, rules?.paths.isEmpty != true else { return nil }
        self.apps = apps
        self.rules = rules
        self.sharesCredentials = sharesCredentials
    }

    /// Returns the file's bytes, equal for equal input. There is one statement per app with all its relations.
    public func json() -> [UInt8] { AssociationJSON.array(apps.map(statement)).bytes }

    private func statement(_ app: AndroidApp) -> AssociationJSON {
        let relations = [Self.handleAllURLs] + (sharesCredentials ? [Self.getLoginCredentials] : [])
        return .joined(
            [
                "relation": .array(relations.map { .string($0) }),
                "target": [
                    "namespace": "android_app", "package_name": .string(app.packageName),
                    "sha256_cert_fingerprints": .array(app.fingerprints.map { .string($0.description) }),
                ],
            ], rules.map { ["relation_extensions": Self.extensions($0)] } ?? [:])
    }

    /// The first rule that matches decides, so excludes come first.
    private static func extensions(_ rules: Rules) -> AssociationJSON {
        let kept: [AssociationJSON] = rules.excludes.map { ["/": .string($0), "exclude": true] }
        let components = AssociationJSON.array(kept + rules.paths.map { ["/": .string($0)] })
        return .object([(handleAllURLs, .object([(RelationExtension.componentsKey, components)]))])
    }
}
