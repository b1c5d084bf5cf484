package import SSOWeb
package import Storage

extension SignedInUser {
    /// Ends every sign-in of the account but this one, in the transaction that saves the slots of its session.
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
    }
}
