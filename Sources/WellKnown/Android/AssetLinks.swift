/// The file `/.well-known/assetlinks.json`: the site vouches for Android apps.
///
/// The file names apps. Which links an app opens is in the app's manifest, which ``Rules`` can narrow from
/// Android 15 on.
/// Source: Google, "Digital Asset Links", "Verify Android App Links" and "Configure assetlinks.json".
public struct AssetLinks: Hashable, Sendable {
    /// Where Android and Google's service ask for the file.
    public static let path = "/.well-known/assetlinks.json"

    /// Links of the site may open the app.
    package static let handleAllURLs = "delegate_permission/common.handle_all_urls"
    /// The app may use the passwords and passkeys saved for the site.
    static let getLoginCredentials = "delegate_permission/common.get_login_creds"

    /// Patterns of paths, for Android 15 and later; `*` stands for any text up to where the next sign is.
    public struct Rules: Hashable, Sendable {
        /// Open the app, in order.
        public let paths: [String]
        /// Stay in the browser although one of ``paths`` holds for them.
        public let excludes: [String]

        public init(paths: [String], excludes: [String] = []) {
            self.paths = paths
            self.excludes = excludes
        }
    }

    /// Never empty.
    public let apps: [AndroidApp]
    /// Never without a path: a list that only excludes keeps every link out of the app.
    public let rules: Rules?
    /// Whether the apps may use the passwords and passkeys saved for the site.
    public let sharesCredentials: Bool

    /// - Returns: `nil` without an app, and for rules without a path: nothing to say means no file, never an empty list.
    public init?(apps: [AndroidApp], rules: Rules? = nil, sharesCredentials: Bool = true) {
        guard !apps.isEmpty, rules?.paths.isEmpty != true else { return nil }
        self.apps = apps
        self.rules = rules
        self.sharesCredentials = sharesCredentials
    }

    /// The file's bytes, the same for the same input: one statement an app, with its relations.
    public func json() -> [UInt8] {
        AssociationJSON.array(apps.map(statement)).bytes
    }

    private func statement(_ app: AndroidApp) -> AssociationJSON {
        let relations = [Self.handleAllURLs] + (sharesCredentials ? [Self.getLoginCredentials] : [])
        let members: [(String, AssociationJSON)] = [
            ("relation", .array(relations.map { .string($0) })),
            (
                "target",
                .object([
                    ("namespace", .string("android_app")),
                    ("package_name", .string(app.packageName)),
                    ("sha256_cert_fingerprints", .array(app.fingerprints.map { .string($0.description) })),
                ])
            ),
        ]
        return .object(members + (rules.map { [("relation_extensions", Self.extensions($0))] } ?? []))
    }

    /// The first rule that matches decides: what is kept out comes first.
    private static func extensions(_ rules: Rules) -> AssociationJSON {
        let kept = rules.excludes.map { AssociationJSON.object([("/", .string($0)), ("exclude", .bool(true))]) }
        let components = AssociationJSON.array(kept + rules.paths.map { .object([("/", .string($0))]) })
        return .object([(handleAllURLs, .object([(RelationExtension.componentsKey, components)]))])
    }
}
