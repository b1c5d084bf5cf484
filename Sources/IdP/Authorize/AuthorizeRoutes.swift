import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The routes `/auth/sso/authorize` and `/auth/sso/complete`.
struct AuthorizeRoutes: Sendable {
    let clients: ClientRegistry
    let sessions: Sessions
    let accounts: AccountStore
    let tokens: SSOTokenStore
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let page: CompletionPage

    /// Adds `authorize`, which reads the session itself: session, account and token take one transaction.
    func addAuthorize(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.authorize), use: authorize)
    }

    /// Adds `complete`, below the session middleware.
    func addComplete(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.complete), use: complete)
    }

    /// What became of an accepted request.
    private enum Authorization: Sendable {
        case issued(SSOToken, CompletionPage.Pace, SignedInUser)
        /// The user has to sign in first. The flow is in the session.
        case pending(Session)
        /// The user is signed in and chooses the account first. The flow is in the session.
        case choosing(Session)
        case noSession
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // Checked at every arrival, also after a sign-in: a request from the session is not trusted more than a link.
        let (client, asked): (Client, AuthorizeRequest)
        switch AuthorizeQuery.read(request.queryFields, clients: clients) {
        case .refused(let refusal):
            context.logger.notice("authorize_refused", metadata: refusal.metadata)
            guard let callback = refusal.callback else { throw AuthorizeError.unknownClient }
            return .redirect(to: callback, type: .found)
        case .accepted(let found, let wanted): (client, asked) = (found, wanted)
        }
        // A frame, an image or a prefetch must not obtain tokens without the user's knowledge (ASVS 7.6.2).
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw AuthorizeError.notAPage }
        let flowID = Base64URL.encode(try randomness.bytes(16))
        let choosesAccount = AccountChoice.isAsked(by: request.queryFields)
        switch try await authorization(for: asked, flowID: flowID, choosesAccount: choosesAccount, request) {
        case .issued(let token, let pace, let user):
            context.logger.info(
                "token_issued",
                metadata: [
                    "client": "\(client.id)", "account": "\(user.account.id)", "session": "\(user.session.handle)",
                    "flow": "\(FlowLogID.name(asked))",
                ])
            return try page.response(
                request, client: client, account: user.account, callback: asked.callback(token: token),
                other: AccountChoice.asking(asked), pace: pace)
        case .pending(let session): return signIn(asked, flowID, session, context)
        case .choosing: return .redirect(to: "\(AccountChoice.path)?flow=\(flowID)")
        case .noSession:
            var slots = SessionSlots()
            slots[PendingFlows.self].add(asked, id: flowID, now: clock.now())
            return signIn(asked, flowID, try await sessions.begin(slots, request, context, isVisit: true), context)
        }
    }

    /// Issues a token to a user who is signed in. Keeps the request in the session of a user who wants to choose the account,
    /// and of any other visitor.
    private func authorization(
        for asked: AuthorizeRequest, flowID: String, choosesAccount: Bool, _ request: Request
    ) async throws -> Authorization {
        guard let id = sessions.cookie.id(in: request) else { return .noSession }
        let token = try SSOToken(randomness: randomness)
        let now = clock.now()
        return try await database.write { connection in
            guard let session = try sessions.store.find(touching: id, connection) else { return .noSession }
            let user = try accounts.signedIn(session, connection)
            if let user, !choosesAccount {
                let wasRedeemed = try tokens.issue(token, for: asked, to: user, connection)
                let pace: CompletionPage.Pace =
                    wasRedeemed
                    ? .stays : session[PendingFlows.self].hasCompleted(asked) ? .afterTwoSeconds : .atOnce
                return .issued(token, pace, user)
            }
            let updated = try sessions.store.update(
                session,
                {
                    $0[PendingFlows.self].add(asked, id: flowID, now: now)
                    return true
                }, connection)
            return updated.map { user == nil ? .pending($0) : .choosing($0) } ?? .noSession
        }
    }

    /// Sends the user to sign in.
    private func signIn(
        _ asked: AuthorizeRequest, _ flowID: String, _ session: Session, _ context: VisitorContext
    ) -> Response {
        context.logger.info(
            "sign_in_requested",
            metadata: [
                "client": "\(asked.clientID)", "session": "\(session.handle)", "flow": "\(FlowLogID.name(asked))",
            ])
        var response = Response.redirect(to: "/sign-in?flow=\(flowID)")
        sessions.remember(session, in: &response)
        return response
    }

    @Sendable private func complete(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw AuthorizeError.notAPage }
        let id = try request.queryFields.text("flow") ?? ""
        guard let session = context.session else { throw AuthorizeError.noSuchFlow }
        let now = clock.now()
        guard let asked = session[PendingFlows.self].pending(id, now: now) else {
            throw AuthorizeError.notPending(id, session, clients)
        }
        guard try await accounts.signedIn(context) != nil else { return .redirect(to: "/sign-in?flow=\(id)") }
        // Of two at the same instant one continues: a flow leads to authorize once.
        let taken = try await sessions.store.update(session) { $0[PendingFlows.self].take(id, now: now) != nil }
        guard taken != nil else { throw AuthorizeError.notPending(id, session, clients) }
        return .redirect(to: asked.url(at: ""))
    }
}
