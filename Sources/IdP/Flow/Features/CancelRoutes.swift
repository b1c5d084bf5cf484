import Hummingbird
import IdPClients
import SSOShared
import SSOWeb

/// `/sign-in/cancel`: ends a pending flow and takes the user back to its client or app, without a token.
///
/// A GET, although it changes something: the answer redirects to the client, and `form-action 'self'` would stop a form
/// there. No other page can call it, because the id of the flow is random and stands in this browser's session.
struct CancelRoutes: Sendable {
    let purposes: FlowPurposes

    func addRoutes(to router: inout FeatureRouter) {
        router.visit(at: FlowID.cancelPath, use: cancel)
    }

    /// A user who is signed in stays so: only the flow ends.
    @Sendable private func cancel(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID(try request.queryFields.text("flow") ?? "")
        guard let session = context.session else { throw purposes.over(flow, in: nil) }
        return try await purposes.cancel(flow, session, request, context)
    }
}
