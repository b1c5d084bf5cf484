import SSOShared
import SSOWeb

/// An account at a provider, as the provider has vouched for it (OpenID Connect Core 1.0, 2: `iss` and `sub`).
struct ExternalIdentity: Sendable {
    /// The id of the provider in `IDP_PROVIDERS_FILE`.
    let provider: String
    /// With ``subject`` the key of the identity. The address is never a key: it may change hands.
    let issuer: String
    let subject: String
    /// An address that counts as verified; nil without one.
    var email: EmailAddress?
    /// The address is one of Apple's private relay.
    var isPrivateEmail = false
    /// A name for an account that this identity makes.
    var name: String?
    /// When the provider authenticated the user; nil where it does not say.
    var authenticatedAt: Timestamp?
    /// For revocation at Apple, sealed.
    var sealedRefreshToken: [UInt8]?
    /// Whether a verified address without an account may make one.
    var mayMakeAccount = false
}
