import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// `/sign-out` ends the session, and `/signed-out` says where the user may still be signed in.
///
/// Clients have sessions of their own, which end there and not here. Their ids are in the address of the page, because
/// the session that knew them is gone. Ids are public and say nothing about a user.
struct SignOutRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let tokens: SSOTokenStore
    let clients: ClientRegistry
    let logos: ClientLogos
    let pages: Pages

    /// More clients are not listed.
    static let maximumClients = 20
    private static let page = "/signed-out"

    private struct Model: Sendable {
        let clients: [ClientLink]
        let hasClients: Bool
    }

    func add(to router: Router<VisitorContext>) {
        router.only([.post], at: "/sign-out", use: signOut)
        router.page(at: RouterPath(Self.page), use: show)
    }

    @Sendable private func signOut(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        guard let session = context.session else { return .redirect(to: Self.page) }
        guard sessions.forms.accepts(request, fields: fields, seed: session.formSeed) else {
            throw PublicError.staleForm(request, .home)
        }
        let known = try await tokens.signIns(of: session).map(\.clientID).filter { clients.client(id: $0) != nil }
        // Every token of this session that was not redeemed yet ends with its row.
        try await sessions.store.end(session)
        context.logger.info("signed_out", metadata: ["session": "\(session.handle)"])
        // No id has a dot in it.
        let from = known.prefix(Self.maximumClients).joined(separator: ".")
        var response = Response.redirect(to: from.isEmpty ? Self.page : "\(Self.page)?from=\(from)")
        sessions.forget(in: &response)
        return response
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard try await accounts.signedIn(context) == nil else { return .redirect(to: "/") }
        // Anyone can make such an address: only registered clients are named, each once.
        var ids: [String] = []
        for id in (((try? request.queryFields.text("from")) ?? nil) ?? "").split(separator: ".").map(String.init)
        where !ids.contains(id) && clients.client(id: id) != nil && ids.count < Self.maximumClients {
            ids.append(id)
        }
        let links = ids.compactMap { clients.client(id: $0) }.map { ClientLink($0, logos) }
        return pages.response("signed-out", Model(clients: links, hasClients: !links.isEmpty), for: request)
    }
}

/// A client on a page: its name with its logo and, if it has a web page, a link there.
struct ClientLink: Sendable {
    let name, href, logo: String
    let hasHref, hasLogo: Bool

    init(_ client: Client, _ logos: ClientLogos) {
        name = client.name
        href = client.startPage() ?? ""
        logo = logos.path(of: client)
        (hasHref, hasLogo) = (!href.isEmpty, !logo.isEmpty)
    }
}
