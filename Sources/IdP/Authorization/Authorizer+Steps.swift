import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// What the transaction of an authorization has read.
private struct Reading {
    let session: Session
    let user: SignedInUser?
    /// The client as it is now; nil if it, or its address, was dropped since the request was checked.
    let client: Client?
    /// The flow of the request that the user has completed already.
    let completed: EndedFlow?
    /// The account that the client, or its completed flow, expects.
    let expected: String?
    /// The strength that the client, its request or its completed flow needs; nil where any will do.
    let strength: Strength?
    /// The flow of the request that waits at the page without access.
    var waiting: FlowID?
    var facts: AuthorizationFacts
}

extension Authorizer {
    /// What an answer needs before the transaction, which may run again.
    enum PreparedAnswer: Sendable {
        case grant(
            GrantKind, secret: (wire: String, digest: [UInt8]),
            @Sendable (NewGrant, ClientRequest, SignedInUser, Request) throws -> Response)
        case now(@Sendable (ClientAnswer.Entrance, ClientRequest, SignedInUser, Request) throws -> Response)

        init(_ answer: ClientAnswer, _ randomness: any Randomness) throws {
            switch answer {
            case .grant(let kind, let answer): self = .grant(kind, secret: try kind.make(randomness), answer)
            case .now(let answer): self = .now(answer)
            }
        }
    }
}

extension Authorizer {
    /// Reads what the next step depends on, and carries it out in the same transaction: the grant, or the flow in the session of
    /// a user who has to choose the account or to sign in again, and of any other visitor.
    ///
    /// That a user gets a grant is decided before, where this does not have to wait: all writers share one thread, so their time is
    /// the scarcest. The transaction then compares what the decision rests on, and decides again if any of it has changed.
    func carryOut(
        _ asked: Asked, _ cookie: SessionID, flowsWait: Duration?, _ audit: RequestAudit?
    ) async throws -> Outcome {
        let answer = try PreparedAnswer(asked.answering, randomness)
        let now = clock.now()
        let decided = try grants.database.readAtOnce { try decide(asked, cookie, now, $0) }
        return try await clients.write(grants.database) { connection in
            if let (reading, mark) = decided, let user = reading.user, let client = reading.client,
                try grants.stands(user, at: client, mark, sessions.store.lifetime, at: now, connection),
                clients.isCurrent(mark)
            {
                return try enter(answer, asked, reading, audit, connection)
            }
            // The page that says so is no use of the session, whether the request or this transaction was the first to see it.
            let mark = try clients.mark(connection)
            guard try registered(asked, at: mark, connection) != nil else { return .ended(.unknownClient) }
            guard let session = try sessions.store.find(touching: cookie, connection) else {
                return .visitor(.next(facts(asked, isRegistered: true, now)))
            }
            var reading = try read(asked, session, at: mark, now, connection)
            reading.facts.flowsWait = flowsWait
            switch AuthorizationStep.next(reading.facts) {
            case .issue: return try enter(answer, asked, reading, audit, connection)
            case .noAccess: return try refuseAccess(asked, reading, now, audit, connection)
            case .signIn(let since):
                return try keep(asked, reading, since, now, connection).map(Outcome.signsIn)
                    ?? .visitor(.next(facts(asked, isRegistered: true, now)))
            case .choose(let since):
                return try keep(asked, reading, since, now, connection) == nil
                    ? .visitor(.next(facts(asked, isRegistered: true, now))) : .chooses
            case let step: return .ended(step)
            }
        }
    }

