public import SSOShared

/// The source of statement lists: the network, or supplied data in tests.
public protocol AssetContent: Sendable {
    /// Requests a URL once, without following redirects.
    func list(at url: String) async -> AssetContentReply

    /// The text of `asset_statements` in an app's manifest.
    func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply
}

/// The result of a request for a list.
public enum AssetContentReply: Sendable {
    /// An HTTP response. `contentType` is the header as sent, or `nil` without the header.
    case answer(status: Int, contentType: String?, body: [UInt8])
    /// The text from an app's manifest.
    case manifest([UInt8])
    /// The app does not exist, so it has no statements.
    case nothing
    case failure(AssetError)
}

/// Supplies lists from memory instead of the network.
public struct SuppliedAssetContent: AssetContent {
    private var pages: [String: [UInt8]] = [:]
    private var apps: [LinkedAsset: [UInt8]] = [:]

    public init() {}

    /// Reads the format of Google's compatibility suite: `web_content` with `url` and `body`, `android_content` with
    /// `package_name`, `cert_fingerprint` and `assets_statements`. Every page has status 200 and type application/json.
    ///
    /// - Returns: `nil` if the root is not an object, or an entry lacks one of its fields.
    public init?(_ node: JSONNode) {
        guard node.object != nil else { return nil }
        for entry in node["web_content"]?.array ?? [] {
            guard let url = entry["url"]?.string, let body = entry["body"]?.string else { return nil }
            pages[Self.key(url)] = Array(body.utf8)
        }
        for entry in node["android_content"]?.array ?? [] {
            guard let package = entry["package_name"]?.string, let fingerprint = entry["cert_fingerprint"]?.string,
                let statements = entry["assets_statements"]?.string
            else { return nil }
            apps[.androidApp(packageName: package, fingerprint: fingerprint)] = Array(statements.utf8)
        }
    }

    public func list(at url: String) async -> AssetContentReply {
        guard let body = pages[Self.key(url)] else { return .answer(status: 404, contentType: nil, body: []) }
        return .answer(status: 200, contentType: "application/json", body: body)
    }

    public func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply {
        apps[.androidApp(packageName: packageName, fingerprint: fingerprint)].map { .manifest($0) } ?? .nothing
    }

    /// URLs that differ only in an explicit default port or in upper case have the same key.
    private static func key(_ url: String) -> String {
        guard let address = try? SiteAddress(url) else { return url }
        return address.origin + address.rest
    }
}
