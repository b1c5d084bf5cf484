import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

/// The IdP's own page: who is signed in, under which name, and where.
struct HomeRoutes: Sendable {
    let sessions: Sessions<IdPSession>
    let accounts: AccountStore
    let tokens: SSOTokenStore
    let clients: ClientRegistry
    let page: HomePage

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/", use: show)
        router.only([.post], at: "/name", use: rename)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let visitor = try await accounts.signedIn(context) else { return page.welcome() }
        return try await home(visitor, name: visitor.account.name, hasError: false)
    }

    @Sendable private func rename(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let visitor = try await accounts.signedIn(context) else { return .redirect(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: visitor.session.formSeed) else {
            throw PublicError.staleForm(.home)
        }
        let typed = try fields.text("name") ?? ""
        guard let name = DisplayName.normalised(typed) else {
            return try await home(visitor, name: String(typed.prefix(DisplayName.maximumLength)), hasError: true)
        }
        try await accounts.rename(visitor.account, to: name)
        return .redirect(to: "/")
    }

    private func home(_ visitor: SignedInVisitor, name: String, hasError: Bool) async throws -> Response {
        let partners = try await tokens.partners(of: visitor.session).map { partner in
            let client = clients.client(id: partner.clientID)
            return HomePage.Partner(
                name: client?.name ?? partner.clientID, href: client?.startPage() ?? "",
                hasHref: client?.startPage() != nil, since: PlainDate.time(partner.at))
        }
        return page.home(
            visitor, formToken: sessions.formToken(for: visitor.session), typedName: name, partners: partners,
            hasError: hasError)
    }
}
