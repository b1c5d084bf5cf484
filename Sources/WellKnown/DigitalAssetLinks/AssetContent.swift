public import SSOShared

/// Where the client gets lists from: the network, or a test's table.
public protocol AssetContent: Sendable {
    /// Asks for an address once, without following redirects.
    func list(at url: String) async -> AssetContentReply

    /// The text of `asset_statements` in an app's manifest.
    func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply
}

/// What came back.
public enum AssetContentReply: Sendable {
    /// An HTTP answer. `contentType` is the header as sent; `nil` without one.
    case answer(status: Int, contentType: String?, body: [UInt8])
    /// The text out of an app's manifest.
    case manifest([UInt8])
    /// There is no such app: it makes no statements.
    case nothing
    /// No answer that could be used.
    case failure(AssetError)
}

/// Lists out of a table instead of the network.
public struct SuppliedAssetContent: AssetContent {
    private let pages: [String: [UInt8]]
    private let apps: [LinkedAsset: [UInt8]]

    public init() {
        pages = [:]
        apps = [:]
    }

    /// Reads the form of Google's compatibility suite: `web_content` with `url` and `body`, `android_content` with
    /// `package_name`, `cert_fingerprint` and `assets_statements`. Every page is served with 200 as application/json.
    ///
    /// - Returns: `nil` if the root is not an object, or an entry lacks one of its fields.
    public init?(_ node: JSONNode) {
        guard node.object != nil else { return nil }
        var pages: [String: [UInt8]] = [:]
        for entry in node["web_content"]?.array ?? [] {
            guard let url = entry["url"]?.string, let body = entry["body"]?.string else { return nil }
            pages[Self.key(url)] = Array(body.utf8)
        }
        var apps: [LinkedAsset: [UInt8]] = [:]
        for entry in node["android_content"]?.array ?? [] {
            guard let package = entry["package_name"]?.string, let fingerprint = entry["cert_fingerprint"]?.string,
                let statements = entry["assets_statements"]?.string
            else { return nil }
            apps[.androidApp(packageName: package, fingerprint: fingerprint)] = Array(statements.utf8)
        }
        self.pages = pages
        self.apps = apps
    }

    public func list(at url: String) async -> AssetContentReply {
        guard let body = pages[Self.key(url)] else { return .answer(status: 404, contentType: nil, body: []) }
        return .answer(status: 200, contentType: "application/json", body: body)
    }

    public func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply {
        apps[.androidApp(packageName: packageName, fingerprint: fingerprint)].map { .manifest($0) } ?? .nothing
    }

    /// The same address written with its default port or in upper case is the same page.
    private static func key(_ url: String) -> String {
        guard let address = try? SiteAddress(url) else { return url }
        return address.origin + address.rest
    }
}
