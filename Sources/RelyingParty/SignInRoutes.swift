import HTTPTypes
import Hummingbird
import Logging
import SSOClient
import SSOShared
import SSOWeb

/// `/auth/sso/start`, `/auth/sso/callback` and `/sign-out` (docs/protocol.md).
struct SignInRoutes: Sendable {
    let client: SignInClient
    /// Where the browser of an app comes back to the app; nil without an app.
    let nativeRedirectURI: String?
    let pending: PendingSignInsCookie
    let origin: PublicOrigin
    let used: UsedStateStore
    let signOuts: SignOutStore
    let sessions: Sessions
    let clock: ServiceClock
    let once: SignInOnce<Outcome>

    /// How a sign-in ended: where the browser goes, and its new session unless it has one already.
    struct Outcome: Sendable {
        let path: String
        let session: Session?
    }

    static let signOutPath = "/sign-out"

    init(
        _ values: SettingValues, _ services: RelyingPartyServices, sessions: Sessions, signOuts: SignOutStore
    ) throws(SettingError) {
        let (common, keys) = (services.common, try values[RelyingPartySettings.secretKey])
        client = SignInClient(
            idp: try values[RelyingPartySettings.idp].text, clientID: try values[RelyingPartySettings.clientID],
            redirectURI: try RelyingPartySettings.redirectURI(values), backChannel: services.backChannel,
            randomness: common.randomness)
        nativeRedirectURI = try values[RelyingPartySettings.nativeRedirectURI]
        pending = PendingSignInsCookie(keys: keys, randomness: common.randomness)
        origin = try values[RelyingPartySettings.publicURL]
        used = UsedStateStore(database: common.database, clock: common.clock)
        (self.sessions, self.signOuts, clock) = (sessions, signOuts, common.clock)
        once = SignInOnce { [clock] in clock.now().date }
    }