    /// What is known of a user who gets a grant, and the clients at that moment; nil for anybody else, and while the use of the
    /// session has to be noted.
    private func decide(
        _ asked: Asked, _ cookie: SessionID, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> (Reading, ClientDirectory.Mark)? {
        guard let session = try sessions.store.find(inUse: cookie, connection),
            let mark = try clients.mark(connection)
        else { return nil }
        let reading = try read(asked, session, at: mark, now, connection)
        // What is used up is looked at and used up in one transaction.
        guard reading.completed == nil || !asked.request.leadsOnOnce else { return nil }
        return AuthorizationStep.next(reading.facts) == .issue ? (reading, mark) : nil
    }

    /// The facts of a visitor without a session.
    func facts(_ asked: Asked, isRegistered: Bool, _ now: Timestamp) -> AuthorizationFacts {
        AuthorizationFacts(
            isRegistered: isRegistered, prompt: asked.request.wishes.prompt,
            earliest: asked.request.wishes.earliest(now: now), questionRefusal: asked.questionRefusal)
    }

    /// - Parameter mark: the clients; nil when another process has changed them.
    private func read(
        _ asked: Asked, _ session: Session, at mark: ClientDirectory.Mark?, _ now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Reading {
        let (request, wishes) = (asked.request, asked.request.wishes)
        let user = try accounts.signedIn(session, connection)
        let completed = session[Flows.self].completed(request.flow(of: asked.purpose), resuming: request.resuming)
        // The address of a flow that goes on has no hint.
        let expected = request.expectedAccount ?? completed?.account
        let client = try registered(asked, at: mark, connection)
        // The entry of the client may have changed since the request was checked.
        let strength = max(client.flatMap { needed(by: request, of: $0) } ?? .any, completed?.strength ?? .any)
        var facts = facts(asked, isRegistered: client != nil, now)
        facts.user = user.map {
            AuthorizationFacts.User(
                isExpected: expected == nil || expected == $0.account.id,
                meetsWishes: wishes.isMet(by: $0.signIn.provenAt, now: now)
                    && $0.signIn.proofs.strength >= strength)
        }
        facts.isForAnyProgram = request.returnsToAnyProgram && (completed == nil || asked.isSilent)
        // Only a newer sign-in ends a flow whose sign-in is too old, whatever becomes of the account meanwhile.
        facts.afterOldSignIn = session[CurrentSignIn.self].signIn.flatMap {
            wishes.isMet(by: $0.provenAt, now: now) ? nil : $0.earliestNext
        }
        var waiting: FlowID?
        if facts.mayGetGrant, let user, let client {
            facts.mayEnter = try client.access.admits(account: user.account.id, connection)
            if !facts.mayEnter, !asked.isSilent {
                waiting = session[Flows.self].pending(
                    asked.flow(expecting: expected, needing: strength == .any ? nil : strength), now: now)
            }
        }
        facts.isWaiting = waiting != nil
        return Reading(
            session: session, user: user, client: client, completed: completed, expected: expected,
            strength: strength == .any ? nil : strength, waiting: waiting, facts: facts)
    }

    /// Keeps the request in the session; nil when another request has replaced or ended that meanwhile.
    private func keep(
        _ asked: Asked, _ reading: Reading, _ since: Timestamp?, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> Session? {
        let flow = asked.flow(
            expecting: reading.expected, needing: reading.strength, since: since,
            loginHint: asked.request.wishes.loginHint)
        return try begin(flow, asked.id, in: reading.session, now, connection)
    }

    private func begin(
        _ flow: Flow.Request, _ id: FlowID, in session: Session, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> Session? {
        try sessions.store.update(
            session,
            {
                try $0[Flows.self].begin(flow, id: id, now: now)
                return true
            }, connection)
    }

    /// Lets the user enter the client.
    private func enter(
        _ answer: PreparedAnswer, _ asked: Asked, _ reading: Reading, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws -> Outcome {
        guard let user = reading.user, let client = reading.client else { return .ended(.unknownClient) }
        if let wait = grants.wait(beforeGrantIn: user.session) { return .tooManyGrants(wait) }
        let completed = reading.completed
        if asked.request.leadsOnOnce, let completed {
            _ = try sessions.store.update(user.session, { $0[Flows.self].useUp(completed.id) }, connection)
        }
        let flow = GrantStore.FlowKey(asked.request, flow: completed?.id ?? asked.id)
        switch answer {
        case .grant(let kind, let secret, let answer):
            let earlier = try grants.issue(secret, kind, for: asked.request, flow, to: user, connection)
            // One row for one flow: a page that is loaded again and again must not fill the audit log.
            let issued = asked.event(.tokenIssued, of: user, flow: flow.logID)
            try audit?.record(issued.only(in: earlier.exists ? .log : .all), connection)
            let grant = NewGrant(
                wire: secret.wire, logID: flow.logID, hasAsked: completed != nil, isRedeemedBefore: earlier.isRedeemed)
            return .entered(client, user) { try answer(grant, $0, user, $1) }
        case .now(let answer):
            let entrance = try enter(
                client, user, asked, hasAsked: completed != nil, flow: flow.logID, audit, connection)
            return .entered(client, user) { try answer(entrance, $0, user, $1) }
        }
    }

    /// Notes that the user has entered the client, for a protocol without a grant.
    private func enter(
        _ client: Client, _ user: SignedInUser, _ asked: Asked, hasAsked: Bool, flow: String, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws -> ClientAnswer.Entrance {
        let told = try ClientSignIns().enter(
            user.session.handle, kind: asked.purpose, client: client.id, account: user.account.id, at: clock.now(),
            connection)
        try audit?.record(asked.event(.tokenRedeemed, of: user, flow: flow), connection)
        return ClientAnswer.Entrance(
            session: told, groups: try client.groupsTold(of: user.account.id, connection), hasAsked: hasAsked)
    }

    /// Keeps the request of a user who may not enter the client, so that the page can lead on with another account. Nothing
    /// is kept for a client that asked for no question.
    private func refuseAccess(
        _ asked: Asked, _ reading: Reading, _ now: Timestamp, _ audit: RequestAudit?, _ connection: any SQLConnection
    ) throws -> Outcome {
        guard let user = reading.user, let client = reading.client else { return .ended(.unknownClient) }
        let flow = reading.waiting ?? asked.id
        let refused = asked.event(.accessRefused, of: user, flow: asked.logFlow(flow))
        // One row for one flow, as for a grant.
        try audit?.record(refused.only(in: reading.waiting == nil ? .all : .log), connection)
        if !asked.isSilent, reading.waiting == nil {
            _ = try begin(
                asked.flow(expecting: reading.expected, needing: reading.strength), asked.id, in: user.session, now,
                connection)
        }
        return .noAccess(client, user, flow)
    }

    /// The client of a request as it is now; nil if it, or its address, was dropped since the request was checked, or if it
    /// requires a challenge since.
    func registered(
        _ asked: Asked, at mark: ClientDirectory.Mark? = nil, _ connection: any SQLConnection
    ) throws -> Client? {
        let all = try mark.map { try clients.registered(at: $0, connection) } ?? clients.registered(connection)
        guard let client = all.client(id: asked.request.client.id),
            client.mayReturn(to: asked.request.returnTo, by: asked.purpose),
            asked.request.codeChallenge != nil || !client.requiresChallenge(by: asked.purpose)
        else { return nil }
        return client
    }
}
