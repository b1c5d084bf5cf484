/// One of the two files as it is served: where it belongs, and how large it may be.
public enum PublishedFile: String, Sendable, Hashable, CaseIterable {
    /// apple-app-site-association.
    case aasa
    /// assetlinks.json.
    case assetlinks

    /// Where the systems ask for it.
    public var path: String {
        switch self {
        case .aasa: "/.well-known/apple-app-site-association"
        case .assetlinks: AssetLinks.path
        }
    }

    /// The name alone.
    public var name: String {
        switch self {
        case .aasa: "apple-app-site-association"
        case .assetlinks: "assetlinks.json"
        }
    }

    /// The largest body, in bytes, that is sure to be read: 128 KiB (Apple, App Search Programming Guide), 1 MiB
    /// (Android's StatementService).
    public var largest: Int {
        switch self {
        case .aasa: 128 << 10
        case .assetlinks: 1 << 20
        }
    }

    /// The user agent that asks for it on the system's behalf.
    public var userAgent: String {
        switch self {
        case .aasa: "AASA-Bot/1.0.0"
        case .assetlinks: "GoogleAssociationService"
        }
    }

    /// Names under which people publish it, and nobody asks for it.
    public var wrongPaths: [String] {
        switch self {
        case .aasa: ["/.well-known/apple-app-site-association.json", "/apple-app-site-association.json"]
        case .assetlinks: ["/assetlinks.json", "/.well-known/assetlinks", "/.well-known/.assetlinks.json"]
        }
    }

    /// Which file a path was meant to be, by its last part; `nil` when that says nothing.
    public init?(guessing path: String) {
        let name = (path.split(separator: "/").last.map(String.init) ?? "").lowercased()
        if name.contains("apple-app-site") {
            self = .aasa
        } else if name.contains("assetlink") {
            self = .assetlinks
        } else {
            return nil
        }
    }
}
