import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
import IdPFlow
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
    let otherAccount: OtherAccountPage
    let limit: FlowLimit
    let flowClients: FlowClients
    let randomness: any Randomness
    var clock: ServiceClock { grants.clock }

    init(
        clients: ClientDirectory, sessions: Sessions, accounts: AccountStore, grants: GrantStore,
        noAccess: NoAccessPage, otherAccount: OtherAccountPage, limit: FlowLimit, flowClients: FlowClients,
        randomness: any Randomness
    ) {
        (self.clients, self.sessions, self.accounts, self.grants) = (clients, sessions, accounts, grants)
        (self.noAccess, self.otherAccount, self.limit) = (noAccess, otherAccount, limit)
        (self.flowClients, self.randomness) = (flowClients, randomness)
    }

    /// What became of an accepted request.
    enum Outcome: Sendable {
        /// The user enters the client.
        case entered(Client, SignedInUser, ClientAnswer.Made)
        /// The user has to sign in first. The flow is in the session.
        case signsIn(Session)
        /// The user is signed in and chooses the account first. The flow is in the session.
        case chooses
        /// The user is signed in and may not enter the client. The flow is in the session, unless the client asked for no
        /// question.
        case noAccess(Client, SignedInUser, FlowID)
        /// A visitor without a session.
        case visitor(AuthorizationStep)
        /// Nothing was kept.
        case ended(AuthorizationStep)
        /// So many grants were issued in the session that the next one has to wait.
        case tooManyGrants(Duration)
        /// The session has sent too many requests without a question.
        case tooManySilent
    }

    /// A request on its way through the authorizer.
    struct Asked: Sendable {
        var request: ClientRequest
        let purpose: String
        let answering: ClientAnswer
        let questionRefusal: AuthorizationError
        /// The id of the flow that it may begin.
        let id: FlowID
        var isSilent: Bool { request.wishes.prompt == .silent }
        var logFlow: String { logFlow(id) }

        init(_ request: ClientRequest, by asking: some ClientProtocol, _ id: FlowID) {
            (self.request, self.id) = (request, id)
            (purpose, answering, questionRefusal) = (type(of: asking).id, asking.answering, asking.questionRefusal)
        }

        /// - Parameter strength: that the sign-in must have at least; nil where any will do.
        func flow(
            expecting account: String?, needing strength: Strength?, since: Timestamp? = nil, loginHint: String? = nil
        ) -> Flow.Request {
            request.flow(
                of: purpose,
                demanding: .init(since: since, loginHint: loginHint, account: account, strength: strength))
        }

        func logFlow(_ id: FlowID) -> String { GrantStore.FlowKey(request, flow: id).logID }

        /// What happened with it.
        func event(_ event: EventKind, of user: SignedInUser, flow: String) -> Event {
            Event(
                event, by: .user(user.account.id), account: user.account.id, client: request.client.id,
                session: user.session.handle, flow: flow, ["protocol": "\(purpose)"])
        }
    }

    /// Answers a request that its protocol has accepted. It reads the session itself (``FeatureRouter/request(at:use:)``).
    package func authorize(
        _ request: ClientRequest, by asking: some ClientProtocol, _ received: Request, _ context: VisitorContext
    ) async throws -> Response {
        var asked = Asked(request, by: asking, try flowClients.newID(of: request.client.id, randomness))
        let outcome: Outcome
        do {
            outcome = try await counted(asked, received, context)
        } catch let error as DatabaseError where asked.isSilent {
            // Nobody sees a page in the client's frame (RFC 6749 4.1.2.1). It goes back only to an address that is registered now.
            await clients.renew()
            guard let client = clients.client(id: request.client.id),
                client.mayReturn(to: request.returnTo, by: asked.purpose)
            else { throw error }
            context.record(
                Event(
                    .authorizeRefused, by: .visitor, client: request.client.id, cause: "storage",
                    ["protocol": "\(asked.purpose)", "flow": "\(asked.logFlow)", "message": "\(error)"]))
            return asking.refuse(.temporarilyUnavailable, request, received)
        }
        switch outcome {
        case .entered(let client, let user, let answer):
            asked.request.client = client
            var response = try answer(asked.request, received)
            sessions.prolong(user.session, in: &response)
            return response
        case .signsIn(let session): return try signIn(asked, session, received, context)
        case .chooses: return .redirect(to: FlowID.path(AccountChoice.path, asked.id))
        case .noAccess(let client, let user, let flow):
            guard !asked.isSilent else { return asking.refuse(.accessDenied, request, received) }
            var response = noAccess.response(received, client: client, user, flow: flow)
            sessions.prolong(user.session, in: &response)
            return response
        case .visitor(.signIn(let since)):
            return try signIn(asked, try await begin(asked, since: since, received, context), received, context)
        case .visitor(let step), .ended(let step):
            return asking.refuse(try refusal(step, asked, context), request, received)
        case .tooManyGrants(let wait):
            guard asked.isSilent else { throw PublicError.tooManyRequests(from: .browser, retryAfter: wait) }
            return asking.refuse(.temporarilyUnavailable, request, received)
        case .tooManySilent: return asking.refuse(.temporarilyUnavailable, request, received)
        }
    }

    /// The stricter of what the client needs and what its request asks for. Nil where any sign-in will do.
    func needed(by request: ClientRequest, of client: Client) -> Strength? {
        let strength = max(grants.required(by: client), request.wishes.strength ?? .any)
        return strength == .any ? nil : strength
    }

    /// Why a request ends that leaves nothing behind.
    ///
    /// - Throws: ``PublicError`` for what only the user is told.
    private func refusal(
        _ step: AuthorizationStep, _ asked: Asked, _ context: VisitorContext
    ) throws -> AuthorizationError {
        let fields: Logger.Metadata = ["protocol": "\(asked.purpose)"]
        switch step {
        case .refuse(let error):
            context.record(
                Event(
                    error == .loginRequired ? .loginRequired : .interactionRequired, by: .visitor,
                    client: asked.request.client.id, flow: asked.logFlow, fields))
            return error
        case .wait(let wait): throw FlowError.tooMany(wait)
        default:
            context.record(
                Event(
                    .authorizeRefused, by: .visitor, client: asked.request.client.id, cause: "client_dropped",
                    fields.merging(["flow": "\(asked.logFlow)"]) { $1 }))
            throw FlowError.unknownClient.logged
        }
    }

    /// ``carryOut(_:_:flowsWait:_:)``, and counts the flow that it may begin.
    private func counted(_ asked: Asked, _ request: Request, _ context: VisitorContext) async throws -> Outcome {
        func visitor() async throws -> AuthorizationStep {
            let isRegistered = try await clients.read(grants.database) { try registered(asked, $0) } != nil
            return .next(facts(asked, isRegistered: isRegistered, clock.now()))
        }
        guard let cookie = sessions.cookie.id(in: request) else { return .visitor(try await visitor()) }
        if asked.isSilent, !limit.countSilent(cookie) {
            let step = try await visitor()
            return step == .unknownClient ? .ended(step) : .tooManySilent
        }
        let wait = asked.isSilent ? nil : try await flowsWait(asked, cookie, request, context)
        let outcome = try await carryOut(asked, cookie, flowsWait: wait, context.audit)
        switch outcome {
        case .entered where asked.isSilent: limit.giveBackSilent(cookie)
        case _ where asked.isSilent: break
        case .signsIn(let session) where session[CurrentSignIn.self].signIn == nil:
            try await limit.countVisitor(request, context)
        case .signsIn, .chooses, .noAccess: break
        case .entered, .visitor, .ended, .tooManyGrants, .tooManySilent: if wait == nil { limit.giveBack(cookie) }
        }
        return outcome
    }

    /// Counts a flow that a session may begin.
    ///
    /// - Returns: the time until it may; nil if it may now.
    private func flowsWait(
        _ asked: Asked, _ cookie: SessionID, _ request: Request, _ context: VisitorContext
    ) async throws -> Duration? {
        try await limit.count(cookie, request, context) {
            // These never lead to a grant at once.
            guard asked.request.wishes.prompt != .login, asked.request.wishes.prompt != .selectAccount else {
                return false
            }
            return try await grants.database.read { connection in
                try sessions.store.find(ofUser: cookie, connection)
                    .flatMap { try accounts.signedIn($0, connection) } != nil
            }
        }
    }

    /// A new session for a visitor who has to sign in, with the flow in it.
    private func begin(
        _ asked: Asked, since: Timestamp?, _ request: Request, _ context: VisitorContext
    ) async throws -> Session {
        var slots = SessionSlots()
        // As it was read just now: the request was checked before, and the client may need less or more since.
        let client = clients.client(id: asked.request.client.id) ?? asked.request.client
        let flow = asked.flow(
            expecting: asked.request.expectedAccount, needing: needed(by: asked.request, of: client),
            since: since, loginHint: asked.request.wishes.loginHint)
        try slots[Flows.self].begin(flow, id: asked.id, now: clock.now())
        return try await sessions.begin(slots, request, context, isVisit: true)
    }

    /// Sends the user to sign in.
    private func signIn(
        _ asked: Asked, _ session: Session, _ request: Request, _ context: VisitorContext
    ) throws -> Response {
        context.record(
            Event(
                .signInRequested, by: .visitor, client: asked.request.client.id, session: session.handle,
                flow: session[Flows.self].logID(asked.id)))
        return try .toSignIn(SignInPath.signIn(asked.id), for: request) {
            sessions.remember(session, in: &$0)
            sessions.leaveOutBrought(by: request, in: &$0)
        }
    }
}

extension Authorizer {
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
            !session.slots.asksAgain(id, after: user.signIn, now: now)
        else { return try .toSignIn(SignInPath.signIn(id), for: request) }
        if let expected = flow.demand.account, expected != user.account.id {
            let refusal = try await end(flow, .loginRequired, of: asking, session, request, context)
            guard let address = refusal.headers[.location], let client = clients.client(id: flow.subject) else {
                return refusal
            }
            return otherAccount.response(request, client: client, user, address: address)
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
        guard let client = clients.client(id: flow.subject), client.mayReturn(to: flow.returnTo, by: flow.purpose)
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
