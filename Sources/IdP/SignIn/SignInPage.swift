import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

/// The page `/sign-in`: every method's option.
struct SignInPage: Sendable {
    let pages: Pages
    let sessions: Sessions
    let clients: ClientRegistry
    let methods: [any SignInMethod]
    let script: String

    struct Link: Sendable { let label, href: String }

    struct Model: Sendable {
        let formToken, flow, service, address, script, hint, button: String
        let hasService, hasError, hasEmailField, hasLinks: Bool
        let links: [Link]
    }

    /// - Parameters:
    ///   - address: what the visitor typed before, to correct it.
    ///   - hasError: whether that was not an email address.
    func response(_ session: Session, flow: FlowID?, address: String = "", hasError: Bool = false) -> Response {
        let attempt = SignInAttempt(flow: flow, clientName: clientName(flow, session))
        var (field, links): ((hint: String, button: String)?, [Link]) = (nil, [])
        for option in methods.compactMap({ $0.option(for: attempt) }) {
            switch option {
            case .emailField(let hint, let button): field = (hint, button)
            case .link(let label, let path): links.append(Link(label: label, href: FlowID.path(path, flow)))
            }
        }
        let model = Model(
            formToken: sessions.formToken(for: session), flow: flow?.text ?? "", service: attempt.clientName ?? "",
            address: address, script: script, hint: field?.hint ?? "", button: field?.button ?? "",
            hasService: attempt.clientName != nil, hasError: hasError, hasEmailField: field != nil,
            hasLinks: !links.isEmpty, links: links)
        var response = pages.response("sign-in", model, status: hasError ? .unprocessableContent : .ok)
        sessions.remember(session, in: &response)
        return response
    }

    /// The name of the client that a flow belongs to, for pages and emails.
    func clientName(_ flow: FlowID?, _ session: Session) -> String? {
        flow.flatMap { session[PendingFlows.self].flows[$0.text] }
            .flatMap { clients.client(id: $0.request.clientID)?.name }
    }
}
