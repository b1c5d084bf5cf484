import SSOShared
import SSOWeb

/// An ``ExternalIdentity`` between the answer of its provider and the link to an account.
package struct StoredIdentity: Codable, Sendable {
    private let provider, issuer, subject: String
    package let email: String?
    private let isPrivateEmail: Bool
    private let sealedRefreshToken: [UInt8]?
    private let name: String?

    package init(_ identity: ExternalIdentity) {
        (provider, issuer, subject) = (identity.provider, identity.issuer, identity.subject)
        email = identity.email?.text
        isPrivateEmail = identity.isPrivateEmail
        sealedRefreshToken = identity.sealedRefreshToken
        name = identity.name
    }

    /// The identity, to link it: it makes no account by itself. The time of authentication is not kept, since a link needs
    /// none.
    package var identity: ExternalIdentity {
        ExternalIdentity(
            provider: provider, issuer: issuer, subject: subject, email: email.flatMap { try? EmailAddress($0) },
            isPrivateEmail: isPrivateEmail, name: name, sealedRefreshToken: sealedRefreshToken)
    }
}
