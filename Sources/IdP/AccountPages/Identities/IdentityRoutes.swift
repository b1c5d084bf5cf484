import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPProviders
import SSOShared
import SSOWeb
import Storage

/// `POST /identities/link` and `/identities/unlink`: the buttons of the home page that change how its user signs in, and
/// `/identities/confirm` for a change that had to wait for a new sign-in.
///
/// Both need a sign-in of the last ten minutes: who finds a browser unlocked must not be able to keep the account
/// (ASVS 7.5.1).
struct IdentityRoutes: Sendable {
    static let linkPath = "/identities/link"
    static let unlinkPath = "/identities/unlink"

    let sessions: Sessions
    let accounts: AccountStore
    let identities: Identities
    let providers: ProviderRegistry
    /// Takes the browser to a provider, to link it to the account of this id.
    let beginAddition: @Sendable (Provider, String, Session, VisitorContext) async throws -> Response
    let removal: IdentityRemoval
    let flowLimit: FlowLimit
    let clock: ServiceClock
    let randomness: any Randomness
    let page: IdentityConfirmPage

    func addRoutes(to router: inout FeatureRouter) {
        router.form(
            at: Self.linkPath,
            .ofUser(signedIn) { form, user in
                guard let id = try form.fields.text("provider"), let provider = providers.provider(id: id) else {
                    throw PublicError.notFound
                }
                return try await ask(.link(provider: provider.id), user, form.request, form.context)
            })
        router.form(
            at: Self.unlinkPath,
            .ofUser(signedIn) { form, user in
                let identity = try form.fields.text("identity") ?? ""
                return try await ask(.unlink(identity: identity), user, form.request, form.context)
            })
        let confirmation = Form(
            about: { post -> FormSubject<Ready> in
                switch try await waiting(post.fields, post.context) {
                case .signIn(let flow): .over(.redirect(to: SignInPath.signIn(flow)))
                case .ready(let ready): .open(ready)
                }
            },
            orElse: {
                .init(label: Text("error.try-again"), href: FlowID.path(AccountChangePurpose.path, $0.flow))
            },
            submit: { form, ready in
                try await carryOut(ready.change.action, ready.user, ending: ready.flow, form.request, form.context)
            })
        router.form(at: AccountChangePurpose.path, show: show, confirmation)
    }

    /// Who sent the request, or nil for a visitor who is not signed in.
    ///
    /// Reads the session and the account in one snapshot. The session in the context is older than the account: a removal
    /// between the two ends all other sign-ins of the account and renews the one of this session.
    private func signedIn(_ context: VisitorContext) async throws -> SignedInUser? {
        guard let session = context.session else { return nil }
        return try await accounts.database.read { connection in
            guard let current = try sessions.store.current(session, connection) else { return nil }
            return try accounts.signedIn(current, connection)
        }
    }

    /// Carries a change out, or lets it wait for a new sign-in.
    private func ask(
        _ action: WaitingChange.Action, _ user: SignedInUser, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let now = clock.now()
        if let provenAt = user.signIn.provenAt, provenAt >= now - CurrentSignIn.longestForChanges {
            return try await carryOut(action, user, ending: nil, request, context)
        }
        try flowLimit.count(user.session)
        let flow = try FlowID(randomness: randomness)
        let updated = try await sessions.store.update(user.session) { slots in
            let change = WaitingChange(action, accountID: user.account.id)
            try slots[Flows.self].begin(change.flow(now: now), id: flow, now: now)
            return true
        }
        // Another request of this browser has replaced or ended the session meanwhile.
        guard let updated else { return .redirect(to: "/") }
        context.record(
            Event(
                .accountChangeWaits, account: user.account.id, session: user.session.handle,
                flow: updated[Flows.self].logID(flow)))
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
                name, from: user, ending: flow, by: ChangeOrigin(request), context)
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
        case .ready(let ready):
            let (flow, user) = (ready.flow, ready.user)
            let token = sessions.formToken(for: user.session)
            switch ready.change.action {
            case .link(let id):
                guard let provider = providers.provider(id: id) else { return .redirect(to: "/") }
                return page.response(
                    request, user, flow, provider: provider.name, isLink: true, formToken: token)
            case .unlink(let name):
                let list = try await accounts.database.read { try AccountStore.identities(of: user.account.id, $0) }
                guard let identity = list.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
                    let provider = identities.name(of: identity)
                else { return .redirect(to: "/") }
                return page.response(request, user, flow, provider: provider, isLink: false, formToken: token)
            }
        }
    }

    /// A change whose user has signed in again.
    private struct Ready: Sendable {
        let flow: FlowID
        let change: WaitingChange
        let user: SignedInUser
    }

    private enum Waiting {
        case ready(Ready)
        /// The user has not signed in again yet.
        case signIn(FlowID)
    }

    /// The change that a request names, if it waits in this browser and for the account that is signed in.
    private func waiting(_ fields: URLEncodedFields, _ context: VisitorContext) async throws -> Waiting {
        let now = clock.now()
        guard let flow = FlowID.read(fields), let session = context.session,
            let change = WaitingChange.pending(flow, in: session[Flows.self], now: now)
        else { throw IdentityError.ended }
        guard let user = try await signedIn(context) else { return .signIn(flow) }
        guard user.account.id == change.accountID else {
            context.record(
                Event(
                    .accountChangeRefused, session: session.handle, flow: session[Flows.self].logID(flow),
                    cause: "other_account"))
            throw IdentityError.otherAccount.logged
        }
        return session.slots.asksAgain(flow, after: user.signIn.provenAt, now: now)
            ? .signIn(flow) : .ready(Ready(flow: flow, change: change, user: user))
    }
}
