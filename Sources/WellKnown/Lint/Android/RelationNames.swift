/// Relations: how they are written, and which ones somebody reads.
enum RelationNames {
    static let handleAllURLs = AssetLinks.handleAllURLs
    static let getLoginCredentials = AssetLinks.getLoginCredentials
    /// Trusted Web Activities and messages between page and app.
    static let useAsOrigin = "delegate_permission/common.use_as_origin"
    static let shareLoginCredentials = "delegate_permission/common.share_login_creds"
    /// `getInstalledRelatedApps`: here alone `site` is the address of a manifest, path included.
    static let queryWebAPK = "delegate_permission/common.query_webapk"
    /// Chrome's warning about look-alike addresses.
    static let lookalikes = "lookalikes/allowlist"

    static let known = [
        handleAllURLs, getLoginCredentials, useAsOrigin, shareLoginCredentials, queryWebAPK, lookalikes,
    ]

    /// The known relation that a text without blanks around was meant to be.
    static func meant(by text: String) -> String? {
        if let near = NearName.of(text, among: known) { return near }
        // The detail alone, as in "handle_all_urls" or "common.handle_all_urls".
        let detail = String(text.split(separator: "/").last ?? "")
        return known.first { $0.hasSuffix("." + detail) || $0.hasSuffix("/" + detail) && detail.contains(".") }
    }
}
