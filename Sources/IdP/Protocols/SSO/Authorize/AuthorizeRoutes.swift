import HTTPTypes
package import Hummingbird
package import IdPDirectory
package import IdPFlow
import Logging
package import SSOShared
package import SSOWeb

/// The routes `/auth/sso/authorize` and `/auth/sso/complete`.
package struct AuthorizeRoutes: Sendable {
    let clients: ClientRegistry
    let sessions: Sessions
    let accounts: AccountStore
    let tokens: SSOTokenStore
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let page: CompletionPage

    package init(
        clients: ClientRegistry, sessions: Sessions, accounts: AccountStore, tokens: SSOTokenStore,
        database: any Database, clock: ServiceClock, randomness: any Randomness, page: CompletionPage
    ) {
        (self.clients, self.sessions, self.accounts, self.tokens, self.database) = (
            clients, sessions, accounts, tokens, database
        )
        (self.clock, self.randomness, self.page) = (clock, randomness, page)
    }

    /// Adds `authorize`, which reads the session itself: session, account and token take one transaction.
    package func addAuthorize(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.authorize), use: authorize)
    }

    /// Adds `complete`, below the session middleware.
    package func addComplete(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.complete), use: complete)
    }

    /// What became of an accepted request.
    private enum Authorization: Sendable {
        case issued(SSOToken, CompletionPage.Pace, SignedInUser)
        /// The user has to sign in first. The flow is in the session.
        case pending(Session)
        /// The user is signed in and chooses the account first. The flow is in the session.
        case choosing(Session)
        /// The user would have to sign in, and the client asked for no question.
        case loginRequired
        case noSession
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // Checked at every arrival, also after a sign-in: a request from the session is not trusted more than a link.
        let (client, asked, wishes): (Client, AuthorizeRequest, SignInWishes)
        switch AuthorizeQuery.read(request.queryFields, clients: clients) {
        case .refused(let refusal):
            context.logger.notice("authorize_refused", metadata: refusal.metadata)
            guard let callback = refusal.callback else { throw AuthorizeError.unknownClient }
            return .redirect(to: callback, type: .found)
        case .accepted(let found, let wanted, let wished): (client, asked, wishes) = (found, wanted, wished)
        }
        // A frame, an image or a prefetch must not obtain tokens without the user's knowledge (ASVS 7.6.2).
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw FlowError.notAPage }
        let flowID = Base64URL.encode(try randomness.bytes(16))
        switch try await authorization(for: asked, wishes, flowID: flowID, request) {
        case .issued(let token, let pace, let user):
            context.logger.info(
                "token_issued",
                metadata: [
                    "client": "\(client.id)", "account": "\(user.account.id)", "session": "\(user.session.handle)",
                    "flow": "\(FlowLogID.name(asked))",
                ])
            var response = try page.response(
                request, client: client, account: user.account, callback: asked.callback(token: token),
                other: AccountChoice.asking(asked), pace: pace)
            sessions.prolong(user.session, in: &response)
            return response
        case .pending(let session): return try signIn(asked, flowID, session, request, context)
        case .choosing: return .redirect(to: "\(AccountChoice.path)?flow=\(flowID)")
        case .loginRequired: return loginRequired(asked, context)
        case .noSession where wishes.prompt == .silent: return loginRequired(asked, context)
        case .noSession:
            var slots = SessionSlots()
            let now = clock.now()
            slots[PendingFlows.self].add(
                asked, id: flowID, now: now, signInSince: wishes.earliest(now: now), loginHint: wishes.loginHint)
            let session = try await sessions.begin(slots, request, context, isVisit: true)
            return try signIn(asked, flowID, session, request, context)
        }
    }

    /// Issues a token to a user whose sign-in is enough for the client. Keeps the request in the session of a user who has to
    /// choose the account or to sign in again, and of any other visitor.
    private func authorization(
        for asked: AuthorizeRequest, _ wishes: SignInWishes, flowID: String, _ request: Request
    ) async throws -> Authorization {
        guard let id = sessions.cookie.id(in: request) else { return .noSession }
        let token = try SSOToken(randomness: randomness)
        let now = clock.now()
        return try await database.write { connection in
            guard let session = try sessions.store.find(touching: id, connection) else { return .noSession }
            let user = try accounts.signedIn(session, connection)
            let isAsked = session[PendingFlows.self].hasCompleted(asked)
            let choosesAccount = wishes.prompt == .selectAccount || asked.returnsToAppScheme && !isAsked
            if let user, !choosesAccount, wishes.isMet(by: user.signIn.provenAt, now: now) {
                let wasRedeemed = try tokens.issue(token, for: asked, to: user, connection)
                let pace: CompletionPage.Pace =
                    wasRedeemed
                    ? .stays : isAsked ? .afterTwoSeconds : .atOnce
                return .issued(token, pace, user)
            }
            if wishes.prompt == .silent { return .loginRequired }
            // A sign-in that is not enough now: only a newer one ends this flow, whatever becomes of the account meanwhile.
            let tooOld = session[CurrentSignIn.self].signIn.flatMap {
                wishes.isMet(by: $0.provenAt, now: now) ? nil : $0
            }
            // Later than the old sign-in is not enough: a provider may have authenticated its user before the request.
            let isNeeded = user == nil || tooOld != nil
            let since = [tooOld?.earliestNext, isNeeded ? wishes.earliest(now: now) : nil].compactMap(\.self).max()
            let updated = try sessions.store.update(
                session,
                {
                    $0[PendingFlows.self].add(
                        asked, id: flowID, now: now, signInSince: since, loginHint: wishes.loginHint)
                    return true
                }, connection)
            let isChoosing = user != nil && (wishes.prompt == .selectAccount || choosesAccount && tooOld == nil)
            return updated.map { isChoosing ? .choosing($0) : .pending($0) } ?? .noSession
        }
    }

    /// Sends the user back without a question. Keeps nothing.
    private func loginRequired(_ asked: AuthorizeRequest, _ context: VisitorContext) -> Response {
        context.logger.info(
            "login_required", metadata: ["client": "\(asked.clientID)", "flow": "\(FlowLogID.name(asked))"])
        let callback = AuthorizeRequest.errorCallback(
            redirectURI: asked.redirectURI, error: "login_required", state: Array(asked.state.utf8))
        return .redirect(to: callback, type: .found)
    }

    /// Sends the user to sign in.
    private func signIn(
        _ asked: AuthorizeRequest, _ flowID: String, _ session: Session, _ request: Request, _ context: VisitorContext
    ) throws -> Response {
        context.logger.info(
            "sign_in_requested",
            metadata: [
                "client": "\(asked.clientID)", "session": "\(session.handle)", "flow": "\(FlowLogID.name(asked))",
            ])
        return try .toSignIn("\(SignInPath.signIn)?flow=\(flowID)", for: request) {
            sessions.remember(session, in: &$0)
        }
    }

    @Sendable private func complete(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw FlowError.notAPage }
        let id = try request.queryFields.text("flow") ?? ""
        guard let session = context.session else { throw FlowError.noSuchFlow }
        let now = clock.now()
        guard let asked = session[PendingFlows.self].pending(id, now: now) else {
            throw AuthorizeError.notPending(id, session, clients)
        }
        guard let user = try await accounts.signedIn(context),
            !session.slots.asksAgain(FlowID(id), after: user.signIn.provenAt, now: now)
        else { return try .toSignIn("\(SignInPath.signIn)?flow=\(id)", for: request) }
        // Of two at the same instant one continues: a flow leads to authorize once.
        let taken = try await sessions.store.update(session) { $0[PendingFlows.self].take(id, now: now) != nil }
        guard taken != nil else { throw AuthorizeError.notPending(id, session, clients) }
        return .redirect(to: asked.url(at: ""))
    }
}

extension AuthorizeRequest {
    /// Whether the callback is an app's own scheme. Any app may claim that, and may have begun this request at the client's
    /// server: the user agrees on a page first, also when signed in already (RFC 8252 8.6).
    fileprivate var returnsToAppScheme: Bool {
        !redirectURI.utf8.starts(with: "https:".utf8) && !redirectURI.utf8.starts(with: "http:".utf8)
    }
}
