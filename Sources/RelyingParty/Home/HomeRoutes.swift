import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared
import SSOWeb

/// The partner's own pages: `/` for everybody, `/account` for signed-in people, `/api/session` for scripts.
struct HomeRoutes: Sendable {
    let sessions: Sessions<RelyingPartySession>
    let start: SignInStart
    let page: HomePage

    func add(to router: Router<VisitorContext>) {
        router.only([.get], at: "/", use: home)
        router.only([.get], at: "/account", use: account)
        router.only([.get], at: "/api/session", use: session)
    }

    @Sendable private func home(_ request: Request, _ context: VisitorContext) async throws -> Response {
        if let session = context.session, let user = session.slots.user {
            return page.signedIn(user, formToken: sessions.formToken(for: session))
        }
        // A plain link straight to the IdP, not to a redirect of our own: phones open the app only on a tap of a link
        // that leads to the other domain.
        let (url, session) = try await start.begin(context.session, returnTo: "/")
        var response = page.signedOut(link: url)
        sessions.remember(session, in: &response)
        return response
    }

    @Sendable private func account(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.session?.slots.user else {
            return Response(
                status: .seeOther, headers: [.location: PercentEncodedPath.start(returnTo: "/account")])
        }
        return page.account(user)
    }

    @Sendable private func session(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.session?.slots.user else {
            return try json(["error": "unauthenticated"], status: .unauthorized)
        }
        return try json(SessionReply(user: user), status: .ok)
    }

    private func json(_ value: some Encodable, status: HTTPResponse.Status) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: try JSONText.encode(value))))
    }
}
