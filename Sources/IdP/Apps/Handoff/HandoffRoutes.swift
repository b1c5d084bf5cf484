import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
import IdPFlow
import Logging
import SSOShared
package import SSOWeb
import Storage

/// `/auth/native/METHOD` and `/auth/native/complete`: an app signs in through the system browser, which it trusts with the
/// sign-in and the cookies (RFC 8252), and gets a ``HandoffCode`` for its web view.
struct HandoffRoutes: Sendable {
    static let prefix = NativeStart.prefix

    let apps: NativeApps
    /// How a sign-in begins at `/auth/native/NAME`; nil for a name of no method.
    let start: @Sendable (String) -> NativeStart?
    /// What a request with a ticket begins in place of a sign-in.
    let link: any TicketStart
    let sessions: Sessions
    let accounts: AccountStore
    let store: HandoffStore
    let flowLimit: FlowLimit
    let randomness: any Randomness
    let pages: HandoffPages

    init(
        _ parts: SharedParts, apps: NativeApps, store: HandoffStore, link: any TicketStart,
        start: @escaping @Sendable (String) -> NativeStart?
    ) {
        (self.apps, self.store, self.link, self.start) = (apps, store, link, start)
        (sessions, accounts, flowLimit) = (parts.sessions, parts.accounts, parts.flowLimit)
        randomness = parts.randomness
        pages = HandoffPages(pages: parts.pages, startScript: parts.assets.path(of: "native.js"))
    }

    func addRoutes(to router: inout FeatureRouter) {
        let start = Form(
            about: asked,
            refusing: { post in
                let asked = try? HandoffRequest.read(post.fields, apps: apps)
                let again = (try? named(in: post.context)).flatMap { start in
                    asked?.start(at: Self.prefix + start.name, ticket: ticket(in: post.fields))
                }
                return stale(post, again: again ?? "/")
            }, submit: submit)
        router.form(at: "\(Self.prefix):name", show: { try await show($0, $1, named(in: $1)) }, start)
        let agreement = Form<FlowID>(
            about: { .open(try flow(in: $0.fields, $0.request, $0.context)) },
            refusing: { stale($0, again: FlowID.path(HandoffPurpose.path, $0.flow)) },
            submit: { form, flow in
                try await complete(flow, form.session, isConfirmed: true, form.request, form.context)
            })
        // A GET issues a code.
        router.visit(
            at: HandoffPurpose.path, refusing: { refused(.notAPage, $1, FlowError.notAPage) }, agreement
        ) { request, context in
            let flow = try flow(in: request.queryFields, request, context)
            guard let session = context.session else { throw refused(.otherBrowser, context, FlowError.noSuchFlow) }
            return try await complete(flow, session, isConfirmed: false, request, context)
        }
    }

    private func stale(_ post: FormPost, again: String) -> PublicError {
        refused(
            .staleForm, post.context,
            PublicError.staleForm(post.request, from: post.sender, .init(label: Text("error.try-again"), href: again)))
    }

    // MARK: The start

    private func named(in context: VisitorContext) throws -> NativeStart {
        guard let start = context.parameters.get("name").flatMap(start) else { throw PublicError.notFound }
        return start
    }

    private func show(
        _ request: Request, _ context: VisitorContext, _ start: NativeStart
    ) async throws -> Response {
        guard request.isTopLevelNavigation, !request.isPrefetch else {
            throw refused(.notAPage, context, FlowError.notAPage)
        }
        let asked: HandoffRequest
        do { asked = try HandoffRequest.read(request.queryFields, apps: apps) } catch {
            let page = refused(error, context, HandoffError.unknownApp)
            guard let callback = error.callback else { throw page }
            return .redirect(to: callback, type: .found)
        }
        if let ticket = ticket(in: request.queryFields) {
            return try await link.show(ticket, asked, at: start.name, request, context)
        }
        let session = try await sessions.current(request, context)
        var response = pages.start(
            request, asked, action: Self.prefix + start.name, formToken: sessions.formToken(for: session))
        sessions.remember(session, in: &response)
        return response
    }

    /// What the form of the page asks for.
    @Sendable private func asked(
        by post: FormPost
    ) throws -> FormSubject<(start: NativeStart, asked: HandoffRequest)> {
        let start = try named(in: post.context)
        do { return .open((start, try HandoffRequest.read(post.fields, apps: apps))) } catch {
            // No redirect: `form-action` stops it, and our own form has no such values.
            throw refused(error, post.context, HandoffError.unknownApp)
        }
    }

    /// The form of the page, sent by its script or its button.
    @Sendable private func submit(
        _ form: SubmittedForm, _ begun: (start: NativeStart, asked: HandoffRequest)
    ) async throws -> Response {
        let (request, context, session) = (form.request, form.context, form.session)
        let (start, asked) = begun
        let ticket = ticket(in: form.fields)
        if let ticket { return try await link.submit(ticket, asked, at: start.name, session, context) }
        try flowLimit.count(session)
        let id = try FlowID(randomness: randomness)
        let handoff = Handoff(id: id, method: start.name, redirectURI: asked.app.redirectURI)
        let begun = try await sessions.store.update(
            session,
            with: { slots, connection in
                let now = store.clock.now()
                let flow = HandoffPurpose.request(for: asked.app, by: start, now: now)
                for forgotten in try slots[Flows.self].begin(flow, id: id, now: now) {
                    try store.forget(forgotten, connection)
                }
                try store.begin(handoff, codeChallenge: asked.codeChallenge, connection)
                return true
            })
        // Another request of this browser has replaced the session meanwhile.
        guard let begun else {
            let again = asked.start(at: Self.prefix + start.name, ticket: ticket)
            throw refused(
                .staleForm, context,
                PublicError.staleForm(request, from: .ownPage, .init(label: Text("error.try-again"), href: again)))
        }
        context.record(
            Event(
                .handoffStarted, session: session.handle, flow: begun[Flows.self].logID(id), detail: start.name,
                ["app": "\(asked.app.id)", "handoff": "\(id.text)"]))
        let isSignedIn = try await accounts.signedIn(context) != nil
        if isSignedIn { return .redirect(to: FlowID.path(HandoffPurpose.path, id)) }
        return try await start.begin(id, begun, request, context)
    }

