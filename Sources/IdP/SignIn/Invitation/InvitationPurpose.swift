import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
package import IdPFlow
import SSOShared
package import SSOWeb

/// The purpose of a flow that began with an invitation: its user goes on to the start page of a client, or to the home page.
package struct InvitationPurpose: OwnPagePurpose {
    package static let id = "invitation"
    static let path = SignInPath.invited

    package let sessions: Sessions
    let accounts: AccountStore
    let clients: ClientDirectory
    let page: CompletionPage

    package let resumePath = InvitationPurpose.path

    /// The subject is the id of the client; empty without one.
    package func name(of subject: String) -> String? { clients.client(id: subject)?.name }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts {
        FlowTexts(intro: name(of: flow.subject).map { Text("flow.continue", ["service": $0]) })
    }

    static func request(for invitation: Invitation, address: EmailAddress) -> Flow.Request {
        .init(purpose: id, subject: invitation.clientID ?? "", demand: .init(loginHint: address.text))
    }

    package func home(of flow: Flow) -> String { clients.client(id: flow.subject)?.startPage() ?? SignInPath.signIn }

    func addRoutes(to router: inout FeatureRouter) { router.page(at: Self.path, use: show) }

    /// The end of the sign-in: names user and client, and goes on to its start page. A page, because a form may not lead to
    /// another origin, also not by a redirect (Content Security Policy, `form-action`).
    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        guard let user = try await accounts.signedIn(context) else { return .redirect(to: SignInPath.signIn(flow)) }
        let flows = user.session[Flows.self]
        // The browser goes on only to a client that no command has dropped meanwhile.
        await clients.read()
        guard let subject = flows.flow(flow)?.subject ?? flows.ended(flow)?.subject,
            let client = clients.client(id: subject), let start = client.startPage()
        else { return .redirect(to: "/") }
        return try page.response(
            request, client: client, account: user.account, callback: start, other: "/", pace: .afterTwoSeconds)
    }
}
