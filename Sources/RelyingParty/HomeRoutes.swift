import HTTPTypes
import Hummingbird
import NIOCore
import SSOClient
import SSOShared
import SSOWeb

/// The pages of the relying party: `/` for everyone, `/account` for signed-in users, `/api/session` for scripts, and
/// `/api/v1/session/check` for an app that comes back to the foreground.
struct HomeRoutes: Sendable {
    static let sessionPath = "/api/session"
    static let accountPath = "/account"
    /// The routes of pages, all others are for programs and for the sign-in.
    static let pageRoutes: Set = ["/", accountPath]

    let sessions: Sessions
    let signIn: SignInRoutes
    let pages: Pages

    /// Where a browser goes after signing out. Without the query the page says nothing about signing out.
    static let signedOutPath = "/?signed-out"

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/", use: home)
        router.page(at: RouterPath(Self.accountPath), use: account)
        router.page(at: RouterPath(Self.sessionPath), use: session)
        router.page(at: RouterPath(NativePath.sessionCheck), use: check)
    }

    @Sendable private func home(_ request: Request, _ context: VisitorContext) async throws -> Response {
        if let session = context.session, let user = context.user {
            let texts = pages.texts(for: request)
            return pages.response(
                "signed-in", AccountPage(user, texts, formToken: sessions.formToken(for: session)), for: request,
                offersLanguages: true)
        }
        // A link straight to the identity provider, not to a redirect: phones open an app only on a tap of a link to the
        // other domain.
        let (url, started) = try signIn.begin(returnTo: "/", isOffer: true, request)
        let page = WelcomePage(
            link: url, hasSignedOut: request.uri.query == "signed-out", idpHome: signIn.client.idp + "/")
        var response = pages.response("signed-out", page, for: request, offersLanguages: true)
        if request.method != .head { try signIn.remember(started, request, in: &response) }
        return response
    }

    @Sendable private func account(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.user else {
            // With the query, so that a link to a part of the page leads there after the sign-in.
            return try .toSignIn(ReturnPath.start(returnTo: ReturnPath.checked(request.head.path)), for: request)
        }
        return pages.response(
            "account", AccountPage(user, pages.texts(for: request)), for: request, offersLanguages: true)
    }

    @Sendable private func session(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = context.user else {
            return json([.init("error", "unauthenticated")], status: .unauthorized)
        }
        return json(
            (user.authenticatedAt.map { [.init("authenticated_at", $0)] } ?? []) + [
                .init("methods", user.methods), .init("signed_in_at", user.signedInAt.seconds),
                .init(
                    "user",
                    [.init("email", user.email)] + (user.groups.map { [.init("groups", $0)] } ?? []) + [
                        .init("id", user.id), .init("name", user.name),
                    ]),
            ], status: .ok)
    }

    /// An answer and not an error: a visitor's app asks as often as it comes to the foreground, and the log has no line of it.
    @Sendable private func check(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard context.user == nil else { return json([], status: .ok) }
        return json(
            [
                .init("error", "unauthenticated"),
                .init("error_description", "There is no session, or it has ended."),
            ], status: .unauthorized)
    }

    private func json(_ members: [JSONText.Member], status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: JSONText.object(members))))
    }
}

/// What `signed-out.mustache` shows.
private struct WelcomePage: Encodable, Sendable {
    let link: String
    let hasSignedOut: Bool
    let idpHome: String
}

/// What `signed-in.mustache` and `account.mustache` show of a user.
private struct AccountPage: Encodable, Sendable {
    let id, name, email, methods, groups, formToken: String
    let hasMethods, hasGroups, isDated: Bool
    let since, authenticated: Moment

    init(_ user: SignedInUser, _ texts: Texts, formToken: String = "") {
        (id, name, email, self.formToken) = (user.id, user.name, user.email, formToken)
        since = texts.moment(user.signedInAt)
        isDated = user.authenticatedMoment != nil
        authenticated = texts.moment(user.authenticatedMoment ?? user.signedInAt)
        let methods = SignInMethodNames.text(user.methods)
        (self.methods, hasMethods) = (methods.map(texts.plain) ?? "", methods != nil)
        groups =
            user.groups.map { $0.isEmpty ? texts.plain(Text("account.no-groups")) : $0.joined(separator: ", ") } ?? ""
        hasGroups = user.groups != nil
    }
}

/// The sign-in methods of the protocol (`session.methods` of the answer to verify) in words.
enum SignInMethodNames {
    /// The methods that have a text, `method.NAME`.
    static let known = [
        "email_code", "email_link", "email_reply", "passkey", "operator", "apple", "google", "github", "oidc",
    ]

    /// "an email code". nil when no method has a text. Every `oidc:ID` has the same one: only the IdP knows its name.
    static func text(_ methods: [String]) -> Text? {
        methods.map { $0.hasPrefix("oidc:") ? "oidc" : $0 }.filter(known.contains).map { Text("method.\($0)") }
            .reduce(nil) { all, next in all.map { Text("method.and", ["first": $0, "second": next]) } ?? next }
    }
}
