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
    let once: SignInOnce

    func add(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.start), use: begin)
        router.only([.get], at: RouterPath(SSOPath.callback), use: callback)
        router.only([.post], at: "/sign-out", use: signOut)
    }

    /// Sends the browser to the IdP. Makes a state and nothing else: an image that points here does no harm.
    @Sendable private func begin(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let returnTo = ReturnPath.checked((try? request.queryFields.text("return_to")) ?? nil)
        let begun = try start.make(returnTo: returnTo)
        var response = Response.redirect(to: begun.url, type: .found)
        try await start.remember(begun, request, context, in: &response)
        return response
    }

    /// The browser comes back with a token. Everything that needs no IdP is checked first.
    @Sendable private func callback(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // A browser that loads ahead of a click must not use up what works once.
        guard !request.isPrefetch else { throw SignInFailure.prefetch }
        let fields = request.queryFields
        guard let state = (try? fields.text("state")) ?? nil, let browser = sessions.browser(of: request) else {
            throw SignInFailure.unknownState
        }
        if let session = context.session, session.slots.user != nil,
            let path = session.slots.pending.finishedReturnTo(state)
        {
            return goOn(to: path)
        }
        let answer = Answer(state: state, fields)
        let outcome = try await once.run(answer.digest(from: browser)) { try await signIn(answer, context) }
        var response = goOn(to: outcome.path)
        if let session = outcome.session { sessions.remember(session, in: &response) }
        return response
    }

    /// What came back from the IdP.
    private struct Answer: Sendable {
        let state: String
        /// Nil when there is none, or two.
        let token: String?
        let isError: Bool

        init(state: String, _ fields: URLEncodedFields) {
            self.state = state
            token = ((try? fields.text("token")) ?? nil).flatMap { $0.isEmpty ? nil : $0 }
            isError = fields.count("error") > 0
        }

        /// Names this answer in this browser; holds none of its secrets.
        func digest(from browser: [UInt8]) -> [UInt8] {
            SHA256.hash([browser, Array(state.utf8), Array((token ?? "").utf8)].flatMap(SHA256.hash))
        }
    }

    private func signIn(_ answer: Answer, _ context: VisitorContext) async throws -> SignInOnce.Outcome {
        guard let session = context.session,
            let asked = session.slots.pending.find(answer.state, now: clock.now()), asked.idp == idp
        else { throw SignInFailure.unknownState }
        // Another process of ours was faster: what came of it shows on the page.
        guard try await use(asked, of: session) else { return .init(path: asked.returnTo, session: nil) }
        if answer.isError { throw SignInFailure.refused(returnTo: asked.returnTo) }
        guard let token = answer.token else { throw SignInFailure.noToken(returnTo: asked.returnTo) }
        return try await signIn(try await verify(token, asked), asked, session, context)
    }

    /// Uses the state up in the store, durably and only once: of two callbacks at the same instant one goes on.
    private func use(_ asked: PendingSignIns.Pending, of session: Session<RelyingPartySession>) async throws -> Bool {
        try await sessions.store.updateOnce(session) { slots in
            guard slots.pending.find(asked.state, now: asked.begunAt) != nil else { return false }
            slots.pending.consume(asked.state)
            return true
        }
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
    ) async throws -> SignInOnce.Outcome {
        let user = RelyingPartySession.User(
            id: reply.user.id, email: reply.user.email, name: reply.user.name, signedInAt: clock.now(),
            methods: reply.session.methods)
        let fresh = try await sessions.store.replace(session) { old, _ in
            var pending = old.pending
            // What another person has finished here is none of this one's business.
            if old.user?.id != user.id { pending.forgetFinished() }
            pending.finish(asked)
            return RelyingPartySession(pending: pending, user: user)
        }
        // Another tab of this browser finished a sign-in at the same moment: the browser has that session.
        if fresh != nil { context.logger.info("signed in", metadata: ["user": "\(user.id)"]) }
        return .init(path: asked.returnTo, session: fresh)
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
