import HTTPTypes
import Hummingbird
import IdPDirectory
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// `/sign-out` ends the session, and `/signed-out` says where the user may still be signed in.
///
/// Clients have sessions of their own, which end there and not here. Their ids are in the address of the page, because
/// the session that knew them is gone. They are sealed, so that nobody can ask which clients are registered.
struct SignOutRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let grants: GrantStore
    let devices: AppDevices
    let clients: ClientDirectory
    let logos: ClientLogos
    let pages: Pages
    /// Seals the ids in the address.
    let list: SealedBox

    /// The label of ``list``.
    static let label = "signed-out"
    /// More clients are not listed.
    static let maximumClients = 20
    private static let page = "/signed-out"

    private struct Model: Sendable {
        let clients: [ClientLink]
        let hasClients: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: { post in post.context.session == nil ? .over(.redirect(to: Self.page)) : .open(()) },
            orElse: { _ in .home }, submit: { form, _ in try await signOut(form) })
        router.form(at: "/sign-out", form)
        router.page(at: Self.page, use: show)
    }

    private func signOut(_ form: SubmittedForm) async throws -> Response {
        let session = form.session
        let known = try await grants.signIns(of: session).map(\.clientID).filter { clients.client(id: $0) != nil }
        // Every token of this session that was not redeemed yet ends with its row.
        try await devices.end(session, of: try await accounts.signedIn(form.context)?.account, form.context.audit)
        form.context.logger.info("signed_out", metadata: ["session": "\(session.handle)"])
        // No id has a dot in it.
        let ids = known.prefix(Self.maximumClients).joined(separator: ".")
        let from = ids.isEmpty ? "" : "?from=" + Base64URL.encode(try list.seal(Array(ids.utf8)))
        var response = Response.redirect(to: Self.page + from)
        sessions.forget(in: &response)
        return response
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard try await accounts.signedIn(context) == nil else { return .redirect(to: "/") }
        await clients.read()
        let from = ((try? request.queryFields.text("from")) ?? nil).flatMap { Base64URL.decode($0) }
        // Any address that was not made here names nobody.
        let ids = from.flatMap(list.open).map { String(decoding: $0, as: UTF8.self).split(separator: ".") } ?? []
        let links = ids.compactMap { clients.client(id: String($0)) }.map { ClientLink($0, logos) }
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
