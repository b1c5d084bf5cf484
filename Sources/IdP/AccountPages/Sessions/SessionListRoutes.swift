import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `/sessions` lists the browsers and apps in which a user is signed in. Its buttons end one of them (``SessionEnd``), or all but
/// this one (``OtherSessionsEnd``).
///
/// Emails lead here, and no link ends anything by itself: programs that check emails open links and press buttons.
struct SessionListRoutes: Sendable {
    let parts: SharedParts
    let list: UserSessions

    private var accounts: AccountStore { parts.accounts }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: SessionsPurpose.path, use: show)
        router.visit(at: AccountPage.signInPath, use: signIn)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        if let session = context.session, let page = AccountPage(request, session) { return .redirect(to: page.path) }
        let texts = parts.pages.texts(for: request)
        let position = ((try? request.queryFields.text("before")) ?? nil).flatMap(SessionPosition.init)
        if let session = context.session,
            case let isEnded = session[SessionsNotice.self].isShown(at: accounts.clock.now()),
            let model = try await accounts.database.read({ connection in
                try accounts.signedIn(session, connection).map {
                    try list.list(of: $0, after: position, isEnded: isEnded, texts, connection)
                }
            })
        {
            return parts.pages.response("sessions", model, for: request, offersLanguages: true)
        }
        return .redirect(to: AccountPage.sessions.signIn)
    }

    @Sendable private func signIn(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let page = AccountPage(named: request.queryFields) ?? .sessions
        guard try await accounts.signedIn(context) == nil else { return .redirect(to: page.path) }
        let flow = Flow.Request(
            purpose: SessionsPurpose.id, subject: page == .sessions ? "" : page.rawValue)
        return try await parts.toSignIn(for: flow, request, context)
    }
}