    func add(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.start), use: start)
        router.only([.get], at: RouterPath(SSOPath.callback), use: callback)
        router.only([.post], at: RouterPath(Self.signOutPath), use: signOut)
    }

    /// Sends the browser to the identity provider. Only creates a state: an image on another page that points here does no
    /// harm.
    @Sendable private func start(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let returnTo = (try? request.queryFields.text("return_to")) ?? nil
        let (url, started) = try begin(returnTo: returnTo, request)
        var response = Response.redirect(to: url, type: .found)
        try remember(started, request, in: &response)
        return response
    }

    /// Begins a sign-in. In the web view of an app the identity provider sends the user back to the app, which loads the
    /// callback in the web view: there is the cookie that the sign-in needs.
    func begin(
        returnTo: String?, isOffer: Bool = false, _ request: Request
    ) throws -> (url: String, pending: PendingSignIn) {
        try client.start(
            returnTo: returnTo, isOffer: isOffer, redirectURI: request.isFromNativeShell ? nativeRedirectURI : nil,
            now: clock.now().date)
    }

    /// Makes the browser keep a sign-in that it starts. Costs no row.
    func remember(_ started: PendingSignIn, _ request: Request, in response: inout Response) throws {
        let changes = try pending.changes(
            adding: started, to: request.headers[values: .cookie], prefix: cookie("").name, now: clock.now().date)
        for (id, value) in changes {
            if let value { cookie(id).set(value, in: &response) } else { cookie(id).clear(in: &response) }
        }
    }

    /// The cookie of one sign-in.
    private func cookie(_ id: String) -> BrowserCookie {
        BrowserCookie(name: "rp_pending_\(id)", origin: origin, maximumAge: PendingSignIns.lifetime)
    }

    /// The browser returns with a token. Everything that needs no identity provider is checked first.
    @Sendable private func callback(_ request: Request, _ context: VisitorContext) async throws -> Response {
        var (context, fields) = (context, [String: String]())
        do {
            let callback = try read(request)
            fields["flow"] = callback.logID
            context.logger[metadataKey: "flow"] = "\(callback.logID)"
            return try await finish(callback, request, context)
        } catch let error as SignInError {
            var page = PublicError(error)
            if let user = context.user, error.code == SignInError.unknownState.code {
                page = PublicError(error, isSignedInAs: user.email)
            }
            page.logFields = fields
            throw page
        }
    }

    private func read(_ request: Request) throws(SignInError) -> SignInCallback {
        let fields = request.queryFields
        return try SignInCallback(purpose: request.isPrefetch ? "prefetch" : nil) { name in
            // A field that is given twice or cannot be decoded has no value; `error` in any form is an error.
            if let value = (try? fields.text(name)) ?? nil { return [value] }
            return name == "error" ? Array(repeating: "", count: fields.count(name)) : []
        }
    }

    private func finish(
        _ callback: SignInCallback, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        if context.user != nil, let path = context.session?[PendingSignIns.self].finishedReturnTo(callback) {
            return redirect(to: path)
        }
        let cookie = cookie(PendingSignInsCookie.id(of: callback.state))
        let found = try client.find(callback, in: pending.read(cookie.value(in: request)), now: clock.now().date)
        let outcome = try await once.run(callback.digest(found)) {
            try await signIn(callback, found, request, context)
        }
        var response = redirect(to: outcome.path)
        if let session = outcome.session {
            sessions.remember(session, in: &response)
            cookie.clear(in: &response)
        }
        return response
    }

    private func signIn(
        _ callback: SignInCallback, _ found: PendingSignIn, _ request: Request, _ context: VisitorContext
    ) async throws -> Outcome {
        let began = clock.now()
        guard
            let reply = try await client.redeem(
                callback, for: found, used: used, isSignedIn: context.user != nil, now: clock.now().date)
        else {
            return Outcome(path: found.returnTo, session: nil)
        }
        do {
            return Outcome(
                path: found.returnTo,
                session: try await begin(reply, found, by: callback, since: began, request, context))
        } catch {
            try? await used.noteFailure(found.state)
            throw error
        }
    }

    /// Gives the browser a new session in which the user is signed in. Nothing of another user remains. In the web view of an
    /// app it is the session of an app.
    private func begin(
        _ reply: VerifyReply, _ found: PendingSignIn, by callback: SignInCallback, since began: Timestamp,
        _ request: Request, _ context: VisitorContext
    ) async throws -> Session? {
        let user = SignedInUser(
            id: reply.user.id, email: reply.user.email, name: reply.user.name, signedInAt: clock.now(),
            methods: reply.session.methods, sessionID: reply.session.id, authenticatedAt: reply.session.authenticatedAt,
            groups: reply.user.groups, checkedAt: clock.now())
        let app = request.isFromNativeShell ? AppSession(owner: user.id, device: "app") : nil
        @Sendable func replace(_ old: Session?) async throws -> Session? {
            try await sessions.store.replace(
                old,
                with: { old, _ in
                    var (slots, pending) = (SessionSlots(), old[PendingSignIns.self])
                    if old[SignedInUser.self].id != user.id { pending.forgetFinished() }
                    pending.finish(found, by: callback)
                    slots[PendingSignIns.self] = pending
                    slots[SignedInUser.self] = user
                    return SessionContent(slots, app: app)
                },
                then: { session, connection in
                    try signOuts.name(session, user, since: began, returnTo: found.returnTo, connection)
                })
        }
        var fresh = try await replace(context.session)
        // The old session has ended while the identity provider was asked: by a sign-out, or by a sign-in in another tab.
        if fresh == nil { fresh = try await replace(nil) }
        context.logger.record(Event(RelyingPartyEvents.signedIn, account: user.id))
        return fresh
    }

    /// 303 to a URL without the token, which must not stay in the address bar, the history or a Referer.
    private func redirect(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .referrerPolicy: "no-referrer"])
    }

    @Sendable private func signOut(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await sessions.formFields(of: request, context)
        guard let session = context.session else { return redirect(to: HomeRoutes.signedOutPath) }
        guard sessions.forms.accepts(request, fields: fields, seed: session.formSeed) else {
            throw PublicError.staleForm(request, from: sessions.forms.sender(of: request), .home)
        }
        try await sessions.store.end(session)
        context.logger.record(Event(RelyingPartyEvents.signedOut))
        var response = redirect(to: HomeRoutes.signedOutPath)
        sessions.forget(in: &response)
        return response
    }
}

extension PublicError {
    /// The page for a failed callback.
    init(_ error: SignInError) {
        var headers: HTTPFields = [.referrerPolicy: "no-referrer"]
        headers[.retryAfter] = error.retryAfter.map(String.init)
        self.init(
            .init(code: error.status), code: error.code, title: Text("callback.\(error.code).title"),
            explanation: Text("callback.\(error.code)"),
            nextStep: .init(label: Text("callback.again"), href: error.startAgain), cause: error.cause, headers: headers
        )
    }

    /// The page for a sign-in link that does not work, for a user who is signed in: there is nothing to repeat.
    init(_ error: SignInError, isSignedInAs email: String) {
        self.init(
            .init(code: error.status), code: error.code, title: Text("callback.signed-in.title"),
            explanation: Text("callback.signed-in", ["email": email]), cause: error.cause,
            headers: [.referrerPolicy: "no-referrer"])
    }
}
