import SSOShared
import SSOWeb

/// The paths of OpenID Connect.
package enum OIDCPath {
    package static let discovery = "/.well-known/openid-configuration"
    /// The same document by the name of RFC 8414.
    package static let serverMetadata = "/.well-known/oauth-authorization-server"
    package static let keys = "/oidc/jwks"
    package static let authorize = "/oidc/authorize"
    /// Where a user goes on who has signed in.
    package static let complete = "/oidc/complete"
    package static let token = "/oidc/token"
    package static let userInfo = "/oidc/userinfo"
    package static let revoke = "/oidc/revoke"
    package static let introspect = "/oidc/introspect"
    package static let logout = "/oidc/logout"
    /// The page that ``logout`` asks on.
    package static let signOut = "/oidc/sign-out"
}
