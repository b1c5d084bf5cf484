import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
import SSOShared
import SSOWeb
import Storage

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
