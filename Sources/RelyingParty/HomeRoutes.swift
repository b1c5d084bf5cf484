import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared
import SSOWeb

/// The pages of the relying party: `/` for everyone, `/account` for signed-in users, `/api/session` for scripts.
struct HomeRoutes: Sendable {
    /// Its errors are JSON, too.
    static let sessionPath = "/api/session"

    let sessions: Sessions
    let signIn: SignInRoutes
    let pages: Pages

    /// What the templates show of a user.
    private func model(_ user: SignedInUser, formToken: String = "") -> [String: String] {
        [
            "id": user.id, "name": user.name, "email": user.email, "since": PlainDate.long(user.signedInAt),
            "methods": user.methods.joined(separator: ", "), "formToken": formToken,
        ]
    }

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/", use: home)
        router.page(at: "/account", use: account)
        router.page(at: RouterPath(Self.sessionPath), use: session)
    }

    @Sendable private func home(_ request: Request, _ context: VisitorContext) async throws -> Response {
        if let session = context.session, let user = context.user {
            return pages.response(
                "signed-in", model(user, formToken: sessions.formToken(for: session)), for: request)
        }
        // A link straight to the identity provider, not to a redirect: phones open an app only on a tap of a link to the
        // other domain.
        let (url, started) = try signIn.client.start(returnTo: "/", isOffer: true, now: signIn.clock.now().date)
        var response = pages.response("signed-out", ["link": url], for: request)
        if request.method != .head { try signIn.remember(started, request, in: &response) }
        return response
    }

    @Sendable private func account(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.user else {
            // With the query, so that a link to a part of the page leads there after the sign-in.
            return .redirect(to: ReturnPath.start(returnTo: ReturnPath.checked(request.head.path)))
        }
        return pages.response("account", model(user), for: request)
    }

    @Sendable private func session(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.user else {
            return json([.init("error", "unauthenticated")], status: .unauthorized)
        }
        return json(
            [
                .init("methods", user.methods), .init("signed_in_at", user.signedInAt.seconds),
                .init("user", [.init("email", user.email), .init("id", user.id), .init("name", user.name)]),
            ], status: .ok)
    }

    private func json(_ members: [JSONText.Member], status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: JSONText.object(members))))
    }
}
