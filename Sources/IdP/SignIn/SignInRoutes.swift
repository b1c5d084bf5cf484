import Hummingbird
import Logging
import SSOWeb

/// `/sign-in` and `/sign-out`.
struct SignInRoutes: Sendable {
    let sessions: Sessions
    let completion: SignInCompletion
    let page: SignInPage
    /// Takes an address from the form with the field `email`; nil if it is not an email address.
    let submitAddress: @Sendable (SubmittedAddress) async throws -> Response?

    func add(to router: Router<VisitorContext>) {
        router.form(at: "/sign-in", show: show, submit: submit)
        router.only([.post], at: "/sign-out", use: signOut)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        if let done = try await completion.alreadySignedIn(context, flow: flow) { return done }
        return page.response(try await sessions.current(request, context), flow: flow)
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
        let submitted = SubmittedAddress(
            text: typed, session: session, flow: flow, clientName: page.clientName(flow, session), request: request,
            context: context)
        return try await submitAddress(submitted)
            ?? page.response(session, flow: flow, address: String(typed.prefix(254)), hasError: true)
    }

    @Sendable private func signOut(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let session = context.session else { return .redirect(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: session.formSeed) else {
            throw PublicError.staleForm(.home)
        }
        // Every token of this session that was not redeemed yet ends with its row.
        try await sessions.store.end(session)
        context.logger.info("signed_out", metadata: ["session": "\(session.handle)"])
        var response = Response.redirect(to: "/")
        sessions.forget(in: &response)
        return response
    }
}

/// What a visitor has typed into the field `email`, with the request it came in.
struct SubmittedAddress: Sendable {
    let text: String
    let session: Session
    let flow: FlowID?
    let clientName: String?
    let request: Request
    let context: VisitorContext
}
