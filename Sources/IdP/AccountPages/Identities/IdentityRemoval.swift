import Hummingbird
package import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
package import SSOWeb
import Storage
import Synchronization

/// Removes an identity from the account of the user who is signed in.
package struct IdentityRemoval: Sendable {
    let accounts: AccountStore
    let sessions: Sessions
    let accessTokens: AccessTokenStore
    let changes: any AccountChangeReporter
    let revocation: IdentityRevocation
    let clock: ServiceClock

    package init(
        accounts: AccountStore, sessions: Sessions, accessTokens: AccessTokenStore, changes: any AccountChangeReporter,
        revocation: IdentityRevocation, clock: ServiceClock
    ) {
        (self.accounts, self.sessions, self.accessTokens, self.changes, self.revocation) = (
            accounts, sessions, accessTokens, changes, revocation
        )
        self.clock = clock
    }

    enum Outcome: Sendable {
        case removed(AccountIdentity)
        /// The account has no such identity at a provider. It was removed before.
        case gone
        /// It is the only one.
        case last
        /// The user was signed out meanwhile, or the change was carried out before.
        case ended
    }

    /// In one transaction: the identity goes, the waiting change ends, the email is queued, and every other sign-in of the
    /// account ends. Another user may have signed in with that identity (ASVS 7.4.3).
    ///
    /// - Parameters:
    ///   - name: ``AccountIdentity/name``.
    ///   - flow: the change that waited for a new sign-in; nil without one.
    func remove(
        _ name: String, from user: SignedInUser, ending flow: FlowID?, by origin: ChangeOrigin,
        _ context: VisitorContext
    ) async throws -> Outcome {
        let (now, session) = (clock.now(), user.session)
        // The body may run again. The value of its last run is what was committed.
        let result = Mutex(Outcome.ended)
        let updated = try await sessions.store.update(
            session,
            with: { slots, connection in
                let outcome = try decide(
                    name, of: user, &slots, ending: flow, now, by: origin, context.audit, connection)
                result.withLock { $0 = outcome }
                if case .ended = outcome { return false }
                if case .removed(let identity) = outcome {
                    try context.record(
                        Event(
                            .identityUnlinked, by: .user(user.account.id), account: user.account.id,
                            session: session.handle, detail: identity.provider), connection)
                }
                return true
            })
        let outcome = updated == nil ? .ended : result.withLock { $0 }
        if case .removed = outcome {
            // The user sees at the provider at once that it is so. A failure is tried again.
            _ = try? await revocation.settle(limit: 1)
        }
        return outcome
    }

    private func decide(
        _ name: String, of asking: SignedInUser, _ slots: inout SessionSlots, ending flow: FlowID?, _ now: Timestamp,
        by origin: ChangeOrigin, _ audit: RequestAudit?, _ connection: any SQLConnection
    ) throws -> Outcome {
        guard let user = try accounts.signedIn(asking.session, as: slots[CurrentSignIn.self], connection),
            user.account.id == asking.account.id
        else { return .ended }
        if let flow {
            let change = WaitingChange.take(flow, from: &slots[Flows.self], now: now)
            guard change?.accountID == user.account.id else { return .ended }
        }
        let identities = try AccountStore.identities(of: user.account.id, connection)
        guard let identity = identities.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
            case .external = identity.kind
        else { return .gone }
        guard try accounts.unlink(identity, from: user.account.id, connection) else { return .last }
        try user.endOthers(.identityRemoved, &slots, accounts, accessTokens, audit, connection)
        if let provider = identity.provider {
            try changes.report(.unlinked(provider: provider), of: user.account, by: origin, connection)
        }
        return .removed(identity)
    }
}
