import HTTPTypes
package import Hummingbird
package import IdPDirectory
import IdPFlow
package import IdPProviders
import Logging
package import SSOShared
package import SSOWeb

/// `POST /identities/link` and `/identities/unlink`: the buttons of the home page that change how its user signs in, and
/// `/identities/confirm` for a change that had to wait for a new sign-in.
///
/// Both need a sign-in of the last ten minutes: who finds a browser unlocked must not be able to keep the account
/// (ASVS 7.5.1).
package struct IdentityRoutes: Sendable {
    static let linkPath = "/identities/link"
    static let unlinkPath = "/identities/unlink"

    let sessions: Sessions
    let accounts: AccountStore
    let identities: Identities
    let providers: ProviderRegistry
    /// Takes the browser to a provider, to link it to the account of this id.
    let beginAddition: @Sendable (Provider, String, Session, VisitorContext) async throws -> Response
    let removal: IdentityRemoval
    let clock: ServiceClock
    let randomness: any Randomness
    let page: IdentityConfirmPage

    package init(
        sessions: Sessions, accounts: AccountStore, identities: Identities, providers: ProviderRegistry,
        beginAddition: @escaping @Sendable (Provider, String, Session, VisitorContext) async throws -> Response,
        removal: IdentityRemoval, clock: ServiceClock, randomness: any Randomness, page: IdentityConfirmPage
    ) {
        (self.sessions, self.accounts, self.identities, self.providers, self.beginAddition) = (
            sessions, accounts, identities, providers, beginAddition
        )
        (self.removal, self.clock, self.randomness, self.page) = (removal, clock, randomness, page)
    }

    /// Adds the routes, below the session middleware.
    package func add(to router: Router<VisitorContext>) {
        router.only([.post], at: RouterPath(Self.linkPath)) { request, context in
            try await ask(request, context) { fields in
                guard let id = try fields.text("provider"), let provider = providers.provider(id: id) else {
                    throw PublicError.notFound
                }
                return .link(provider: provider.id)
            }
        }
        router.only([.post], at: RouterPath(Self.unlinkPath)) { request, context in
            try await ask(request, context) { .unlink(identity: try $0.text("identity") ?? "") }
        }
        router.form(at: RouterPath(AccountChangePurpose.path), show: show, submit: submit)
    }

    /// Carries a change out, or lets it wait for a new sign-in.
    private func ask(
        _ request: Request, _ context: VisitorContext,
        for action: (URLEncodedFields) throws -> WaitingChange.Action
    ) async throws -> Response {
        let fields = try await sessions.formFields(of: request, context)
        guard let user = try await accounts.signedIn(context) else { return .redirect(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: user.session.formSeed) else {
            throw PublicError.staleForm(request, .home)
        }
        let (action, now) = (try action(fields), clock.now())
        if let provenAt = user.signIn.provenAt, provenAt >= now - CurrentSignIn.longestForChanges {
            return try await carryOut(action, user, ending: nil, request, context)
        }
        let flow = try FlowID(randomness: randomness)
        let updated = try await sessions.store.update(user.session) { slots in
            let change = WaitingChange(action, accountID: user.account.id)
            try slots[Flows.self].begin(change.flow(now: now), id: flow, now: now)
            return true
        }
        // Another request of this browser has replaced or ended the session meanwhile.
        guard let updated else { return .redirect(to: "/") }
        context.logger.info(
            "account_change_waits",
            metadata: [
                "account": "\(user.account.id)", "session": "\(user.session.handle)",
                "flow": "\(updated[Flows.self].logID(flow))",
            ])
        return .redirect(to: SignInPath.signIn(flow))
    }

    /// - Parameter flow: the change that waited; nil for one that did not have to.
    private func carryOut(
        _ action: WaitingChange.Action, _ user: SignedInUser, ending flow: FlowID?, _ request: Request,
        _ context: VisitorContext
    ) async throws -> Response {
        switch action {
        case .link(let id):
            guard let provider = providers.provider(id: id) else { throw PublicError.notFound }
            let response = try await beginAddition(provider, user.account.id, user.session, context)
            guard let flow else { return response }
            // Only now: where the provider cannot be reached, the user can press the button again.
            let now = clock.now()
            let updated = try await sessions.store.update(user.session) {
                WaitingChange.take(flow, from: &$0[Flows.self], now: now) != nil
            }
            guard updated != nil else { throw IdentityError.ended }
            return response
        case .unlink(let name):
            let outcome = try await removal.remove(
                name, from: user, ending: flow, by: ChangeOrigin(request), context.logger)
            switch outcome {
            case .removed(let identity): return .redirect(to: "/?removed=\(identity.provider ?? "")")
            case .gone, .ended: return .redirect(to: "/")
            case .last: throw IdentityError.last
            }
        }
    }

    // MARK: A change that has waited

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        switch try await waiting(request.queryFields, context) {
        case .signIn(let flow): return .redirect(to: SignInPath.signIn(flow))
        case .ready(let flow, let change, let user):
            let token = sessions.formToken(for: user.session)
            switch change.action {
            case .link(let id):
                guard let provider = providers.provider(id: id) else { return .redirect(to: "/") }
                return page.response(
                    request, user, flow, provider: provider.name, isLink: true, formToken: token)
            case .unlink(let name):
                let list = try await accounts.database.read { try accounts.identities(of: user.account.id, $0) }
                guard let identity = list.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
                    let provider = identities.name(of: identity)
                else { return .redirect(to: "/") }
                return page.response(request, user, flow, provider: provider, isLink: false, formToken: token)
            }
        }
    }

    @Sendable private func submit(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await sessions.formFields(of: request, context)
        switch try await waiting(fields, context) {
        case .signIn(let flow): return .redirect(to: SignInPath.signIn(flow))
        case .ready(let flow, let change, let user):
            guard sessions.forms.accepts(request, fields: fields, seed: user.session.formSeed) else {
                let again = FlowID.path(AccountChangePurpose.path, flow)
                throw PublicError.staleForm(request, .init(label: Text("error.try-again"), href: again))
            }
            return try await carryOut(change.action, user, ending: flow, request, context)
        }
    }

    private enum Waiting {
        case ready(FlowID, WaitingChange, SignedInUser)
        /// The user has not signed in again yet.
        case signIn(FlowID)
    }

    /// The change that a request names, if it waits in this browser and for the account that is signed in.
    private func waiting(_ fields: URLEncodedFields, _ context: VisitorContext) async throws -> Waiting {
        let now = clock.now()
        guard let flow = FlowID.read(fields), let session = context.session,
            let change = WaitingChange.pending(flow, in: session[Flows.self], now: now)
        else { throw IdentityError.ended }
        guard let user = try await accounts.signedIn(context) else { return .signIn(flow) }
        guard user.account.id == change.accountID else {
            context.logger.notice(
                "account_change_refused",
                metadata: [
                    "reason": "other_account", "session": "\(session.handle)",
                    "flow": "\(session[Flows.self].logID(flow))",
                ])
            throw IdentityError.otherAccount
        }
        return session.slots.asksAgain(flow, after: user.signIn.provenAt, now: now)
            ? .signIn(flow) : .ready(flow, change, user)
    }
}
