import SSOWeb

/// What a provider says about its users between their sign-ins. Its word is final.
extension AccountStore {
    /// An identity of a provider with its account; nil when it leads to none.
    func linked(
        issuer: String, subject: String, _ connection: any SQLConnection
    ) throws -> (account: Account, identity: LinkedIdentity)? {
        let rows = try connection.query(
            """
            SELECT account_id, \(LinkedIdentity.columns) FROM account_identity
             WHERE kind = 'external' AND issuer = :issuer AND subject = :subject
            """, ["issuer": .text(issuer), "subject": .text(subject)])
        guard let row = rows.first, let account = try Self.find(row.text("account_id"), connection) else { return nil }
        return (account, try LinkedIdentity(row))
    }

    /// Removes an identity, also the last one of its account: the owner of the account's address can still sign in by
    /// email. Ends every sign-in of the account, in the caller's transaction.
    func withdraw(
        issuer: String, subject: String, from accountID: String, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            DELETE FROM account_identity
             WHERE kind = 'external' AND issuer = :issuer AND subject = :subject AND account_id = :account
            """, ["issuer": .text(issuer), "subject": .text(subject), "account": .text(accountID)])
        try endSignIns(of: accountID, connection)
    }

    /// Notes whether the private relay of an identity forwards emails, in the caller's transaction.
    ///
    /// - Returns: whether there is such an identity.
    func note(
        emailDisabled: Bool, issuer: String, subject: String, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_identity SET is_email_disabled = :disabled
             WHERE kind = 'external' AND issuer = :issuer AND subject = :subject
            """,
            ["disabled": .integer(emailDisabled ? 1 : 0), "issuer": .text(issuer), "subject": .text(subject)]) == 1
    }
}
