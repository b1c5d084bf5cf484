import SSOWeb

/// An ``ExternalIdentity`` between the answer of its provider and the link to an account.
struct StoredIdentity: Codable, Sendable {
    private let provider, issuer, subject: String
    let email: String?
    private let isPrivateEmail: Bool
    private let sealedRefreshToken: [UInt8]?

    init(_ identity: ExternalIdentity) {
        (provider, issuer, subject) = (identity.provider, identity.issuer, identity.subject)
        email = identity.email?.text
        isPrivateEmail = identity.isPrivateEmail
        sealedRefreshToken = identity.sealedRefreshToken
    }

    /// The identity, to link it: it makes no account. Name and time of authentication are not kept, since a link needs
    /// neither.
    var identity: ExternalIdentity {
        ExternalIdentity(
            provider: provider, issuer: issuer, subject: subject, email: email.flatMap { try? EmailAddress($0) },
            isPrivateEmail: isPrivateEmail, sealedRefreshToken: sealedRefreshToken)
    }
}
