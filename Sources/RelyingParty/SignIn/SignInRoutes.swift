import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The web of signing in: `/auth/sso/start`, `/auth/sso/callback`, `/sign-out` (contract 6).
struct SignInRoutes: Sendable {
    let start: SignInStart
    let sessions: Sessions<RelyingPartySession>
    let backChannel: BackChannelClient
    let redirectURI: String
    let idp: String
    let clock: ServiceClock

    func add(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.start), use: begin)
        router.only([.get], at: RouterPath(SSOPath.callback), use: callback)
        router.only([.post], at: "/sign-out", use: signOut)
    }

    /// Sends the browser to the IdP. Makes a state and nothing else: an image that points here does no harm.
    @Sendable private func begin(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let returnTo = ReturnPath.checked((try? request.queryFields.text("return_to")) ?? nil)
        let (url, session) = try await start.begin(context.session, returnTo: returnTo)
        var response = Response(status: .found, headers: [.location: url])
        sessions.remember(session, in: &response)
        return response
    }

    /// The browser comes back with a token. Everything that needs no IdP is checked first.
    @Sendable private func callback(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // A browser that loads ahead of a click must not use up what works once.
        guard !request.isPrefetch else { throw SignInFailure.prefetch }
        let fields = request.queryFields
        guard let state = (try? fields.text("state")) ?? nil, let session = context.session else {
            throw SignInFailure.unknownState
        }
        let pending = session.slots.pending
        if session.slots.user != nil, let path = pending.finishedReturnTo(state) { return goOn(to: path) }
        guard let asked = pending.find(state, now: clock.now()), asked.idp == idp else {
            throw SignInFailure.unknownState
        }
        try await use(asked, of: session)
        if fields.count("error") > 0 { throw SignInFailure.refused(returnTo: asked.returnTo) }
        guard let token = (try? fields.text("token")) ?? nil, !token.isEmpty else {
            throw SignInFailure.noToken(returnTo: asked.returnTo)
        }
        return try await signIn(try await verify(token, asked), asked, session, context)
    }

    /// Uses the state up in the store, durably and only once: of two callbacks at the same instant one goes on.
    private func use(
        _ asked: PendingSignIns.Pending, of session: Session<RelyingPartySession>
    ) async throws {
        let won = try await sessions.store.updateOnce(session) { slots in
            guard slots.pending.find(asked.state, now: asked.begunAt) != nil else { return false }
            slots.pending.consume(asked.state)
            return true
        }
        guard won else { throw SignInFailure.unknownState }
    }

    private func verify(_ token: String, _ asked: PendingSignIns.Pending) async throws -> VerifyReply {
        do {
            return try await backChannel.verify(
                token: token, redirectURI: redirectURI, codeVerifier: asked.codeVerifier)
        } catch {
            throw SignInFailure.notVerified(error, returnTo: asked.returnTo)
        }
    }

    /// Gives the browser a new session in which the person is signed in. Nothing of an earlier person stays.
    private func signIn(
        _ reply: VerifyReply, _ asked: PendingSignIns.Pending, _ session: Session<RelyingPartySession>,
        _ context: VisitorContext
    ) async throws -> Response {
        let user = RelyingPartySession.User(
            id: reply.user.id, email: reply.user.email, name: reply.user.name, signedInAt: clock.now(),
            methods: reply.session.methods)
        let fresh = try await sessions.store.replace(session) { old, _ in
            RelyingPartySession(pending: old.pending, user: user)
        }
        // Another tab of this browser finished a sign-in at the same moment: the browser has that session.
        guard let fresh else { return goOn(to: asked.returnTo) }
        context.logger.info("signed in", metadata: ["user": "\(user.id)"])
        var response = goOn(to: asked.returnTo)
        sessions.remember(fresh, in: &response)
        return response
    }

    /// 303 to a clean address: the token must not stay in the address bar, the history or a Referer.
    private func goOn(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .referrerPolicy: "no-referrer"])
    }

    @Sendable private func signOut(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let session = context.session else { return goOn(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: session.formSeed) else {
            throw PublicFailure.staleForm(.home)
        }
        try await sessions.store.end(session)
        context.logger.info("signed out")
        var response = goOn(to: "/")
        sessions.forget(in: &response)
        return response
    }
}
