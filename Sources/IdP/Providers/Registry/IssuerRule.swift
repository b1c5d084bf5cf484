import SSOShared
import SSOWeb

/// Owns the rule what may be the `issuer` of a provider. It is kept and compared byte for byte (OpenID Connect Discovery
/// 1.0, 4.3).
enum IssuerRule {
    private static let example = "https://idp.example.org/realms/staff"

    /// - Throws: ``SettingError`` saying what is wrong with it.
    static func check(_ text: String, kind: Provider.Kind?) throws {
        // First of all: the text before an @ may be a password, so nothing of it is repeated.
        guard !text.contains("@") else { throw SettingError("has a user name in it. Leave it out, as in \(example).") }
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw SettingError("must be ASCII without spaces, of at most 255 bytes, such as \(example).")
        }
        func refuse(_ why: String) throws -> Never { throw SettingError("\"\(text)\" \(why)") }
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(text) } catch {
            try refuse("\(error). Use, for example, \(example).")
        }
        guard !url.rest.contains("?"), !url.rest.contains("#") else {
            try refuse("has a query or a fragment. Leave it out.")
        }
        guard url.isHTTPS || url.authority.isLoopback else {
            try refuse("must be https; http is for loopback hosts only.")
        }
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            try refuse("must begin with https:// in lower case.")
        }
        guard !text.contains("*") else { try refuse("has a wildcard. Use the exact issuer of the provider.") }
        try RedirectURI.check(text, adding: [])
        try checkPath(of: url, refuse)
        switch kind {
        case .github:
            // GitHub's addresses are made from it.
            guard url.rest.isEmpty else {
                try refuse("must be an origin without a slash at its end, such as https://github.example.org.")
            }
        case .microsoft: try checkTenant(of: url, refuse)
        case .oidc, .apple, .google, nil: break
        }
    }

    private static func checkPath(of url: WebURL, _ refuse: (String) throws -> Never) throws {
        guard !url.rest.hasSuffix("/.well-known/openid-configuration") else {
            try refuse("is the address of the discovery document. Leave out /.well-known/openid-configuration.")
        }
    }

    /// The tokens of `common` name the issuer of the user's own tenant, which any user can make. The issuer of one tenant is
    /// what this program can check.
    private static func checkTenant(of url: WebURL, _ refuse: (String) throws -> Never) throws {
        let shared = ["common", "organizations", "consumers"]
        if let word = url.rest.lowercased().split(separator: "/").first(where: { shared.contains(String($0)) }) {
            try refuse(
                "is for accounts of any tenant (\(word)). Use your tenant's id in place of that word: "
                    + "https://login.microsoftonline.com/TENANT/v2.0.")
        }
    }
}
