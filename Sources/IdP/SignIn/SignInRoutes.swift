import HTTPTypes
package import Hummingbird
package import IdPDirectory
package import IdPFlow
import SSOShared
package import SSOWeb

/// `/sign-in`.
package struct SignInRoutes: Sendable {
    package static let path = SignInPath.signIn

    let sessions: Sessions
    let completion: SignInCompletion
    let page: SignInPage
    /// Takes an address from the form with the field `email`; nil if it is not an email address.
    let submitAddress: @Sendable (SubmittedAddress) async throws -> Response?

    package init(
        sessions: Sessions, completion: SignInCompletion, page: SignInPage,
        submitAddress: @escaping @Sendable (SubmittedAddress) async throws -> Response?
    ) {
        (self.sessions, self.completion, self.page, self.submitAddress) = (sessions, completion, page, submitAddress)
    }

    package func add(to router: Router<VisitorContext>) {
        router.form(at: RouterPath(Self.path), show: show, submit: submit)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
        let user = try await completion.askedAgain(context, flow: flow)
        return page.response(request, try await sessions.current(request, context), flow: flow, user: user)
    }

    @Sendable private func submit(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await sessions.formFields(of: request, context)
        let flow = FlowID.read(fields)
        if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
        guard let session = context.session,
            sessions.forms.accepts(request, fields: fields, seed: session.formSeed)
        else {
            throw PublicError.staleForm(
                request, .init(label: Text("sign-in.title"), href: SignInPath.signIn(flow)))
        }
        let typed = try fields.text("email") ?? ""
        let submitted = SubmittedAddress(
            text: typed, session: session, flow: flow, clientName: page.clientName(flow, session),
            confirmsIdentity: try fields.text("known") == "1", request: request, context: context)
        if let next = try await submitAddress(submitted) { return next }
        let user = try await completion.askedAgain(context, flow: flow)
        return page.response(
            request, session, flow: flow, user: user, address: String(typed.prefix(254)), hasError: true)
    }
}

/// What a visitor has typed into the field `email`, with the request it came in.
package struct SubmittedAddress: Sendable {
    let text: String
    let session: Session
    let flow: FlowID?
    let clientName: String?
    /// The form was on a page that says what the sign-in adds to the account (``PendingIdentity``).
    let confirmsIdentity: Bool
    let request: Request
    let context: VisitorContext
}

/// The page `/sign-in`: every method's option.
package struct SignInPage: Sendable {
    let pages: Pages
    let sessions: Sessions
    let clients: ClientRegistry
    let methods: [any SignInMethod]
    let lastMethod: LastMethodCookie
    let assets: StaticAssets
    let script: String

    package init(
        pages: Pages, sessions: Sessions, clients: ClientRegistry, methods: [any SignInMethod],
        lastMethod: LastMethodCookie, assets: StaticAssets, script: String
    ) {
        (self.pages, self.sessions, self.clients, self.methods, self.lastMethod) = (
            pages, sessions, clients, methods, lastMethod
        )
        (self.assets, self.script) = (assets, script)
    }

    struct Link: Sendable { let label, href: String }

    struct Model: Sendable {
        let formToken, flow, service, cancel, email, address, script, hint, button: String
        let hasService, isApp, isAskedAgain, isForAccountChange, hasError, hasLinks: Bool
        let links: [Link]
        let parts: [SignInParts.Part]
    }

    /// - Parameters:
    ///   - user: who is signed in and asked to sign in again.
    ///   - address: what the visitor typed before, to correct it.
    ///   - hasError: whether that was not an email address.
    func response(
        _ request: Request, _ session: Session, flow: FlowID?, user: SignedInUser? = nil, address: String? = nil,
        hasError: Bool = false
    ) -> Response {
        let attempt = SignInAttempt(
            flow: flow, clientName: clientName(flow, session), isNativeShell: request.isFromNativeShell,
            needsNewSignIn: session.slots.needsNewSignIn(flow))
        let texts = pages.texts(for: request)
        var (field, links): ((hint: String, button: String)?, [Link]) = (nil, [])
        var providers: [ProviderButton] = []
        for option in methods.flatMap({ $0.options(for: attempt) }) {
            switch option {
            case .emailField(let hint, let button): field = (texts.plain(hint), texts.plain(button))
            case .link(let label, let path):
                links.append(Link(label: texts.plain(label), href: FlowID.path(path, flow)))
            case .provider(let button): providers.append(button)
            }
        }
        let parts = SignInParts(
            providers: providers, hasEmailField: field != nil, hasError: hasError,
            lastUsed: lastMethod.value(in: request), texts: texts,
            logo: { assets.path(of: "provider-\($0).svg") })
        let model = Model(
            formToken: sessions.formToken(for: session), flow: flow?.text ?? "", service: attempt.clientName ?? "",
            cancel: flow?.cancel ?? "", email: user?.account.email ?? "",
            address: address ?? hint(flow, session) ?? user?.account.email ?? "", script: script,
            hint: field?.hint ?? "", button: field?.button ?? "", hasService: attempt.clientName != nil,
            isApp: flow.map { session[PendingHandoffs.self].contains($0) } ?? false,
            isAskedAgain: user != nil && attempt.clientName != nil,
            isForAccountChange: user != nil && flow.map { session[PendingAccountChanges.self].contains($0) } ?? false,
            hasError: hasError, hasLinks: !links.isEmpty, links: links, parts: parts.ordered)
        var response = pages.response("sign-in", model, for: request, status: hasError ? .unprocessableContent : .ok)
        sessions.remember(session, in: &response)
        return response
    }

    private func hint(_ flow: FlowID?, _ session: Session) -> String? {
        flow.flatMap { session[PendingFlows.self].flows[$0.text]?.loginHint }
    }

    /// The name of the client or app that a flow belongs to, for pages and emails.
    func clientName(_ flow: FlowID?, _ session: Session) -> String? { clients.name(of: flow, in: session) }
}

extension ClientRegistry {
    /// The name of the client that a pending flow of this session belongs to, or of the app that asked for a handoff.
    package func name(of flow: FlowID?, in session: Session) -> String? {
        guard let flow else { return nil }
        if let asked = session[PendingFlows.self].flows[flow.text] { return client(id: asked.request.clientID)?.name }
        return session[PendingHandoffs.self].app(flow)
    }
}
