import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

/// The IdP's home page: who is signed in, the user's name, and the clients where the user is signed in.
struct HomeRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let database: any Database
    let clients: ClientRegistry
    let page: HomePage

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/", use: show)
        router.only([.post], at: "/name", use: rename)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await accounts.signedIn(context) else { return page.welcome(for: request) }
        return try await home(request, user, name: user.account.name, hasError: false)
    }

    @Sendable private func rename(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let user = try await accounts.signedIn(context) else { return .redirect(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: user.session.formSeed) else {
            throw PublicError.staleForm(request, .home)
        }
        let typed = try fields.text("name") ?? ""
        guard let name = DisplayName.normalised(typed) else {
            return try await home(request, user, name: String(typed.prefix(DisplayName.maximumLength)), hasError: true)
        }
        try await accounts.rename(user.account, to: name)
        return .redirect(to: "/")
    }

    private func home(
        _ request: Request, _ user: SignedInUser, name: String, hasError: Bool
    ) async throws -> Response {
        let items = try await signIns(of: user.session).map { signIn in
            let client = clients.client(id: signIn.clientID)
            return HomePage.ClientItem(
                name: client?.name ?? signIn.clientID, href: client?.startPage() ?? "",
                hasHref: client?.startPage() != nil, since: PlainDate.time(signIn.at))
        }
        return page.home(
            request, user, formToken: sessions.formToken(for: user.session), typedName: name, clients: items,
            hasError: hasError)
    }

    /// Where a session's user has signed in: client ids with the latest moment, newest first. Reads rows of `sso_token`,
    /// which ``SSOTokenStore`` owns.
    private func signIns(of session: Session) async throws -> [(clientID: String, at: Timestamp)] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT client_id, MAX(used_at) AS used_at FROM sso_token
                 WHERE session_handle = :session AND used_at IS NOT NULL GROUP BY client_id ORDER BY 2 DESC
                """, ["session": .text(session.handle)]
            ).map { (try $0.text("client_id"), try $0.timestamp("used_at")) }
        }
    }
}

/// The home page for signed-in users and for users.
struct HomePage: Sendable {
    let pages: Pages

    struct ClientItem: Sendable {
        let name, href: String
        let hasHref: Bool
        let since: String
    }

    struct Model: Sendable {
        let formToken, name, typedName, email, since: String
        let clients: [ClientItem]
        let hasClients, hasError: Bool
    }

    struct Welcome: Sendable {}

    func welcome(for request: Request) -> Response { pages.response("welcome", Welcome(), for: request) }

    func home(
        _ request: Request, _ user: SignedInUser, formToken: String, typedName: String, clients: [ClientItem],
        hasError: Bool
    ) -> Response {
        let model = Model(
            formToken: formToken, name: user.account.name, typedName: typedName, email: user.account.email,
            since: PlainDate.long(user.signIn.authenticatedAt), clients: clients,
            hasClients: !clients.isEmpty, hasError: hasError)
        return pages.response("home", model, for: request, status: hasError ? .unprocessableContent : .ok)
    }
}
