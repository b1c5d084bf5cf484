import SSOShared
import SSOWeb
import YAMLSettings

/// The client protocols that a client may use, as its key `protocols` names them.
package enum ClientProtocolName: String, Sendable, CaseIterable {
    /// Sign-in by `/auth/sso`.
    case sso
    /// OpenID Connect.
    case oidc

    /// Whether a message about all sessions of a user names each one that the client was told. Clients of OpenID Connect often
    /// find what to end by `sid` alone, as mod_auth_openidc does.
    package var namesEachSession: Bool { self == .oidc }
}

/// What a client may ask for in OpenID Connect. Each scope stands for claims (OpenID Connect Core 5.4).
package enum OIDCScope: String, Sendable, CaseIterable {
    case openid, profile, email, groups
    /// Refresh tokens (OpenID Connect Core 11).
    case offlineAccess = "offline_access"

    /// What a client may ask for if its entry does not say.
    static let usual: [OIDCScope] = [.openid, .profile, .email, .groups]
}

/// What signs the ID tokens of a client.
package enum IDTokenAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case eddsa = "EdDSA"
}

/// The keys of a client's entry for OpenID Connect.
package struct OIDCSettings: Sendable {
    /// An app that cannot keep a secret (RFC 6749 2.1). It proves itself with PKCE alone.
    package let isPublic: Bool
    /// Whether a request must have a `code_challenge`.
    package let requiresChallenge: Bool
    package let scopes: [OIDCScope]
    package let algorithm: IDTokenAlgorithm
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

    /// The keys that only this protocol has.
    static let keys = [
        "public", "require_pkce", "scopes", "id_token_alg", "id_token_claims", "post_logout_redirect_uris",
        "backchannel_logout_uri", "origins", "introspect",
    ]

    /// Nil after a problem.
    init?(_ reader: ClientRules.Reader) {
        let entry = reader.entry
        // All are read before any is required, so that all problems are reported at once.
        let (isPublic, needsChallenge) = (reader.flag("public", false), reader.flag("require_pkce", false))
        let (hasClaims, introspects) = (reader.flag("id_token_claims", true), reader.flag("introspect", false))
        let scopes = Self.scopes(reader)
        let algorithm: IDTokenAlgorithm? =
            entry.has("id_token_alg") ? entry.choice("id_token_alg", IDTokenAlgorithm.self) : .rs256
        let post = reader.optionalList("post_logout_redirect_uris", maximum: 20) {
            try RedirectURI.check($0, adding: ["state"], plain: reader.plainHosts) { _ in
                "must be https, for example https://wiki.example.com/bye."
            }
        }
        let logout = reader.optional("backchannel_logout_uri") {
            try RedirectURI.check($0, adding: [], plain: reader.plainHosts) { _ in
                "must be https, for example https://wiki.example.com/oidc/backchannel."
            }
        }
        let origins = reader.optionalList("origins", maximum: 20, Self.checkOrigin)
        guard let isPublic, let needsChallenge, let hasClaims, let introspects, let scopes, let algorithm, let post,
            let logout, let origins
        else { return nil }
        guard !(isPublic && introspects) else {
            entry.problem(
                "introspect of \"\(reader.client)\": cannot be true for a public client, because it needs a secret.",
                at: "introspect")
            return nil
        }
        (self.isPublic, requiresChallenge) = (isPublic, needsChallenge || isPublic)
        (self.scopes, self.algorithm, hasIDTokenClaims) = (scopes, algorithm, hasClaims)
        (postLogoutRedirectURIs, logoutURI) = (post ?? [], logout)
        (self.origins, mayIntrospect) = (origins ?? [], introspects)
    }

    private static func scopes(_ reader: ClientRules.Reader) -> [OIDCScope]? {
        let usual = OIDCScope.usual.map(\.rawValue)
        let list = reader.list("scopes", maximum: OIDCScope.allCases.count, default: usual) { text in
            guard OIDCScope(rawValue: text) != nil else {
                let all = SettingsFileEntry.list(OIDCScope.allCases.map(\.rawValue))
                throw SettingError("\"\(text)\" must be \(all).")
            }
        }
        guard let scopes = list?.compactMap(OIDCScope.init) else { return nil }
        guard scopes.contains(.openid) else {
            return reader.refuse("scopes", "lacks openid. Use, for example, scopes: [openid, email].")
        }
        return scopes
    }

    /// An origin as browsers send it (RFC 6454 6.2): it is compared byte by byte.
    private static func checkOrigin(_ text: String) throws {
        guard let url = try? WebURL(text), url.isHTTPS || url.authority.isLoopback, url.origin == text else {
            throw SettingError(
                "\"\(text)\" must be an origin such as https://app.example.com, without a slash after it.")
        }
    }
}

extension Client {
    /// Whether the client may use a protocol.
    package func uses(_ name: ClientProtocolName) -> Bool { protocols.contains(name) }

    /// Whether the client proves itself with PKCE alone.
    package var isPublic: Bool { oidc?.isPublic ?? false }
}
