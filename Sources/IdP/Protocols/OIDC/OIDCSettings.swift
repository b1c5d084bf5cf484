package import IdPClients
package import IdPSigningKeys
import SSOShared
import SSOWeb

/// What a client may ask for in OpenID Connect. Each scope stands for claims (OpenID Connect Core 5.4).
package enum OIDCScope: String, Sendable, CaseIterable {
    case openid, profile, email, groups
    /// Refresh tokens (OpenID Connect Core 11).
    case offlineAccess = "offline_access"
}

/// The keys of a client's entry for OpenID Connect.
package struct OIDCSettings: ClientProtocolSettings {
    package static let id = "oidc"
    package static let callbackFields = ["code", "state", "iss", "error", "error_description"]
    package static let takesIDsOfApps = true
    package static let checksTokens = true
    /// Clients of OpenID Connect often find what to end by `sid` alone, as mod_auth_openidc does.
    package static let namesEachSession = true

    /// An app that cannot keep a secret (RFC 6749 2.1). It proves itself with PKCE alone.
    package let isPublic: Bool
    /// Whether a request must have a `code_challenge`.
    package let requiresChallenge: Bool
    package let scopes: [OIDCScope]
    package let algorithm: SigningAlgorithm
    /// Whether the ID token has the scopes' claims, too.
    package let hasIDTokenClaims: Bool
    /// Where `/oidc/logout` may go back to.
    package let postLogoutRedirectURIs: [String]
    /// Where the client takes logout tokens.
    package let logoutURI: String?
    /// The origins whose pages may call the token endpoint and userinfo.
    package let origins: [String]
    /// Whether the client may ask what a token is (RFC 7662).
    package let mayIntrospect: Bool

    package init?(_ reader: ClientKeyReader) {
        // All are read before any is required, so that all problems are reported at once.
        let (isPublic, needsChallenge) = (reader.value(Key.isPublic), reader.value(Key.requirePKCE))
        let (hasClaims, introspects) = (reader.value(Key.idTokenClaims), reader.value(Key.introspect))
        let (scopes, algorithm) = (reader.value(Key.scopes), reader.value(Key.idTokenAlgorithm))
        let post = reader.value(Key.postLogoutRedirectURIs)
        let logout = reader.value(Key.backchannelLogoutURI)
        let origins = reader.value(Key.origins)
        guard let isPublic, let needsChallenge, let hasClaims, let introspects, let scopes, let algorithm, let post,
            let logout, let origins
        else { return nil }
        guard !(isPublic && introspects) else {
            reader.problem("introspect", "cannot be true for a public client, because it needs a secret.")
            return nil
        }
        (self.isPublic, requiresChallenge) = (isPublic, needsChallenge || isPublic)
        (self.scopes, self.algorithm, hasIDTokenClaims) = (scopes, algorithm, hasClaims)
        (postLogoutRedirectURIs, logoutURI, self.origins, mayIntrospect) = (post, logout, origins, introspects)
    }

    package var signOutAddress: String? { logoutURI }
    package var returnAddresses: [String] { postLogoutRedirectURIs }
    package func lines(
        for client: Client, secret: String?, issuer: String, program: String
    ) -> [(file: String?, text: String)] {
        let password = secret.map { "client_secret=\($0)\n" } ?? ""
        let discovery = "discovery=\(issuer)/.well-known/openid-configuration\n"
        return [(nil, "issuer=\(issuer)\nclient_id=\(client.id)\n\(password)\(discovery)")]
    }
    package var shown: [(name: String, values: [String])] {
        [
            ("scopes", scopes.map(\.rawValue)), ("post-logout", postLogoutRedirectURIs),
            ("backchannel", logoutURI.map { [$0] } ?? []), ("public", isPublic ? ["true"] : []),
        ]
    }
}

extension OIDCSettings {
    package static let keys = [
        Key.isPublic.description, Key.requirePKCE.description, Key.scopes.description,
        Key.idTokenAlgorithm.description, Key.idTokenClaims.description, Key.postLogoutRedirectURIs.description,
        Key.backchannelLogoutURI.description, Key.origins.description, Key.introspect.description,
    ]

    private enum Key {
        static let isPublic = ClientKey.flag(
            "public", default: false, option: .init("OpenID Connect: an app without a secret, which uses PKCE."),
            "an app with PKCE; a sent secret is not read. It may register `http://127.0.0.1:*/PATH`, also with `[::1]` or `localhost`, or without a path: any port, every other byte exact. And a scheme of one word (`oc://…`), with a warning. Users agree on a page each time"
        )
        static let requirePKCE = ClientKey.flag(
            "require_pkce", default: false, option: .init("OpenID Connect: refuse requests without PKCE."),
            "refuse requests without `code_challenge`")
        static let scopes = ClientKey<[OIDCScope]>.choices(
            "scopes", default: [OIDCScope.openid, .profile, .email, .groups], example: "[openid, email]",
            option: .init(
                "OpenID Connect: what the client may ask for, such as email or offline_access; may be repeated.",
                name: "scope"),
            "what it may ask for; `offline_access` for refresh tokens",
            lacks: { $0.contains(.openid) ? nil : "lacks openid. Use, for example, scopes: [openid, email]." })
        static let idTokenAlgorithm = ClientKey.choice(
            "id_token_alg", default: SigningAlgorithm.rs256,
            option: .init("OpenID Connect: RS256, ES256 or EdDSA.", value: "name"), "or `ES256`, `EdDSA`")
        static let idTokenClaims = ClientKey.flag(
            "id_token_claims", default: true,
            option: .init("OpenID Connect: put the claims of the scopes into the ID token, too."),
            "the scopes' claims also in the ID token")
        static let postLogoutRedirectURIs = ClientKey.list(
            "post_logout_redirect_uris", maximum: 20, example: "[https://partner.example.com/bye]",
            option: .init(
                "OpenID Connect: where a sign-out may go back to; may be repeated.", name: "post-logout-redirect-uri",
                value: "url"),
            "where `/oidc/logout` may go back to", [.address]
        ) { try $1.checkWebAddress($0, adding: ["state"], example: "https://wiki.example.com/bye") }
        static let backchannelLogoutURI = ClientKey.text(
            "backchannel_logout_uri", example: "https://partner.example.com/oidc/backchannel",
            option: .init("OpenID Connect: where logout tokens go.", value: "url"), "where logout tokens go", [.address]
        ) { try $1.checkMessageAddress($0, example: "https://wiki.example.com/oidc/backchannel") }
        static let origins = ClientKey.list(
            "origins", maximum: 20, example: "[https://app.example.com]",
            option: .init(
                "OpenID Connect: whose pages may call the token endpoint; may be repeated.", name: "origin"),
            "whose pages may call token endpoint, userinfo and revocation (CORS)"
        ) { text, _ in try check(origin: text) }
        static let introspect = ClientKey.flag(
            "introspect", default: false, option: .init("OpenID Connect: the client may ask what a token is."),
            "it may ask what a token is")

        /// An origin as browsers send it (RFC 6454 6.2): it is compared byte by byte.
        private static func check(origin text: String) throws {
            guard let url = try? WebURL(text), url.isHTTPS || url.authority.isLoopback, url.origin == text else {
                throw SettingError(
                    "\"\(text)\" must be an origin such as https://app.example.com, without a slash after it.")
            }
        }
    }
}

extension Client {
    /// Nil for a client that does not use OpenID Connect.
    package var oidc: OIDCSettings? { self[OIDCSettings.self] }
}
