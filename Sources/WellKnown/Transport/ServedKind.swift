extension AssociationKind {
    /// Where the systems ask for it.
    public var path: String {
        switch self {
        case .aasa: "/.well-known/apple-app-site-association"
        case .assetlinks: AssetLinks.path
        }
    }

    /// The user agent that asks for it on the system's behalf, as site owners see it in their logs.
    public var userAgent: String {
        switch self {
        case .aasa: "AASA-Bot/1.0.0"
        case .assetlinks: "GoogleAssociationService"
        }
    }

    /// Paths under which people publish it, and nobody asks for it.
    public var wrongPaths: [String] {
        switch self {
        case .aasa: ["/.well-known/apple-app-site-association.json", "/apple-app-site-association.json"]
        case .assetlinks: ["/assetlinks.json", "/.well-known/assetlinks", "/.well-known/.assetlinks.json"]
        }
    }
}
