import Hummingbird
package import IdPAccounts
import IdPClients
import IdPFlow
package import IdPProviders
import SSOShared
import SSOWeb
import Storage

/// What follows a proven identity of a provider: a sign-in, a new account, or the proof that an account that exists is the
/// user's own.
package struct ProviderSignIn: Sendable {
    let accounts: AccountStore
    let sessions: Sessions
    let completion: SignInCompletion
    let refreshTokens: SealedBox
    let newcomers: NewSessionLimit
    let clock: ServiceClock
    /// Whether a user can prove an address by email.
    let hasMail: Bool

    /// What an identity means here.
    private enum Meaning: Sendable {
        /// It leads to an account that it opens, or makes one.
        case signsIn
        /// Its user has to prove this mailbox first. The account of the address exists, or is made by the proof.
        case provesAddress(EmailAddress)
        case refused(ProviderSignInError)
    }

    func finish(
        _ proven: ProviderIdentity, _ provider: Provider, _ flow: FlowID?, _ session: Session, _ request: Request,
        _ context: VisitorContext
    ) async throws -> Response {
        let identity = try identity(proven, provider)
        if let since = session.slots.signInSince(flow), !Self.isFresh(proven, since: since) {
            throw refused(.notFresh, provider, flow, context)
        }
        switch try await meaning(of: identity, provider) {
        case .refused(let refusal): throw refused(refusal, provider, flow, context)
        case .provesAddress where !hasMail: throw refused(.addressNotProven, provider, flow, context)
        case .provesAddress(let address):
            let now = clock.now()
            let updated = try await sessions.store.update(session) { slots in
                slots[PendingIdentity.self] = PendingIdentity(identity, toProve: address, provenAt: now)
                return true
            }
            guard updated != nil else { return .redirect(to: SignInPath.signIn(flow)) }
            context.record(Event(.identityLinkPending, session: session.handle, detail: provider.id))
            return .redirect(to: FlowID.path(KnownAddressRoutes.path, flow))
        case .signsIn:
            let done = try await completion.finish(
                ProvenSignIn(.external(identity), method: provider.method, flow: flow, consuming: { _ in true }),
                session, request, context)
            if done != nil { await newcomers.giveBack(request, context) }
            // Another request of this browser has replaced the session meanwhile.
            return done ?? .redirect(to: SignInPath.signIn(flow))
        }
    }

    package func identity(_ proven: ProviderIdentity, _ provider: Provider) throws -> ExternalIdentity {
        let address = proven.email
        return ExternalIdentity(
            provider: provider.id, issuer: proven.issuer, subject: proven.subject, email: address,
            isPrivateEmail: proven.isPrivateEmail, name: proven.name, authenticatedAt: proven.authenticatedAt,
            sealedRefreshToken: try proven.refreshToken.map { try refreshTokens.seal(Array($0.utf8)) },
            mayMakeAccount: provider.allowsNewAccounts
                && address.map { accounts.eligibility.allowed.contains($0.text) } ?? false,
            ownedDomains: provider.ownedDomains + (proven.hostedDomain.map { [$0] } ?? []))
    }

    private func meaning(of identity: ExternalIdentity, _ provider: Provider) async throws -> Meaning {
        try await accounts.database.read { connection in
            if let account = try AccountStore.find(.external(identity), connection) {
                // An account that may not sign in gets the page that says so, and no code.
                guard accounts.eligibility.maySignIn(account), try !accounts.opens(identity, account, connection) else {
                    return .signsIn
                }
                return .provesAddress(try EmailAddress(account.email))
            }
            guard let address = identity.email else { return .refused(.noVerifiedEmail) }
            if try AccountStore.find(email: address.text, connection) != nil { return .provesAddress(address) }
            guard accounts.eligibility.allowed.contains(address.text) else { return .refused(.addressNotAllowed) }
            guard identity.mayMakeAccount else { return .refused(.newAccountsOff) }
            return identity.vouches(for: address.text) ? .signsIn : .provesAddress(address)
        }
    }

    /// Whether the provider says that it has authenticated the user since then. `auth_time` has whole seconds, and the
    /// provider's clock may be a little late.
    private static func isFresh(_ identity: ProviderIdentity, since: Timestamp) -> Bool {
        identity.authenticatedAt.map { $0 + TokenClaims.skew >= since } ?? false
    }

    private func refused(
        _ refusal: ProviderSignInError, _ provider: Provider, _ flow: FlowID?, _ context: VisitorContext
    ) -> PublicError {
        context.record(refusal.event(provider, context))
        return refusal.page(provider, flow)
    }
}

/// Links a proven identity of a provider to the account of the user who is signed in.
package struct ProviderAddition: Sendable {
    let accounts: AccountStore
    let sessions: Sessions
    let signIn: ProviderSignIn
    let providers: ProviderRegistry
    let changes: any AccountChangeReporter

    private enum Outcome: Sendable {
        case done(AccountStore.AddOutcome)
        case otherUser, otherProvider
    }

    func finish(
        _ proven: ProviderIdentity, _ provider: Provider, _ accountID: String, _ session: Session,
        _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let identity = try signIn.identity(proven, provider)
        let origin = ChangeOrigin(request)
        // In one transaction with the account's state: a user who was signed out at that instant links nothing.
        let outcome = try await accounts.database.write { connection -> Outcome in
            guard let user = try accounts.signedIn(session, connection), user.account.id == accountID,
                try sessions.store.isAlive(handle: session.handle, connection)
            else { return .otherUser }
            guard providers.has(id: identity.provider, issuer: identity.issuer) else { return .otherProvider }
            let done = try accounts.addOnce(identity, to: user.account, reporting: changes, by: origin, connection)
            if done == .added {
                try context.record(
                    Event(
                        .identityLinked, by: .user(accountID), account: accountID, session: session.handle,
                        detail: provider.id), connection)
            }
            return .done(done)
        }
        switch outcome {
        case .done(.added): return .redirect(to: "/?added=\(provider.id)")
        case .done(.already): return .redirect(to: "/")
        case .done(.elsewhere): throw refused(.linkedElsewhere, provider, context)
        case .otherUser: throw refused(.otherUser, provider, context)
        case .otherProvider: throw refused(.otherProvider, provider, context)
        }
    }

    private func refused(
        _ refusal: ProviderSignInError, _ provider: Provider, _ context: VisitorContext
    ) -> PublicError {
        context.record(refusal.event(provider, context))
        return refusal.page(provider, nil)
    }
}
