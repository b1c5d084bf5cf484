import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
import Logging
import SSOShared
import SSOWeb
import Storage

/// Decides for every client protocol whether a user may go on to a client: at once, after a sign-in, after choosing the
/// account, or not. Session, account and grant take one transaction.
package struct Authorizer: Sendable {
    package let clients: ClientDirectory
    let sessions: Sessions
    let accounts: AccountStore
    package let grants: GrantStore
    let noAccess: NoAccessPage
    let limit: FlowLimit
    let flowClients: FlowClients
    let randomness: any Randomness
    var clock: ServiceClock { grants.clock }

    init(
        clients: ClientDirectory, sessions: Sessions, accounts: AccountStore, grants: GrantStore,
        noAccess: NoAccessPage, limit: FlowLimit, flowClients: FlowClients, randomness: any Randomness
    ) {
        (self.clients, self.sessions, self.accounts, self.grants) = (clients, sessions, accounts, grants)
        (self.noAccess, self.limit, self.flowClients, self.randomness) = (noAccess, limit, flowClients, randomness)
    }

    /// What became of an accepted request.
    private enum Decision: Sendable {
        case issued(NewGrant, SignedInUser, Client)
        /// The user has to sign in first. The flow is in the session.
        case pending(Session)
        /// The user is signed in and chooses the account first. The flow is in the session.
        case choosing
        /// The user is signed in and may not enter the client. The flow is in the session, unless the client asked for no
        /// question.
        case noAccess(Client, SignedInUser, FlowID)
        case refused(AuthorizationError)
        /// The client, or its address, was dropped since its request was checked.
        case clientDropped
        case noSession
        /// So many grants were issued in the session that the next one has to wait.
        case tooManyGrants(Duration)
        /// So many flows were begun in the session that the next one has to wait.
        case tooManyFlows(Duration)
        /// The session has sent too many requests without a question.
        case tooManySilent
    }

    /// Answers a request that its protocol has accepted. It reads the session itself (``FeatureRouter/request(at:use:)``).
    package func authorize(
        _ asked: ClientRequest, by asking: some ClientProtocol, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let id = try flowClients.newID(of: asked.client.id, randomness)
        let decision = try await countedDecision(on: asked, by: asking, id, request, context)
        await clients.catchUp()
        switch decision {
        case .issued(let grant, let user, let client):
            var asked = asked
            asked.client = client
            var response = try asking.answer(grant, asked, to: user, request)
            sessions.prolong(user.session, in: &response)
            return response
        case .pending(let session): return try signIn(asked, id, session, request, context)
        case .choosing: return .redirect(to: FlowID.path(AccountChoice.path, id))
        case .noAccess(let client, let user, let flow):
            guard asked.wishes.prompt != .silent else { return asking.refuse(.accessDenied, asked, request) }
            var response = noAccess.response(request, client: client, user, flow: flow)
            sessions.prolong(user.session, in: &response)
            return response
        case .refused(let error): return refuse(error, asked, by: asking, id, request, context)
        case .tooManyGrants where asked.wishes.prompt == .silent:
            return asking.refuse(.temporarilyUnavailable, asked, request)
        case .tooManyGrants(let wait): throw PublicError.tooManyRequests(retryAfter: wait)
        case .tooManyFlows(let wait): throw FlowError.tooMany(wait)
        case .tooManySilent: return asking.refuse(.temporarilyUnavailable, asked, request)
        case .clientDropped:
            let flow = GrantStore.FlowKey(asked, flow: id).logID
            context.record(
                Event(
                    .authorizeRefused, by: .visitor, client: asked.client.id, cause: "client_dropped",
                    ["protocol": "\(asking.grantKind.id)", "flow": "\(flow)"]))
            throw FlowError.unknownClient.logged
        case .noSession where asked.wishes.prompt == .silent:
            return refuse(.loginRequired, asked, by: asking, id, request, context)
        case .noSession:
            var slots = SessionSlots()
            let now = clock.now()
            let demand = Flow.Demand(
                since: asked.wishes.earliest(now: now), loginHint: asked.wishes.loginHint,
                account: asked.expectedAccount)
            try slots[Flows.self].begin(asked.flow(of: type(of: asking).id, demanding: demand), id: id, now: now)
            let session = try await sessions.begin(slots, request, context, isVisit: true)
            return try signIn(asked, id, session, request, context)
        }
    }

    /// ``decision(on:by:_:_:_:)``, and counts the flow that it may begin.
    private func countedDecision(
        on asked: ClientRequest, by asking: some ClientProtocol, _ id: FlowID, _ request: Request,
        _ context: VisitorContext
    ) async throws -> Decision {
        guard let cookie = sessions.cookie.id(in: request) else {
            return try await grants.database.read { try registered(asked, $0) } == nil ? .clientDropped : .noSession
        }
        let isSilent = asked.wishes.prompt == .silent
        if isSilent, !limit.countSilent(cookie) {
            return try await grants.database.read { try registered(asked, $0) } == nil ? .clientDropped : .tooManySilent
        }
        let wait =
            try await isSilent
            ? nil
            : limit.count(cookie, request, context) {
                // These never lead to a grant at once.
                guard asked.wishes.prompt != .login, asked.wishes.prompt != .selectAccount else { return false }
                return try await grants.database.read { connection in
                    try sessions.store.find(ofUser: cookie, connection)
                        .flatMap { try accounts.signedIn($0, connection) } != nil
                }
            }
        let decision = try await decision(on: asked, by: asking, id, cookie, flowsWait: wait, context.audit)
        switch decision {
        case .issued where isSilent: limit.giveBackSilent(cookie)
        case _ where isSilent: break
        case .pending(let session) where session[CurrentSignIn.self].signIn == nil:
            try await limit.countVisitor(request, context)
        case .pending, .choosing, .noAccess: break
        case .issued, .refused, .clientDropped, .noSession, .tooManyGrants, .tooManyFlows, .tooManySilent:
            if wait == nil { limit.giveBack(cookie) }
        }
        return decision
    }

    /// Issues a grant to a user whose sign-in is enough for the client. Keeps the request in the session of a user who has to
    /// choose the account or to sign in again, and of any other visitor.
    ///
    /// - Parameter flowsWait: the time until the session may begin another flow; nil when it may now.
    private func decision(
        on asked: ClientRequest, by asking: some ClientProtocol, _ id: FlowID, _ cookie: SessionID,
        flowsWait: Duration?, _ audit: RequestAudit?
    ) async throws -> Decision {
        let (purpose, kind, wishes) = (type(of: asking).id, asking.grantKind, asked.wishes)
        let secret = try kind.make(randomness)
        let now = clock.now()
        return try await grants.database.write { connection in
            guard let session = try sessions.store.find(touching: cookie, connection) else {
                return try registered(asked, connection) == nil ? .clientDropped : .noSession
            }
            let user = try accounts.signedIn(session, connection)
            let completed = session[Flows.self].completed(asked.flow(of: purpose), resuming: asked.resuming)
            // The address of a flow that goes on has no hint.
            let expected = asked.expectedAccount ?? completed?.account
            let isOther = expected.map { $0 != user?.account.id } ?? false
            let choosesAccount =
                wishes.prompt == .selectAccount || isOther || asked.returnsToAnyProgram && completed == nil
            guard let client = try registered(asked, connection) else { return .clientDropped }
            if let user, !choosesAccount, wishes.isMet(by: user.signIn.provenAt, now: now) {
                guard try client.access.admits(account: user.account.id, connection) else {
                    return try refuseAccess(
                        of: user, to: client, asked.flow(of: purpose, demanding: .init(account: expected)), asked, kind,
                        id,
                        flowsWait, audit, connection)
                }
                if let wait = grants.wait(beforeGrantIn: user.session) { return .tooManyGrants(wait) }
                if asked.replayKey == nil, let completed {
                    _ = try sessions.store.update(session, { $0[Flows.self].useUp(completed.id) }, connection)
                }
                let flow = GrantStore.FlowKey(asked, flow: completed?.id ?? id)
                let earlier = try grants.issue(secret, kind, for: asked, flow, to: user, connection)
                let issued = Event(
                    .tokenIssued, by: .user(user.account.id), account: user.account.id, client: client.id,
                    session: user.session.handle, flow: flow.logID, ["protocol": "\(kind.id)"])
                // One row for one flow: a page that is loaded again and again must not fill the audit log.
                try audit?.record(issued.only(in: earlier.exists ? .log : .all), connection)
                return .issued(
                    NewGrant(
                        wire: secret.wire, logID: flow.logID, hasAsked: completed != nil,
                        isRedeemedBefore: earlier.isRedeemed),
                    user, client)
            }
            if wishes.prompt == .silent {
                let isSignedIn = user.map { wishes.isMet(by: $0.signIn.provenAt, now: now) } ?? false
                return .refused(isSignedIn && !isOther ? asking.questionRefusal : .loginRequired)
            }
            if let flowsWait { return .tooManyFlows(flowsWait) }
            // A sign-in that is not enough now: only a newer one ends this flow, whatever becomes of the account meanwhile.
            let tooOld = session[CurrentSignIn.self].signIn.flatMap {
                wishes.isMet(by: $0.provenAt, now: now) ? nil : $0
            }
            // Later than the old sign-in is not enough: a provider may have authenticated its user before the request.
            let isNeeded = user == nil || tooOld != nil
            let since = [tooOld?.earliestNext, isNeeded ? wishes.earliest(now: now) : nil].compactMap(\.self).max()
            let flow = asked.flow(
                of: purpose, demanding: .init(since: since, loginHint: wishes.loginHint, account: expected))
            let updated = try sessions.store.update(
                session,
                {
                    try $0[Flows.self].begin(flow, id: id, now: now)
                    return true
                }, connection)
            let isChoosing = user != nil && (wishes.prompt == .selectAccount || choosesAccount && tooOld == nil)
            return updated.map { isChoosing ? .choosing : .pending($0) } ?? .noSession
        }
    }

    /// Keeps the request of a user who may not enter the client, so that the page can lead on with another account. Nothing
    /// is kept for a client that asked for no question.
    private func refuseAccess(
        of user: SignedInUser, to client: Client, _ flow: Flow.Request, _ asked: ClientRequest, _ kind: GrantKind,
        _ id: FlowID, _ wait: Duration?, _ audit: RequestAudit?, _ connection: any SQLConnection
    ) throws -> Decision {
        let (now, isSilent) = (clock.now(), asked.wishes.prompt == .silent)
        func refused(_ id: FlowID) -> Event {
            Event(
                .accessRefused, by: .user(user.account.id), account: user.account.id, client: client.id,
                session: user.session.handle, flow: GrantStore.FlowKey(asked, flow: id).logID,
                ["protocol": "\(kind.id)"])
        }
        // One row for one flow, as for a grant.
        if !isSilent, let pending = user.session[Flows.self].pending(flow, now: now) {
            try audit?.record(refused(pending).only(in: .log), connection)
            return .noAccess(client, user, pending)
        }
        if let wait { return .tooManyFlows(wait) }
        try audit?.record(refused(id), connection)
        guard !isSilent else { return .noAccess(client, user, id) }
        _ = try sessions.store.update(
            user.session,
            {
                try $0[Flows.self].begin(flow, id: id, now: now)
                return true
            }, connection)
        return .noAccess(client, user, id)
    }

    /// The client of a request as it is now; nil if it, or its address, was dropped since the request was checked.
    private func registered(_ asked: ClientRequest, _ connection: any SQLConnection) throws -> Client? {
        let client = try clients.registered(connection).client(id: asked.client.id)
        return client.flatMap { client in
            asked.client.protocols.allSatisfy(client.uses) && client.hasRedirectURI(asked.returnTo)
                ? client : nil
        }
    }

    /// Sends the user to sign in.
    private func signIn(
        _ asked: ClientRequest, _ id: FlowID, _ session: Session, _ request: Request, _ context: VisitorContext
    ) throws -> Response {
        context.record(
            Event(
                .signInRequested, by: .visitor, client: asked.client.id, session: session.handle,
                flow: session[Flows.self].logID(id)))
        return try .toSignIn(SignInPath.signIn(id), for: request) { sessions.remember(session, in: &$0) }
    }

    /// Sends the user back without a question. Keeps nothing.
    private func refuse(
        _ error: AuthorizationError, _ asked: ClientRequest, by asking: some ClientProtocol, _ id: FlowID,
        _ request: Request, _ context: VisitorContext
    ) -> Response {
        context.record(
            Event(
                error == .loginRequired ? .loginRequired : .interactionRequired, by: .visitor, client: asked.client.id,
                flow: GrantStore.FlowKey(asked, flow: id).logID, ["protocol": "\(asking.grantKind.id)"]))
        return asking.refuse(error, asked, request)
    }

    // MARK: After the sign-in

    /// Takes a flow of a protocol, and sends the user on to where its request arrives once more: it is checked again there,
    /// because a request from the session is not trusted more than a link.
    package func resume(
        _ asking: some ClientProtocol, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let id = FlowID(try request.queryFields.text("flow") ?? "")
        guard let session = context.session, let id else { throw flowClients.noSuchFlow(id) }
        let now = clock.now()
        func over() -> PublicError {
            guard let ended = session[Flows.self].ended(id), ended.purpose == type(of: asking).id else {
                return flowClients.noSuchFlow(id)
            }
            return asking.over(ended)
        }
        guard let flow = session[Flows.self].pending(id, now: now), flow.purpose == type(of: asking).id,
            let address = asking.address(of: flow)
        else { throw over() }
        guard let user = try await accounts.signedIn(context),
            !session.slots.asksAgain(id, after: user.signIn.provenAt, now: now)
        else { return try .toSignIn(SignInPath.signIn(id), for: request) }
        if let expected = flow.demand.account, expected != user.account.id {
            return try await end(flow, .loginRequired, of: asking, session, request, context)
        }
        // Of two at the same instant one continues: a flow leads on once.
        let taken = try await sessions.store.update(session) { $0[Flows.self].take(id, now: now) != nil }
        guard taken != nil else { throw over() }
        return .redirect(to: address)
    }

    /// Ends a flow that the user gives up, and takes the user back to the client.
    func cancel(
        _ flow: Flow, of asking: some ClientProtocol, _ session: Session, _ request: Request,
        _ context: VisitorContext
    ) async throws -> Response {
        try await end(flow, .accessDenied, of: asking, session, request, context)
    }

    /// Ends a flow without a grant, and takes the user back to the client: one that the user gives up, or that ends with another
    /// account than the client expects.
    private func end(
        _ flow: Flow, _ error: AuthorizationError, of asking: some ClientProtocol, _ session: Session,
        _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard session[Flows.self].pending(flow.id, now: clock.now()) != nil else { throw asking.over(EndedFlow(flow)) }
        // The registry may have changed since the flow began, and the browser goes to registered addresses only.
        await clients.read()
        guard let client = clients.client(id: flow.subject), client.hasRedirectURI(flow.returnTo)
        else { throw FlowError.unknownClient }
        // Of two at the same instant one goes back: a sign-in that ends at that moment and this request exclude each other.
        let ended = try await sessions.store.update(session) { $0[Flows.self].end(flow.id) }
        guard ended != nil else { throw asking.over(EndedFlow(flow)) }
        context.record(
            Event(
                error == .accessDenied ? .signInCancelled : .otherAccountThanExpected, by: .visitor, client: client.id,
                session: session.handle, flow: flow.logID))
        return asking.refuse(
            error, ClientRequest(client: client, returnTo: flow.returnTo, payload: flow.payload), request)
    }
}

extension SignInWishes {
    /// The moment that a sign-in must not be older than; nil when any will do. A provider may have authenticated its user
    /// long before the sign-in here.
    func earliest(now: Timestamp) -> Timestamp? {
        prompt == .login ? now : maxAge.map { now - $0 }
    }

    /// Whether a sign-in is recent enough that its user need not sign in again.
    ///
    /// - Parameter provenAt: when the user was authenticated; nil for a moment that is not proven, which is older than any
    ///   `max_age`.
    func isMet(by provenAt: Timestamp?, now: Timestamp) -> Bool {
        guard prompt != .login else { return false }
        guard let maxAge else { return true }
        return maxAge > .zero && provenAt.map { now - $0 <= maxAge } ?? false
    }
}
