import SSOShared
package import SSOWeb
import Storage

/// An identity as its owner sees it.
package struct AccountIdentity: Sendable {
    package enum Kind: Sendable, Equatable {
        case email
        case passkey
        case external(issuer: String, subject: String)
    }

    package let kind: Kind
    /// The id of the provider that it was added with; nil for other kinds.
    package let provider: String?
    /// The address that the provider named; for an email identity the address itself.
    package let email: String?
    package let isPrivateEmail: Bool
    /// The private relay does not forward emails any more.
    package let isEmailDisabled: Bool
    package let addedAt: Timestamp
    /// Nil when it has not been used since it was added.
    package let usedAt: Timestamp?
    /// Names the identity in forms. Not a secret.
    package let name: String
    package var sealedRefreshToken: [UInt8]?
}

extension AccountIdentity {
    static let columns = """
        kind, issuer, subject, provider, email, is_private_email, is_email_disabled, created_at, used_at, refresh_token
        """

    init(_ row: SQLRow) throws {
        let (issuer, subject) = (try row.text("issuer"), try row.text("subject"))
        let storedKind = try row.text("kind")
        switch storedKind {
        case "email": kind = .email
        case "passkey": kind = .passkey
        default: kind = .external(issuer: issuer, subject: subject)
        }
        provider = try row.optionalText("provider")
        email = storedKind == "email" ? subject : try row.optionalText("email")
        isPrivateEmail = try row.integer("is_private_email") != 0
        isEmailDisabled = try row.integer("is_email_disabled") != 0
        addedAt = try row.timestamp("created_at")
        usedAt = try row.optionalInteger("used_at").map(Timestamp.init(milliseconds:))
        name = Base64URL.encode(
            Array(SHA256.hash(Array("\(storedKind)\u{0}\(issuer)\u{0}\(subject)".utf8)).prefix(12)))
        sealedRefreshToken = try row.optionalBlob("refresh_token")
    }
}
