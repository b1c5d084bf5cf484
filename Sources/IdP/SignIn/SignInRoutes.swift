import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The first step: the address. The same answer, cookies and work whether or not it may sign in (invariant I10).
struct SignInRoutes: Sendable {
    let sessions: Sessions<IdPSession>
    let clients: ClientRegistry
    let challenges: ChallengeStore
    let completion: SignInCompletion
    let devices: Devices
    let limits: SignInLimits
    let page: SignInPage

    func add(to router: Router<VisitorContext>) {
        router.form(at: "/sign-in", show: show, submit: submit)
        router.only([.post], at: "/sign-out", use: signOut)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        if let done = try await completion.alreadySignedIn(context, flow: flow) { return done }
        let session = try await sessions.current(request, context)
        return form(session, flow: flow, address: "", hasError: false)
    }

    @Sendable private func submit(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        let flow = FlowID.read(fields)
        if let done = try await completion.alreadySignedIn(context, flow: flow) { return done }
        guard let session = context.session,
            sessions.forms.accepts(request, fields: fields, seed: session.formSeed)
        else {
            throw PublicError.staleForm(.init(label: "Sign in", href: FlowID.path("/sign-in", flow)))
        }
        let typed = try fields.text("email") ?? ""
        guard let address = try? LetterAddress(typed) else {
            try limits.countEmailPost(request, context, deviceID: nil)
            return form(session, flow: flow, address: String(typed.prefix(254)), hasError: true)
        }
        let known = try await devices.known(request, for: address)
        try limits.countEmailPost(request, context, deviceID: known)
        let requester = EmailRequester(deviceID: known, network: limits.network(request, context))
        let (service, device) = (service(flow, session), DeviceKind.name(userAgent: request.headers[.userAgent]))
        // A new id at every step: one that was planted before the challenge is dead (session fixation). In one
        // transaction with the challenge: no letter leaves whose code fits no browser.
        let fresh = try await sessions.store.replace(session, keepingForms: true) { old, connection in
            var held = old.challenges
            held.keep(
                try challenges.begin(
                    address, held: held.held(for: address), requester: requester, service: service, device: device,
                    connection))
            return IdPSession(sso: old.sso, challenges: held)
        }
        // The same form, sent twice, was faster: the browser has the new session from there.
        guard let fresh else { return .redirect(to: FlowID.path(EmailCodeRoutes.path, flow)) }
        var response = Response.redirect(to: FlowID.path(EmailCodeRoutes.path, flow))
        sessions.remember(fresh, in: &response)
        return response
    }

    @Sendable private func signOut(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let session = context.session else { return .redirect(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: session.formSeed) else {
            throw PublicError.staleForm(.home)
        }
        // The row goes, and with it every token of this session that nobody has redeemed yet.
        try await sessions.store.end(session)
        context.logger.info(
            "signed out", metadata: ["session": "\(session.handle)"])
        var response = Response.redirect(to: "/")
        sessions.forget(in: &response)
        return response
    }

    private func form(_ session: Session<IdPSession>, flow: FlowID?, address: String, hasError: Bool) -> Response {
        var response = page.response(
            formToken: sessions.formToken(for: session), flow: flow, service: service(flow, session),
            address: address, hasError: hasError)
        sessions.remember(session, in: &response)
        return response
    }

    /// The name of the service that waits, for page and letter.
    private func service(_ flow: FlowID?, _ session: Session<IdPSession>) -> String? {
        flow.flatMap { session.slots.sso.flows[$0.text] }.flatMap { clients.client(id: $0.request.clientID)?.name }
    }
}
