package import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// A finished sign-in, before a session has it.
package struct HandedSignIn: Sendable {
    let account: Account
    let authenticatedAt: Timestamp
    /// Whether ``authenticatedAt`` is proven (``ProvenMoment``).
    let isProven: Bool
    let proofs: SignInProofs

    package init(account: Account, authenticatedAt: Timestamp, isProven: Bool, proofs: SignInProofs) {
        (self.account, self.authenticatedAt, self.isProven, self.proofs) = (
            account, authenticatedAt, isProven, proofs
        )
    }

    func current(for flow: FlowID?, isFirst: Bool?) -> CurrentSignIn.SignIn {
        CurrentSignIn.SignIn(
            accountID: account.id, authenticatedAt: authenticatedAt, proofs: proofs, signOuts: account.signOuts,
            flow: flow?.text, isFirst: isFirst, isProven: isProven)
    }
}

extension SignInCompletion {
    /// Moves the web view of an app to a session with a sign-in that another browser has handed to it, in one transaction.
    ///
    /// - Parameters:
    ///   - session: that of the web view; nil for one of its own.
    ///   - device: the kind of the app.
    ///   - take: consumes what stands for the sign-in, and says what is recorded; nil if it does not hold.
    /// - Returns: nil when `take` gave nil, and when the session has ended meanwhile.
    package func adopt(
        _ session: Session?, by device: String, _ audit: RequestAudit?,
        taking take: @escaping @Sendable (any SQLConnection) throws -> (HandedSignIn, Event)?
    ) async throws -> Session? {
        // The body may run again. The values of its last run are those that were committed.
        let taken = Mutex<(HandedSignIn, Event)?>(nil)
        return try await sessions.store.replace(
            session,
            with: { old, connection in
                let found = try take(connection)
                taken.withLock { $0 = found }
                return found.map { content($0.0.current(for: nil, isFirst: nil), after: old, app: device) }
            },
            then: { fresh, connection in
                // The web view may be that of an app with an access token.
                if let session { try tokens.follow(session, to: fresh, connection) }
                guard case (let handed, var event)? = taken.withLock({ $0 }) else { return }
                let account = handed.account.id
                if let session {
                    try accounts.signOuts.follow(
                        session.handle, to: fresh.handle, account: account, audit, connection)
                }
                try sessions.store.note(
                    SessionUser(account: account, device: device, network: audit?.network), of: fresh.handle, connection
                )
                (event.actor, event.account, event.session) = (.user(account), account, fresh.handle)
                event.detail = handed.proofs.text
                try audit?.record(event, connection)
            })
    }

    /// The session of a user who has given every proof.
    func content(
        _ signIn: CurrentSignIn.SignIn, after old: SessionSlots, app device: String?, isRemembered: Bool = false
    ) -> SessionContent {
        var next = old.survivingSignIn(slots)
        next[CurrentSignIn.self] = CurrentSignIn(signIn)
        return SessionContent(
            next, app: device.map { AppSession(owner: signIn.accountID, device: $0) }, isRemembered: isRemembered)
    }
}
