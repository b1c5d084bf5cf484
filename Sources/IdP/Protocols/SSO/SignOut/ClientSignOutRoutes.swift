import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/auth/sso/sign-out`: a client sends the browser of a user who has signed out there. The page asks whether to sign out here
/// too, and the browser goes back to the client in either case.
///
/// A link never signs out: that takes the form of the page (login CSRF's twin). The browser only goes to a registered address.
struct ClientSignOutRoutes: Sendable {
    let accounts: AccountStore
    let sessions: Sessions
    let devices: AppDevices
    let clients: ClientDirectory
    let logos: ClientLogos
    let pages: Pages

    private struct Model: Encodable, Sendable {
        let formToken, clientID, client, email, redirectURI, state, logo, logoSizeHTML: String
        let hasState, hasLogo: Bool
    }

    /// A request whose client and return address are registered.
    private struct Asked: Sendable {
        let client: Client
        let redirectURI: String
        let state: String?

        /// Where the browser goes back to.
        var destination: String {
            state.map { AuthorizeRequest.adding([("state", $0)], to: redirectURI) } ?? redirectURI
        }
    }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: { post -> FormSubject<Asked> in
                let asked = try await self.asked(post.fields, post.request, post.context)
                // Signed out meanwhile, or the form was sent twice.
                return post.context.session == nil ? .over(.redirect(to: asked.destination)) : .open(asked)
            },
            orElse: { _ in .home }, submit: submit)
        router.form(at: SSOPath.signOut, show: show, form)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let asked = try await self.asked(request.queryFields, request, context)
        guard let user = try await accounts.signedIn(context) else { return .redirect(to: asked.destination) }
        let logo = logos.path(of: asked.client)
        var response = pages.response(
            "sign-out",
            Model(
                formToken: sessions.formToken(for: user.session), clientID: asked.client.id, client: asked.client.name,
                email: user.account.email, redirectURI: asked.redirectURI, state: asked.state ?? "", logo: logo,
                logoSizeHTML: logos.size(of: asked.client),
                hasState: asked.state != nil, hasLogo: !logo.isEmpty), for: request, offersLanguages: true)
        response.headers[.contentSecurityPolicy] = ContentPolicy.formsToClients
        return response
    }

    @Sendable private func submit(_ form: SubmittedForm, _ asked: Asked) async throws -> Response {
        var response = Response.redirect(to: asked.destination)
        guard try form.fields.text("stay") == nil else { return response }
        let user = try await accounts.signedIn(form.context)
        try await devices.end(form.session, of: user?.account, form.context.audit, ["client": "\(asked.client.id)"])
        sessions.forget(in: &response)
        return response
    }

    /// - Throws: an error page without a link for anything that is not registered, or given twice.
    private func asked(
        _ fields: URLEncodedFields, _ request: Request, _ context: VisitorContext
    ) async throws -> Asked {
        for name in ["client_id", "redirect_uri", "state"] where fields.isUnreadable(name) {
            throw PublicError.unreadable(name).withoutLink
        }
        func find() -> (client: Client, redirectURI: String)? {
            guard let id = (try? fields.bytes("client_id")) ?? nil,
                let client = clients.client(id: String(decoding: id, as: UTF8.self)), let settings = client.sso,
                let uri = (try? fields.bytes("redirect_uri")) ?? nil,
                let registered = settings.signOutURIs.first(where: { $0.utf8.elementsEqual(uri) })
            else { return nil }
            return (client, registered)
        }
        // Also what is known is compared: a command may have removed it. At once for a browser with a session, by a shared
        // reading for visitors.
        if context.session != nil {
            await clients.read()
        } else {
            await clients.renew(for: request, context, isKnown: find() != nil)
        }
        guard let (client, registered) = find() else {
            let named = ((try? fields.bytes("client_id")) ?? nil).map { String(decoding: $0, as: UTF8.self) }
            let known = named.flatMap { clients.client(id: $0) }.flatMap { $0.sso == nil ? nil : $0 }
            RefusedSignOutAddress(
                known == nil ? "client_unknown" : "not_registered", client: known,
                registered: known?.sso?.signOutURIs ?? [], sentClientID: (try? fields.bytes("client_id")) ?? nil,
                sentAddress: (try? fields.bytes("redirect_uri")) ?? nil
            ).log(SSOProtocol.id, context)
            throw FlowError.unknownClient.withoutLink.logged
        }
        let state: String?
        do { state = try fields.text("state") } catch { throw FlowError.unknownClient.withoutLink }
        guard state.map(AuthorizeRequest.isValidState) ?? true else { throw FlowError.unknownClient.withoutLink }
        return Asked(client: client, redirectURI: registered, state: state)
    }
}
