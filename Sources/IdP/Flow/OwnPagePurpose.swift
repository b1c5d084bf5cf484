package import Hummingbird
package import IdPClients
package import SSOWeb

/// The purpose of a flow that a page of the program itself begins. No client or app waits for its user, who goes on at a page of
/// the program.
package protocol OwnPagePurpose: FlowPurpose {
    var sessions: Sessions { get }
    /// Where a user goes on who gives the flow up.
    func home(of flow: Flow) -> String
}

extension OwnPagePurpose {
    package func name(of subject: String) -> String? { nil }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts { FlowTexts() }

    package func cancel(
        _ flow: Flow, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        _ = try await sessions.store.update(session) { $0[Flows.self].end(flow.id) }
        return .redirect(to: home(of: flow))
    }

    package func over(_ flow: EndedFlow) -> PublicError { FlowError.noSuchFlow }
}
