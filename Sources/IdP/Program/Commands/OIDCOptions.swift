import ArgumentParser
import IdPClients

/// The keys of the clients file about protocols and OpenID Connect as options.
struct OIDCOptions: ParsableArguments {
    @Option(
        name: .customLong("protocol"), parsing: .singleValue,
        help: ArgumentHelp("How the client asks for a sign-in: sso or oidc; may be repeated.", valueName: "name"))
    var protocols: [String] = []
    @Flag(
        name: .customLong("public"), inversion: .prefixedNo,
        help: "OpenID Connect: an app without a secret, which uses PKCE.")
    var isPublic: Bool?
    @Flag(inversion: .prefixedNo, help: "OpenID Connect: refuse requests without PKCE.") var requirePkce: Bool?
    @Option(
        parsing: .singleValue,
        help: "OpenID Connect: what the client may ask for, such as email or offline_access; may be repeated.")
    var scope: [String] = []
    @Option(
        name: .customLong("id-token-alg"),
        help: ArgumentHelp("OpenID Connect: RS256, ES256 or EdDSA.", valueName: "name"))
    var idTokenAlg: String?
    @Flag(
        name: .customLong("id-token-claims"), inversion: .prefixedNo,
        help: "OpenID Connect: put the claims of the scopes into the ID token, too.")
    var idTokenClaims: Bool?
    @Option(
        name: .customLong("post-logout-redirect-uri"), parsing: .singleValue,
        help: ArgumentHelp("OpenID Connect: where a sign-out may go back to; may be repeated.", valueName: "url"))
    var postLogoutRedirectURI: [String] = []
    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp("OpenID Connect: where logout tokens go.", valueName: "url"))
    var backchannelLogoutURI: String?
    @Option(
        name: .customLong("origin"), parsing: .singleValue,
        help: ArgumentHelp(
            "OpenID Connect: whose pages may call the token endpoint; may be repeated.", valueName: "origin"))
    var origins: [String] = []
    @Flag(inversion: .prefixedNo, help: "OpenID Connect: the client may ask what a token is.") var introspect: Bool?

    static let keys = [
        "protocols", "public", "require_pkce", "scopes", "id_token_alg", "id_token_claims", "post_logout_redirect_uris",
        "backchannel_logout_uri", "origins", "introspect",
    ]

    /// The keys that are given.
    var values: [String: ClientEntry.Value] {
        var values: [String: ClientEntry.Value] = [:]
        for (key, flag) in [
            ("public", isPublic), ("require_pkce", requirePkce), ("id_token_claims", idTokenClaims),
            ("introspect", introspect),
        ] { values[key] = flag.map { .text($0 ? "true" : "false") } }
        for (key, text) in [("id_token_alg", idTokenAlg), ("backchannel_logout_uri", backchannelLogoutURI)] {
            values[key] = text.map { .text($0) }
        }
        for (key, items) in [
            ("protocols", protocols), ("scopes", scope), ("post_logout_redirect_uris", postLogoutRedirectURI),
            ("origins", origins),
        ] where !items.isEmpty { values[key] = .list(items) }
        return values
    }
}
