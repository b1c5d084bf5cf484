package import SSOShared
package import SSOWeb

/// An account at a provider, as the provider has vouched for it (OpenID Connect Core 1.0, 2: `iss` and `sub`).
package struct ExternalIdentity: Sendable {
    /// The id of the provider in `IDP_PROVIDERS_FILE`.
    package let provider: String
    /// With ``subject`` the key of the identity. The address is never a key: it may change hands.
    package let issuer: String
    package let subject: String
    /// An address that counts as verified; nil without one.
    package var email: EmailAddress?
    /// The address is one of Apple's private relay.
    var isPrivateEmail = false
    /// A name for an account that this identity makes.
    var name: String?
    /// When the provider authenticated the user; nil where it does not say.
    package var authenticatedAt: Timestamp?
    /// For revocation at Apple, sealed.
    var sealedRefreshToken: [UInt8]?
    /// Whether a verified address without an account may make one.
    package var mayMakeAccount = false
    /// The domains whose mailboxes belong to the provider, in lower case.
    var ownedDomains: [String] = []

    package init(
        provider: String, issuer: String, subject: String, email: EmailAddress? = nil, isPrivateEmail: Bool = false,
        name: String? = nil, authenticatedAt: Timestamp? = nil, sealedRefreshToken: [UInt8]? = nil,
        mayMakeAccount: Bool = false, ownedDomains: [String] = []
    ) {
        (self.provider, self.issuer, self.subject, self.email, self.isPrivateEmail) = (
            provider, issuer, subject, email, isPrivateEmail
        )
        (self.name, self.authenticatedAt, self.sealedRefreshToken, self.mayMakeAccount, self.ownedDomains) = (
            name, authenticatedAt, sealedRefreshToken, mayMakeAccount, ownedDomains
        )
    }

    /// Whether the provider owns the domain of an address. Subdomains are other domains.
    func owns(_ address: String) -> Bool {
        guard let domain = address.utf8.split(separator: UInt8(ascii: "@")).last else { return false }
        return ownedDomains.contains { $0.utf8.elementsEqual(domain) }
    }

    /// Whether the word of the provider is enough for an address: it is the verified address of this identity, and the
    /// provider owns its domain. Any other provider may be wrong about it, or lie.
    package func vouches(for address: String) -> Bool {
        email?.text.utf8.elementsEqual(address.utf8) == true && owns(address)
    }
}
