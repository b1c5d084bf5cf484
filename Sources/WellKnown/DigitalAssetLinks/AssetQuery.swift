public import SSOShared

/// A request to the client: list the statements of an asset, or check whether it makes a certain statement.
///
/// Source: https://developers.google.com/digital-asset-links/reference/rest/v1/statements/list and …/assetlinks/check
public struct AssetQuery: Sendable {
    public let source: LinkedAsset
    /// The relation, or `nil` for all relations. Only `list` accepts `nil`.
    public let relation: String?
    /// Whether the request has no relation member. An empty relation also stands for all relations, but is present.
    let asksForEverything: Bool
    /// The target of a check, or `nil` for `list`.
    public let target: LinkedAsset?
    /// Whether statements contain their `relation_extensions`.
    public let returnsExtensions: Bool

    public enum Kind: Sendable {
        case list
        case check
    }

    /// Reads a request object. Its names may be those of the API's protocol buffers or of its JSON.
    ///
    /// - Throws: all errors of the request, in the words of the compatibility suite.
    public init(_ node: JSONNode, _ kind: Kind) throws(AssetQueryError) {
        var faults: [String] = []
        var hasBadRelation = false
        func read(_ name: String) -> LinkedAsset? {
            guard let asset = node[name] else {
                faults.append("Request must contain a \(name) asset query")
                return nil
            }
            let reading = Self.asset(asset)
            faults += reading.faults
            return reading.asset
        }
        let source = read("source")
        let target = kind == .check ? read("target") : nil
        let relation = Self.text(node["relation"])
        if kind == .check || !relation.isEmpty, let fault = AssetRelation.fault(in: relation) {
            faults.append(fault)
            hasBadRelation = true
        }
        guard let source, faults.isEmpty else {
            // Google returns MALFORMED_CONTENT for an invalid relation (comptest4301).
            throw AssetQueryError(
                error: AssetError(
                    hasBadRelation && faults.count == 1 ? .malformedContent : .invalidQuery,
                    faults.joined(separator: "; ")))
        }
        self.source = source
        self.target = target
        self.relation = relation.isEmpty ? nil : relation
        asksForEverything = target == nil && node["relation"] == nil
        returnsExtensions = (node["return_relation_extensions"] ?? node["returnRelationExtensions"])?.bool == true
    }

    /// A query for all statements of a web site. `nil` if `site` is not a scheme, a host and an optional port.
    public init?(site: String) {
        guard let source = try? LinkedAsset.web(site: site) else { return nil }
        self.source = source
        relation = nil
        asksForEverything = true
        target = nil
        returnsExtensions = false
    }

    static func asset(_ node: JSONNode) -> (asset: LinkedAsset?, faults: [String]) {
        let web = node["web"]
        let app = node["android_app"] ?? node["androidApp"]
        switch (web, app) {
        case (let web?, nil): return site(Self.text(web["site"]))
        case (nil, let app?): return Self.app(app)
        default: return (nil, ["Must specify one of the asset types, web or android_app"])
        }
    }

    private static func site(_ site: String) -> (asset: LinkedAsset?, faults: [String]) {
        guard !site.isEmpty else { return (nil, ["No site field in web asset query"]) }
        do {
            return (try .web(site: site), [])
        } catch {
            return (nil, [error.words])
        }
    }

    private static func app(_ node: JSONNode) -> (asset: LinkedAsset?, faults: [String]) {
        let package = text(node["package_name"] ?? node["packageName"])
        let certificate = node["certificate"]
        let fingerprint = text(certificate?["sha256_fingerprint"] ?? certificate?["sha256Fingerprint"])
        var faults: [String] = []
        if !LinkedAsset.isPackageName(package) { faults.append("Invalid package_name field \(package.quoted)") }
        if !LinkedAsset.isFingerprint(fingerprint) {
            faults.append(
                "Invalid sha256_fingerprint field \(fingerprint.quoted): 32 upper-case hex octets joined by colons")
        }
        return (faults.isEmpty ? .androidApp(packageName: package, fingerprint: fingerprint) : nil, faults)
    }

    /// Protocol buffers do not distinguish absent from empty.
    private static func text(_ node: JSONNode?) -> String { node?.string ?? "" }
}

/// The request is invalid, independent of the content of the lists.
public struct AssetQueryError: Error, Hashable, Sendable { public let error: AssetError }
