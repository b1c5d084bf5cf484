import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The web of signing in: `/auth/sso/start`, `/auth/sso/callback`, `/sign-out` (contract 6).
struct SignInRoutes: Sendable {
    let start: SignInStart
    let pending: PendingSignInsCookie
    let used: UsedStateStore
    let sessions: Sessions
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
        try start.remember(begun, request, in: &response)
        return response
    }

    /// The browser comes back with a token. Everything that needs no IdP is checked first.
    @Sendable private func callback(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // A browser that loads ahead of a click must not use up what works once.
        guard !request.isPrefetch else { throw SignInFailure.prefetch }
        let fields = request.queryFields
        guard let state = (try? fields.text("state")) ?? nil else { throw SignInFailure.unknownState }
        if let session = context.session, session[SignedInUser.self].user != nil,
            let path = session[PendingSignIns.self].finishedReturnTo(state)
        {
            return goOn(to: path)
        }
        let now = clock.now()
        var kept = pending.read(request)
        // Versions before kept what is open in the session: a sign-in goes on over the upgrade.
        guard let asked = kept.find(state, now: now) ?? context.session?[PendingSignIns.self].find(state, now: now),
            asked.idp == idp
        else { throw SignInFailure.unknownState }
        let answer = Answer(state: state, fields)
        let outcome = try await once.run(answer.digest(asked)) { try await signIn(answer, asked, request, context) }
        var response = goOn(to: outcome.path)
        if let session = outcome.session {
            sessions.remember(session, in: &response)
            kept.remove(state)
            try pending.write(kept, in: &response)
        }
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
        func digest(_ asked: PendingSignIns.Pending) -> [UInt8] {
            SHA256.hash([asked.codeVerifier, state, token ?? ""].map { Array($0.utf8) }.flatMap(SHA256.hash))
        }
    }

    private func signIn(
        _ answer: Answer, _ asked: PendingSignIns.Pending, _ request: Request, _ context: VisitorContext
    ) async throws -> SignInOnce.Outcome {
        // Before anything is asked with it: whatever comes of that, the state cannot be used again.
        switch try await used.use(answer.state, answer: answer.digest(asked)) {
        case .first: break
        case .again(let repeats, let failed):
            // A reload, or another process of ours was faster: what came of it shows on the page.
            guard !failed, repeats || context.session?[SignedInUser.self].user != nil else {
                throw SignInFailure.unknownState
            }
            return .init(path: asked.returnTo, session: nil)
        }
        do {
            if answer.isError { throw SignInFailure.refused(returnTo: asked.returnTo) }
            guard let token = answer.token else { throw SignInFailure.noToken(returnTo: asked.returnTo) }
            return try await signIn(try await verify(token, asked), asked, request, context)
        } catch {
            // Where this fails as well, a repetition within seconds leads to the page instead of to an error.
            try? await used.noteFailure(answer.state)
            throw error
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

    /// Gives the browser a new session in which the user is signed in. Nothing of an earlier user stays.
    private func signIn(
        _ reply: VerifyReply, _ asked: PendingSignIns.Pending, _ request: Request, _ context: VisitorContext
    ) async throws -> SignInOnce.Outcome {
        let user = SignedInUser.User(
            id: reply.user.id, email: reply.user.email, name: reply.user.name, signedInAt: clock.now(),
            methods: reply.session.methods)
        let slots: @Sendable (SessionSlots) -> SessionSlots = { old in
            var (slots, pending) = (SessionSlots(), old[PendingSignIns.self])
            // What another user has finished here is none of this one's business.
            if old[SignedInUser.self].user?.id != user.id { pending.forgetFinished() }
            pending.remove(asked.state)
            pending.finish(asked)
            slots[PendingSignIns.self] = pending
            slots[SignedInUser.self] = SignedInUser(user)
            return slots
        }
        let fresh: Session?
        if let session = context.session {
            // Nil when another tab of this browser finished a sign-in at the same moment: the browser has that session.
            fresh = try await sessions.store.replace(session) { old, _ in slots(old) }
        } else {
            fresh = try await sessions.begin(
                slots(SessionSlots()), request, context, isVisit: false)
        }
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
            throw PublicError.staleForm(.home)
        }
        try await sessions.store.end(session)
        context.logger.info("signed out")
        var response = goOn(to: "/")
        sessions.forget(in: &response)
        return response
    }
}
