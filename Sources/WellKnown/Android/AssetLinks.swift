/// The file `/.well-known/assetlinks.json`: the site vouches for Android apps.
///
/// The file names apps, not paths: which of the site's links an app opens stands in the app's manifest.
/// Source: Google, "Digital Asset Links" and "Verify Android App Links".
public struct AssetLinks: Hashable, Sendable {
    /// Where Android and Google's service ask for the file.
    public static let path = "/.well-known/assetlinks.json"

    /// Links of the site may open the app.
    static let handleAllURLs = "delegate_permission/common.handle_all_urls"
    /// The app may use the passwords and passkeys saved for the site.
    static let getLoginCredentials = "delegate_permission/common.get_login_creds"

    /// Never empty.
    public let apps: [AndroidApp]

    /// - Returns: `nil` without an app: nothing to say means no file, never an empty list.
    public init?(apps: [AndroidApp]) {
        guard !apps.isEmpty else { return nil }
        self.apps = apps
    }

    /// The file's bytes, the same for the same input: one statement an app, with both relations.
    public func json() -> [UInt8] {
        AssociationJSON.array(apps.map(Self.statement)).bytes
    }

    private static func statement(_ app: AndroidApp) -> AssociationJSON {
        .object([
            ("relation", .array([.string(handleAllURLs), .string(getLoginCredentials)])),
            (
                "target",
                .object([
                    ("namespace", .string("android_app")),
                    ("package_name", .string(app.packageName)),
                    ("sha256_cert_fingerprints", .array(app.fingerprints.map { .string($0.description) })),
                ])
            ),
        ])
    }
}
