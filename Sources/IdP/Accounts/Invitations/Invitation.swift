package import SSOShared
package import SSOWeb
import Storage

/// An invitation to sign in for the first time.
package struct Invitation: Sendable {
    package static let lifetime: Duration = .days(7)
    /// Within 24 hours.
    package static let maximumPerDay = 500

    package let id: String
    package let accountID: String
    let keyDigest: [UInt8]
    /// Where its user goes on after the sign-in; nil for the home page.
    package let clientID: String?
    package let language: Language
    /// Who invites; nil for nobody in particular.
    package let inviter: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    let withdrawnAt: Timestamp?

    /// Why an invitation is not open. The raw values are stable: the log has them as `reason`.
    package enum Ending: String, Sendable, CaseIterable {
        /// Damaged, or deleted long ago.
        case unknown
        case withdrawn
        /// The account has been signed in to.
        case used
        case expired
    }

    /// An invitation with what it is for.
    package struct Opened: Sendable {
        package let invitation: Invitation
        package let address: EmailAddress
        /// The id of the one known browser that it makes. Opened in a second browser, the link moves the id there.
        package var browserID: String {
            Base64URL.encode(
                SHA256.hash(Array("invitation:\(invitation.id)".utf8)).prefix(KnownBrowserCookie.Claim.idBytes))
        }
    }

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        accountID = try row.text("account_id")
        keyDigest = try row.blob("key_digest")
        clientID = try row.optionalText("client_id")
        language = Language(rawValue: try row.text("language")) ?? .english
        inviter = try row.optionalText("inviter")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
        withdrawnAt = try row.optionalTimestamp("withdrawn_at")
    }

    package func isPending(at now: Timestamp) -> Bool { withdrawnAt == nil && expiresAt > now }
}
