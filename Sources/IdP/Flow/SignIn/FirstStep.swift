import IdPAccounts
package import SSOWeb
package import Storage

extension SessionStore {
    /// Stores the first step of a sign-in, in one transaction with `change`; nil when another request has replaced or ended
    /// the session meanwhile.
    ///
    /// A visitor gets a new id: one that was planted before is dead (session fixation). A user who is asked to sign in again
    /// stays signed in until then and keeps the session. A new one would renew it for 12 hours without a proof, and would void
    /// the tokens that other tabs have not redeemed yet.
    ///
    /// - Parameter keepsSession: whether the session and its id stay.
    package func storeFirstStep(
        of session: Session, keepsSession: Bool,
        _ change: @escaping @Sendable (inout SessionSlots, any SQLConnection) throws -> Void
    ) async throws -> Session? {
        guard !keepsSession else {
            return try await update(session) { slots, connection in
                try change(&slots, connection)
                return true
            }
        }
        return try await replace(
            session, keepingForms: true,
            with: { old, connection in
                var slots = old
                try change(&slots, connection)
                return SessionContent(slots)
            },
            then: { fresh, connection in
                // A first proof may wait in it, by which the user will be signed in again.
                guard let account = fresh.slots.provenAccount else { return }
                try ClientSignIns().follow(session.handle, to: fresh.handle, account: account, connection)
            })
    }
}
