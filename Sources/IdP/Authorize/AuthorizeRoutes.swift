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
        case .refused(let callback): return redirect(to: callback, status: .found)
        case .accepted(let found, let wanted): (client, asked) = (found, wanted)
        }
        // A frame, an image or a prefetch must not farm tokens for a person who sees nothing of it (ASVS 7.6.2).
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw AuthorizeFailure.notAPage }
        guard let visitor = try await accounts.signedIn(context) else { return try await wait(asked, context) }

        let (token, wasRedeemed) = try await tokens.issue(for: asked, to: visitor)
        context.logger.info(
            "token issued",
            metadata: ["client": "\(client.id)", "account": "\(visitor.account.id)"])
        return page.response(
            client: client, account: visitor.account, callback: asked.callback(token: token), goesOn: !wasRedeemed)
    }

    /// Keeps the request in the session's `sso` slot and sends the person to sign in.
    private func wait(_ asked: AuthorizeRequest, _ context: VisitorContext) async throws -> Response {
        let id = Base64URL.encode(try randomness.bytes(16))
        let now = clock.now()
        var session: Session<IdPSession>?
        if let current = context.session {
            session = try await sessions.store.update(current) { $0.sso.add(asked, id: id, now: now) }
        }
        if session == nil {
            var slots = IdPSession()
            slots.sso.add(asked, id: id, now: now)
            session = try await sessions.store.begin(slots)
        }
        var response = redirect(to: "/sign-in?flow=\(id)")
        if let session { sessions.remember(session, in: &response) }
        return response
    }

    @Sendable private func complete(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw AuthorizeFailure.notAPage }
        let id = try request.queryFields.text("flow") ?? ""
        guard let session = context.session, let flow = session.slots.sso.flows[id] else {
            throw AuthorizeFailure.noSuchFlow
        }
        guard !PendingFlows.isExpired(flow, now: clock.now()) else {
            throw AuthorizeFailure.expired(clients.client(id: flow.request.clientID), flow.request)
        }
        guard try await accounts.signedIn(context) != nil else { return redirect(to: "/sign-in?flow=\(id)") }
        _ = try await sessions.store.update(session) { $0.sso.take(id) }
        return redirect(to: flow.request.url(at: ""))
    }
}

/// A redirect that a browser follows with GET: 303 unless said otherwise, never 307 or 308, which would send a form on.
func redirect(to location: String, status: HTTPResponse.Status = .seeOther) -> Response {
    Response(status: status, headers: [.location: location])
}
