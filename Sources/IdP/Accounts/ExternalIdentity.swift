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
    /// The domains whose mailboxes belong to the provider, in lower case.
    var ownedDomains: [String] = []

    /// Whether the provider owns the domain of an address. Subdomains are other domains.
    func owns(_ address: String) -> Bool {
        guard let domain = address.utf8.split(separator: UInt8(ascii: "@")).last else { return false }
        return ownedDomains.contains { $0.utf8.elementsEqual(domain) }
    }

    /// Whether the word of the provider is enough for an address: it is the verified address of this identity, and the
    /// provider owns its domain. Any other provider may be wrong about it, or lie.
    func vouches(for address: String) -> Bool {
        email?.text.utf8.elementsEqual(address.utf8) == true && owns(address)
    }
}