    /// Nil for a sign-in. A ticket that cannot be read is one that no link begins with.
    private func ticket(in fields: URLEncodedFields) -> String? {
        do { return try fields.text("ticket") } catch { return "" }
    }

    // MARK: The end

    /// What becomes of a handoff that the browser comes back to.
    private enum Step: Sendable {
        case issued(HandoffCode, NativeApp, SignedInUser, isNew: Bool)
        /// The user was signed in before, and has not agreed yet.
        case confirm(NativeApp, SignedInUser)
        case signIn(Handoff)
        case refused(HandoffRequestError.Cause)
    }

    private func flow(
        in fields: URLEncodedFields, _ request: Request, _ context: VisitorContext
    ) throws -> FlowID {
        guard let flow = FlowID.read(fields), sessions.cookie.id(in: request) != nil, context.session != nil
        else { throw refused(.otherBrowser, context, FlowError.noSuchFlow) }
        return flow
    }

    /// - Parameter isConfirmed: whether the user has agreed on the page that asks.
    private func complete(
        _ flow: FlowID, _ session: Session, isConfirmed: Bool, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard let id = sessions.cookie.id(in: request) else {
            throw refused(.otherBrowser, context, FlowError.noSuchFlow)
        }
        let code = try HandoffCode(randomness: randomness)
        let step = try await store.database.write { connection in
            let current = try sessions.store.find(touching: id, connection)
            return try decide(flow, code, current, isConfirmed: isConfirmed, connection)
        }
        switch step {
        case .issued(let code, let app, let user, let isNew):
            context.record(
                Event(
                    .handoffCodeIssued, account: user.account.id, session: user.session.handle,
                    flow: user.session[Flows.self].logID(flow),
                    ["app": "\(app.id)", "handoff": "\(flow.text)", "new_user": "\(isNew)"]))
            let callback = AuthorizeRequest.adding(
                [("code", code.wire), ("new_user", "\(isNew)")], to: app.redirectURI)
            return pages.goOn(request, app, user.account, callback: callback)
        case .confirm(let app, let user):
            return pages.confirm(request, app, flow, user, formToken: sessions.formToken(for: user.session))
        case .signIn(let handoff):
            guard let start = start(handoff.method) else { return .redirect(to: SignInPath.signIn(flow)) }
            return try await start.begin(flow, session, request, context)
        case .refused(let cause): throw refused(cause, context, Self.page(for: cause))
        }
    }

    /// In one transaction, so that a user who signs out at the same instant gets no code. Everything is checked again: the
    /// settings and the account may have changed during the sign-in.
    private func decide(
        _ flow: FlowID, _ code: HandoffCode, _ session: Session?, isConfirmed: Bool, _ connection: any SQLConnection
    ) throws -> Step {
        guard let session, let known = session[Flows.self].ended(flow), known.purpose == HandoffPurpose.id else {
            return .refused(.otherBrowser)
        }
        guard let handoff = try store.pending(flow, connection) else { return .refused(.ended) }
        guard let app = apps.app(handoff.redirectURI.utf8) else { return .refused(.redirectNotRegistered) }
        guard let user = try accounts.signedIn(session, connection),
            user.signIn.proofs.strength >= known.strength ?? .any,
            !session.slots.asksAgain(flow, after: user.signIn, now: store.clock.now())
        else { return .signIn(handoff) }
        let isForThis = user.signIn.flow.map { $0.utf8.elementsEqual(flow.text.utf8) } ?? false
        guard isForThis || isConfirmed else { return .confirm(app, user) }
        try store.issue(code, for: handoff, to: user, connection)
        return .issued(code, app, user, isNew: isForThis && user.signIn.isFirst == true)
    }

    private static func page(for cause: HandoffRequestError.Cause) -> PublicError {
        switch cause {
        case .otherBrowser: FlowError.noSuchFlow
        case .redirectNotRegistered: HandoffError.unknownApp
        default: HandoffError.ended
        }
    }

    // MARK: Refusals

    private func refused(
        _ cause: HandoffRequestError.Cause, _ context: VisitorContext, _ page: PublicError
    ) -> PublicError {
        refused(HandoffRequestError(cause: cause), context, page)
    }

    /// Says why.
    ///
    /// - Returns: the page of the answer.
    private func refused(
        _ refusal: HandoffRequestError, _ context: VisitorContext, _ page: PublicError
    ) -> PublicError {
        context.record(refusal.event(in: context.session))
        return page.logged
    }
}

/// `/auth/native/NAME` with a ticket.
package protocol TicketStart: Sendable {
    /// The page that asks the user.
    func show(
        _ ticket: String, _ asked: HandoffRequest, at name: String, _ request: Request, _ context: VisitorContext
    ) async throws -> Response

    /// The form of that page, after the check of its token.
    func submit(
        _ ticket: String, _ asked: HandoffRequest, at name: String, _ session: Session, _ context: VisitorContext
    ) async throws -> Response
}
