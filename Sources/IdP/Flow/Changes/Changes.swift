import Hummingbird
import IdPAccounts
import IdPClients
package import SSOShared
package import SSOWeb
import Storage
import Synchronization

/// Makes changes: at once for a user whose sign-in is recent and strong enough, and after a new sign-in and the button of a page
/// for any other one.
package struct Changes: Sendable {
    let all: [any WaitingChange]
    let completion: SignInCompletion
    let flowLimit: FlowLimit
    let randomness: any Randomness
    let pages: Pages

    package init(
        _ all: [any WaitingChange], _ completion: SignInCompletion, flowLimit: FlowLimit, randomness: any Randomness,
        pages: Pages
    ) {
        (self.all, self.completion, self.flowLimit) = (all, completion, flowLimit)
        (self.randomness, self.pages) = (randomness, pages)
    }

    private var sessions: Sessions { completion.sessions }
    private var accounts: AccountStore { completion.accounts }
    private var clock: ServiceClock { completion.clock }

    /// Declares the forms that ask for the changes, and the one page that asks whether to make one that has waited.
    package func addRoutes(to router: inout FeatureRouter) {
        for change in all { router.change(type(of: change).declared, form(of: change)) }
        let confirmation = Form(
            about: { post -> FormSubject<Ready> in
                switch try await waiting(post.fields, post.context) {
                case .signIn(let flow): .over(.redirect(to: SignInPath.signIn(flow)))
                case .ready(let ready): .open(ready)
                }
            },
            orElse: { .init(label: Text("error.try-again"), href: FlowID.path(ChangePurpose.path, $0.flow)) },
            submit: { form, ready in try await confirm(ready.change, ready, form) })
        router.form(at: ChangePurpose.path, show: show, confirmation)
    }

    /// Who sent the request, or nil for a visitor who is not signed in.
    ///
    /// Reads the session and the account in one snapshot. The session in the context is older than the account: a change that
    /// ends all other sign-ins of the account renews the one of this session.
    private func signedIn(_ context: VisitorContext) async throws -> SignedInUser? {
        guard let session = context.session else { return nil }
        return try await accounts.database.read { connection in
            guard let current = try sessions.store.current(session, connection) else { return nil }
            return try accounts.signedIn(current, connection)
        }
    }

    // MARK: A change that is asked for

    private func form<Change: WaitingChange>(of change: Change) -> Form<SignedInUser> {
        .ofUser(signedIn, elsewhere: { $0.isOutrun ? SignInPath.stale : Change.home }) { form, user in
            if let page = try await change.formAgain(form, for: user) { return page }
            let asked = try change.asked(in: form.fields)
            let (signIn, now) = (user.signIn, clock.now())
            let need = try await accounts.database.read { try change.needs(of: user, $0) }
            return need.isMet(by: signIn.proofs.strength, at: signIn.provenAt, now: now)
                ? try await carryOut(change, asked, user, ending: nil, form)
                : try await wait(change, asked, user, need, form.context)
        }
    }

    /// Lets a change wait for a new sign-in.
    private func wait<Change: WaitingChange>(
        _ change: Change, _ asked: Change.Asked, _ user: SignedInUser, _ need: Proof.Need, _ context: VisitorContext
    ) async throws -> Response {
        try flowLimit.count(user.session)
        let (id, now) = (try FlowID(randomness: randomness), clock.now())
        let flow = try change.flow(asked, of: user.account.id, needing: need, now: now)
        let updated = try await sessions.store.update(user.session) { slots in
            try slots[Flows.self].begin(flow, id: id, now: now)
            return true
        }
        // Another request of this browser has replaced or ended the session meanwhile.
        guard let updated else { return .redirect(to: Change.home) }
        context.record(
            Event(
                .accountChangeWaits, account: user.account.id, session: user.session.handle,
                flow: updated[Flows.self].logID(id)))
        return .redirect(to: SignInPath.signIn(id))
    }

    // MARK: A change that has waited

    /// A change whose user has signed in again.
    private struct Ready: Sendable {
        let change: any WaitingChange
        let flow: Flow
        let user: SignedInUser
    }

    private enum Waiting {
        case ready(Ready)
        /// The user has not signed in again yet, or not strongly enough.
        case signIn(FlowID)
    }

    /// The change that a request names, if it waits in this browser and for the account that is signed in.
    private func waiting(_ fields: URLEncodedFields, _ context: VisitorContext) async throws -> Waiting {
        let now = clock.now()
        guard let id = FlowID.read(fields), let session = context.session,
            let flow = session[Flows.self].waitingChange(id, now: now),
            let change = all.first(where: { $0.isWaiting(in: flow) })
        else { throw ChangeError.ended }
        guard let user = try await signedIn(context) else { return .signIn(id) }
        guard user.account.id == flow.subject else {
            context.record(
                Event(.accountChangeRefused, session: session.handle, flow: flow.logID, cause: "other_account"))
            throw ChangeError.otherAccount.logged
        }
        return flow.demand.isMet(by: user.signIn) ? .ready(Ready(change: change, flow: flow, user: user)) : .signIn(id)
    }

    private struct Model: Encodable, Sendable {
        let formToken, flow, action, title, titleHTML, explanationHTML, home: String
        let isRemoval: Bool
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        switch try await waiting(request.queryFields, context) {
        case .signIn(let flow): .redirect(to: SignInPath.signIn(flow))
        case .ready(let ready): try await page(ready.change, ready, request)
        }
    }

    private func page<Change: WaitingChange>(
        _ change: Change, _ ready: Ready, _ request: Request
    ) async throws -> Response {
        guard let asked = change.asked(in: ready.flow),
            let page = try await accounts.database.read({ try change.page(of: asked, for: ready.user, $0) })
        else { return .redirect(to: Change.home) }
        let texts = pages.texts(for: request)
        let model = Model(
            formToken: sessions.formToken(for: ready.user.session), flow: ready.flow.id.text,
            action: ChangePurpose.path, title: texts.plain(page.title), titleHTML: texts.html(page.title),
            explanationHTML: texts.html(page.explanation), home: Change.home, isRemoval: page.isRemoval)
        return pages.response("change", model, for: request, offersLanguages: true)
    }

    private func confirm<Change: WaitingChange>(
        _ change: Change, _ ready: Ready, _ form: SubmittedForm
    ) async throws -> Response {
        guard let asked = change.asked(in: ready.flow) else { throw ChangeError.ended }
        return try await carryOut(change, asked, ready.user, ending: ready.flow.id, form)
    }

    // MARK: The change itself

    /// - Parameter flow: the change that waited; nil for one that did not have to.
    private func carryOut<Change: WaitingChange>(
        _ change: Change, _ asked: Change.Asked, _ user: SignedInUser, ending flow: FlowID?, _ form: SubmittedForm
    ) async throws -> Response {
        switch try change.carryOut(asked, for: user, form.context) {
        case .here(let body):
            guard let outcome = try await outcome(user, ending: flow, form, body) else {
                return .redirect(to: Change.home)
            }
            await outcome.afterwards?()
            if let page = outcome.page { return page(form.request) }
            var response = Response.redirect(to: try outcome.answer.get())
            if outcome.endsSession { sessions.forget(in: &response) }
            return response
        case .elsewhere(let goOn):
            let response = try await goOn(completion)
            guard let flow else { return response }
            // Only now: where the other end cannot be reached, the user can press the button again.
            let now = clock.now()
            let updated = try await sessions.store.update(user.session) {
                $0[Flows.self].takeChange(flow, now: now) != nil
            }
            guard updated != nil else { throw ChangeError.ended }
            return response
        }
    }

    /// In one transaction: the waiting change ends, the change is made, its owner is told, and it is recorded.
    ///
    /// - Returns: nil if the user was signed out meanwhile, or the change was made before.
    private func outcome(
        _ asking: SignedInUser, ending flow: FlowID?, _ form: SubmittedForm,
        _ body: @escaping @Sendable (SignedInUser, inout SessionSlots, any SQLConnection) throws -> ChangeOutcome
    ) async throws -> ChangeOutcome? {
        let (now, origin) = (clock.now(), ChangeOrigin(form.request))
        // The body may run again. The value of its last run is what was committed.
        let result = Mutex<ChangeOutcome?>(nil)
        let updated = try await sessions.store.update(
            asking.session,
            with: { slots, connection in
                result.withLock { $0 = nil }
                guard let user = try accounts.signedIn(asking.session, as: slots[CurrentSignIn.self], connection),
                    user.account.id == asking.account.id
                else { return false }
                if let flow {
                    let taken = slots[Flows.self].takeChange(flow, now: now)
                    guard taken?.subject == user.account.id else { return false }
                }
                let outcome = try body(user, &slots, connection)
                if let news = outcome.news {
                    try completion.changes.report(news, of: user.account, by: origin, connection)
                }
                if let event = outcome.event { try form.context.record(event, connection) }
                result.withLock { $0 = outcome }
                return true
            })
        return updated == nil ? nil : result.withLock { $0 }
    }
}
