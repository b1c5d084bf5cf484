import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared
import SSOWeb

/// The partner's own pages: `/` for everybody, `/account` for signed-in people, `/api/session` for scripts.
struct HomeRoutes: Sendable {
    /// For scripts: its faults are JSON, too.
    static let sessionPath = "/api/session"

    let sessions: Sessions
    let start: SignInStart
    let page: HomePage

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/", use: home)
        router.page(at: "/account", use: account)
        router.page(at: RouterPath(Self.sessionPath), use: session)
    }

    @Sendable private func home(_ request: Request, _ context: VisitorContext) async throws -> Response {
        if let session = context.session, let user = session[SignedInUser.self].user {
            return page.signedIn(user, formToken: sessions.formToken(for: session))
        }
        // A plain link straight to the IdP, not to a redirect of our own: phones open the app only on a tap of a link
        // that leads to the other domain.
        let begun = try start.make(returnTo: "/", isOffer: true)
        var response = page.signedOut(link: begun.url)
        // Whoever only looks begins nothing.
        if request.method != .head { try start.remember(begun, request, in: &response) }
        return response
    }

    @Sendable private func account(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.session?[SignedInUser.self].user else {
            // With its query: whoever followed a link to a part of the page comes back to that.
            return .redirect(to: ReturnPath.start(returnTo: ReturnPath.checked(request.head.path)))
        }
        return page.account(user)
    }

    @Sendable private func session(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.session?[SignedInUser.self].user else {
            return json(JSONText.object([.init("error", "unauthenticated")]), status: .unauthorized)
        }
        return json(SessionReply.json(user), status: .ok)
    }

    private func json(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
