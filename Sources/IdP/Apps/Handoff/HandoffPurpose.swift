import HTTPTypes
package import Hummingbird
package import IdPClients
package import IdPFlow
import Logging
import SSOShared
package import SSOWeb
import Synchronization

/// The purpose of a flow that an app began: the sign-in ends with a code for its web view. The row of the handoff, which has
/// the same id, says everything else.
package struct HandoffPurpose: FlowPurpose {
    package static let id = "handoff"
    /// Ends a handoff with the code for the app.
    static let path = "/auth/native/complete"

    let apps: NativeApps
    let store: HandoffStore

    package init(apps: NativeApps, store: HandoffStore) {
        (self.apps, self.store) = (apps, store)
    }

    package let resumePath = HandoffPurpose.path

    /// The subject is what users see of the app.
    package func name(of subject: String) -> String? { subject }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts { .app(flow.subject, flow) }

    static func request(for app: NativeApp, by start: NativeStart, now: Timestamp) -> Flow.Request {
        Flow.Request(
            purpose: id, subject: app.name, returnTo: app.redirectURI,
            demand: start.strength.map { Flow.Demand(since: now, strength: $0) } ?? Flow.Demand())
    }

    package func cancel(
        _ flow: Flow, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let app = Mutex<NativeApp?>(nil)
        let updated = try await store.sessions.update(
            session,
            with: { slots, connection in
                let handoff = try store.pending(flow.id, connection)
                let found = handoff.flatMap { apps.app($0.redirectURI.utf8) }
                app.withLock { $0 = found }
                try store.forget(flow.id, connection)
                return slots[Flows.self].end(flow.id)
            })
        guard updated != nil, let app = app.withLock({ $0 }) else {
            context.record(HandoffRequestError(cause: .ended).event(in: context.session))
            throw HandoffError.ended
        }
        context.record(
            Event(
                .handoffCancelled, session: session.handle, flow: flow.logID,
                ["app": "\(app.id)", "handoff": "\(flow.id.text)"]))
        let callback = AuthorizeRequest.errorCallback(
            redirectURI: app.redirectURI, error: "access_denied", state: nil)
        return .redirect(to: callback, type: .found)
    }

    package func over(_ flow: EndedFlow) -> PublicError { HandoffError.ended }
}
