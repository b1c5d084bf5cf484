package import IdPClients
package import IdPSignOut
package import SSOWeb
package import Storage

extension SignedInUser {
    /// Ends every sign-in of the account but this one, in the transaction that saves the slots of its session. What clients
    /// have from this session goes on.
    package func endOthers(
        _ cause: SignOutCause, _ slots: inout SessionSlots, _ accounts: AccountStore, _ tokens: AccessTokenStore,
        _ audit: RequestAudit?, _ connection: any SQLConnection
    ) throws {
        try accounts.endSignIns(
            .others(of: account.id, keeping: session.handle), cause, by: .user(account.id), audit, connection)
        guard let renewed = try AccountStore.find(account.id, connection) else { return }
        var kept = signIn
        kept.signOuts = renewed.signOuts
        slots[CurrentSignIn.self] = CurrentSignIn(kept)
        try tokens.keep(session: session.handle, of: renewed, connection)
        try KeptSignIns.keep(session: session.handle, of: renewed, connection)
    }
}

/// What becomes of the rows that have the number of their account's sign-outs, and belong to the one session that goes on when
/// all others of its account end. The list of tables (`IdPTable`) has a rule for each. All change in one transaction.
package enum KeptSignIns {
    package enum Rule: Sendable {
        /// ``AccessTokenStore/keep(session:of:_:)``.
        case appToken
        /// Grants that the session was issued get the account's new number.
        case grant
        /// The number is not compared: the rows hang on ``ClientSignIns``, which end in the same transaction.
        case clientSignIn
        /// What would become a sign-in elsewhere, which the user has just ended.
        case ends
    }

    static func keep(session handle: String, of account: Account, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE sso_token SET account_sign_outs = :signouts
             WHERE session_handle = :handle AND account_id = :account AND account_sign_outs = :before
            """,
            [
                "signouts": .integer(account.signOuts), "before": .integer(account.signOuts - 1),
                "handle": .text(handle), "account": .text(account.id),
            ])
    }
}
