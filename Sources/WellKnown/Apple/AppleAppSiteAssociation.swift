/// The file `/.well-known/apple-app-site-association`: which of the site's links open which app on Apple's systems, and
/// which apps may use the passwords and passkeys saved for the site.
///
/// Source: Apple, "Supporting associated domains".
public struct AppleAppSiteAssociation: Hashable, Sendable {
    /// Where the phone, or Apple's CDN for it, asks for the file.
    public static let path = "/.well-known/apple-app-site-association"

    /// Never empty.
    public let appIDs: [AppleAppID]
    /// Patterns of the paths that open the app, in order; `*` stands for any text.
    public let paths: [String]

    /// - Returns: `nil` without an app or without a path: an empty list is valid JSON that says "no app here", and is
    ///   kept by Apple's CDN for a day. Nothing to say means no file.
    public init?(appIDs: [AppleAppID], paths: [String]) {
        guard !appIDs.isEmpty, !paths.isEmpty else { return nil }
        self.appIDs = appIDs
        self.paths = paths
    }

    /// The file's bytes, the same for the same input. It claims ``paths`` and nothing else: a site-wide `*` would let
    /// the app swallow pages that belong in the browser, a partner's callback among them.
    public func json() -> [UInt8] {
        let apps = AssociationJSON.array(appIDs.map { .string($0.description) })
        let components = AssociationJSON.array(paths.map { .object([("/", .string($0))]) })
        return AssociationJSON.object([
            ("applinks", .object([("details", .array([.object([("appIDs", apps), ("components", components)])]))])),
            ("webcredentials", .object([("apps", apps)])),
        ]).bytes
    }
}
