package import Hummingbird
package import IdPClients
package import IdPFlow
package import SSOWeb

/// The purpose of a flow of a visitor who opened the list of sessions, for example from an email: after the sign-in the list is
/// shown.
package struct SessionsPurpose: FlowPurpose {
    package static let id = "sessions"
    package static let path = "/sessions"

    let sessions: Sessions

    package init(sessions: Sessions) { self.sessions = sessions }

    package let resumePath = SessionsPurpose.path

    /// No client or app asks.
    package func name(of subject: String) -> String? { nil }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts { FlowTexts() }

    package func cancel(
        _ flow: Flow, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        _ = try await sessions.store.update(session) { $0[Flows.self].end(flow.id) }
        return .redirect(to: "/")
    }

    package func over(_ flow: EndedFlow) -> PublicError { FlowError.noSuchFlow }
}
