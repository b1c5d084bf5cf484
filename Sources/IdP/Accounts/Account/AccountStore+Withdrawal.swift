package import IdPClients
import IdPSignOut
package import SSOWeb
package import Storage

/// What a provider says about its users between their sign-ins. Its word is final.
extension AccountStore {
    /// An identity of a provider with its account; nil when it leads to none.
    package func owner(
        issuer: String, subject: String, _ connection: any SQLConnection
    ) throws -> (account: Account, identity: AccountIdentity)? {
        let rows = try connection.query(
            """
            SELECT account_id, \(AccountIdentity.columns) FROM account_identity
             WHERE kind = 'external' AND issuer = :issuer AND subject = :subject
            """, ["issuer": .text(issuer), "subject": .text(subject)])
        guard let row = rows.first, let account = try Self.find(row.text("account_id"), connection) else { return nil }
        return (account, try AccountIdentity(row))
    }

    /// Removes an identity by its provider's word, also the last one: the owner of the account's address can still sign in by
    /// email. Ends every sign-in of the account, in the caller's transaction.
    package func withdraw(
        issuer: String, subject: String, from accountID: String, by provider: String, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            DELETE FROM account_identity
             WHERE kind = 'external' AND issuer = :issuer AND subject = :subject AND account_id = :account
            """, ["issuer": .text(issuer), "subject": .text(subject), "account": .text(accountID)])
        try endSignIns(.all(of: accountID), .withdrawn, by: .provider(provider), audit, connection)
    }

    /// Notes whether the private relay of an identity forwards emails, in the caller's transaction. A report that is older
    /// than the last one changes nothing.
    ///
    /// - Parameter changedAt: by the provider's clock.
    /// - Returns: whether there is such an identity, and no newer report about it.
    package func note(
        emailDisabled: Bool, at changedAt: Timestamp, issuer: String, subject: String,
        _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_identity SET is_email_disabled = :disabled, email_changed_at = :at
             WHERE kind = 'external' AND issuer = :issuer AND subject = :subject
               AND (email_changed_at IS NULL OR email_changed_at <= :at)
            """,
            [
                "disabled": .integer(emailDisabled ? 1 : 0), "at": .timestamp(changedAt), "issuer": .text(issuer),
                "subject": .text(subject),
            ]) == 1
    }
}
