import HTTPTypes
package import Hummingbird
package import IdPDirectory
package import IdPFlow
import Logging
import SSOShared
package import SSOWeb

/// `/sign-in/cancel`: ends a pending flow and takes the user back to its client or app, without a token.
///
/// A GET, although it changes something: the answer redirects to the client, and `form-action 'self'` would stop a form
/// there. No other page can call it, because the id of the flow is random and stands in this browser's session.
package struct CancelRoutes: Sendable {
    let clients: ClientRegistry
    let sessions: Sessions
    let clock: ServiceClock
    /// Ends the flow of an app.
    let cancelHandoff: @Sendable (FlowID, Session, VisitorContext) async throws -> Response

    package init(
        clients: ClientRegistry, sessions: Sessions, clock: ServiceClock,
        cancelHandoff: @escaping @Sendable (FlowID, Session, VisitorContext) async throws -> Response
    ) {
        (self.clients, self.sessions, self.clock, self.cancelHandoff) = (clients, sessions, clock, cancelHandoff)
    }

    /// Adds the route, below the session middleware. A HEAD is refused: it would end the flow as well.
    package func add(to router: Router<VisitorContext>) {
        router.only([.get], at: RouterPath(FlowID.cancelPath), use: cancel)
    }

    /// A user who is signed in stays so: only the flow ends.
    @Sendable private func cancel(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard request.isTopLevelNavigation, !request.isPrefetch else { throw FlowError.notAPage }
        let id = try request.queryFields.text("flow") ?? ""
        guard let session = context.session else { throw FlowError.noSuchFlow }
        if let flow = FlowID(id), session[PendingHandoffs.self].contains(flow) {
            return try await cancelHandoff(flow, session, context)
        }
        let now = clock.now()
        guard let asked = session[PendingFlows.self].pending(id, now: now) else {
            throw AuthorizeError.notPending(id, session, clients)
        }
        // The registry may have changed since the flow began, and the browser goes to registered addresses only.
        guard let client = clients.client(id: asked.clientID), client.hasRedirectURI(Array(asked.redirectURI.utf8))
        else { throw AuthorizeError.unknownClient }
        // Of two at the same instant one goes back: a sign-in that ends at that moment and this request exclude each other.
        let ended = try await sessions.store.update(session) { $0[PendingFlows.self].cancel(id, now: now) }
        guard ended != nil else { throw AuthorizeError.notPending(id, session, clients) }
        context.logger.info(
            "sign_in_cancelled",
            metadata: [
                "client": "\(client.id)", "session": "\(session.handle)", "flow": "\(FlowLogID.name(asked))",
            ])
        let callback = AuthorizeRequest.errorCallback(
            redirectURI: asked.redirectURI, error: "access_denied", state: Array(asked.state.utf8))
        return .redirect(to: callback, type: .found)
    }
}
