import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The web of `/auth/sso/authorize` and `/auth/sso/complete` (contract 3).
struct AuthorizeRoutes: Sendable {
    let clients: ClientRegistry
    let sessions: Sessions<IdPSession>
    let accounts: AccountStore
    let tokens: SSOTokenStore
    let clock: ServiceClock
    let randomness: any Randomness
    let page: CompletionPage

    func add(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(SSOPath.authorize), use: authorize)
        router.only([.get], at: RouterPath(SSOPath.complete), use: complete)
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // Checked at every arrival, also after a sign-in: what waited in the session is not trusted more than a link.
        let (client, asked): (PartnerClient, AuthorizeRequest)
        switch try AuthorizeQuery.read(request.queryFields, clients: clients) {
        case .refused(let callback): return .redirect(to: callback, type: .found)
        case .accepted(let found, let wanted): (client, asked) = (found, wanted)
        }
        // A frame, an image or a prefetch must not farm tokens for a person who sees nothing of it (ASVS 7.6.2).
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw AuthorizeFailure.notAPage }
        guard let visitor = try await accounts.signedIn(context) else { return try await wait(asked, request, context) }

        let (token, wasRedeemed) = try await tokens.issue(for: asked, to: visitor)
        context.logger.info(
            "token issued",
            metadata: [
                "client": "\(client.id)", "account": "\(visitor.account.id)",
                "session": "\(context.session?.handle ?? "-")", "flow": "\(FlowInLog.name(asked))",
            ])
        return page.response(
            client: client, account: visitor.account, callback: asked.callback(token: token), goesOn: !wasRedeemed)
    }

    /// Keeps the request in the session's `sso` slot and sends the person to sign in.
    private func wait(
        _ asked: AuthorizeRequest, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let id = Base64URL.encode(try randomness.bytes(16))
        let now = clock.now()
        var session: Session<IdPSession>?
        if let current = context.session {
            session = try await sessions.store.update(current) { $0.sso.add(asked, id: id, now: now) }
        }
        if session == nil {
            var slots = IdPSession()
            slots.sso.add(asked, id: id, now: now)
            session = try await sessions.begin(slots, request, context, isVisit: true)
        }
        context.logger.info(
            "sign-in asked for",
            metadata: [
                "client": "\(asked.clientID)", "session": "\(session?.handle ?? "-")",
                "flow": "\(FlowInLog.name(asked))",
            ])
        var response = Response.redirect(to: "/sign-in?flow=\(id)")
        if let session { sessions.remember(session, in: &response) }
        return response
    }

    @Sendable private func complete(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw AuthorizeFailure.notAPage }
        let id = try request.queryFields.text("flow") ?? ""
        guard let session = context.session else { throw AuthorizeFailure.noSuchFlow }
        let now = clock.now()
        guard session.slots.sso.waiting(id, now: now) != nil else { throw nothingWaits(id, session) }
        guard try await accounts.signedIn(context) != nil else { return .redirect(to: "/sign-in?flow=\(id)") }
        // Of two at the same instant one goes on: a request leads to authorize once.
        guard let asked = try await take(id, session, now: now) else { throw nothingWaits(id, session) }
        return .redirect(to: asked.url(at: ""))
    }

    private func take(_ id: String, _ session: Session<IdPSession>, now: Timestamp) async throws -> AuthorizeRequest? {
        guard let asked = session.slots.sso.waiting(id, now: now) else { return nil }
        let isFirst = try await sessions.store.updateOnce(session) { $0.sso.take(id, now: now) != nil }
        return isFirst ? asked : nil
    }

    private func nothingWaits(_ id: String, _ session: Session<IdPSession>) -> PublicError {
        session.slots.sso.over(id).map { AuthorizeFailure.over($0, clients.client(id: $0.clientID)) }
            ?? AuthorizeFailure.noSuchFlow
    }
}
