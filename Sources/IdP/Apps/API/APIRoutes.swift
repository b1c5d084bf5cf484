import HTTPTypes
package import Hummingbird
package import IdPDirectory
package import SSOWeb

/// The JSON API of the IdP, described by docs/openapi.yaml.
package struct APIRoutes: Sendable {
    /// Adds the routes of sign-in methods.
    let addMethods: @Sendable (RouterGroup<VisitorContext>) -> Void
    let session: SessionAPI
    let devices: DevicesAPI
    let identities: IdentitiesAPI
    let sessions: Sessions

    package init(
        addMethods: @escaping @Sendable (RouterGroup<VisitorContext>) -> Void, session: SessionAPI, devices: DevicesAPI,
        identities: IdentitiesAPI, sessions: Sessions
    ) {
        (self.addMethods, self.session, self.devices, self.identities, self.sessions) = (
            addMethods, session, devices, identities, sessions
        )
    }

    /// Adds the routes. The router must not read sessions yet: a request with an access token reads no cookie.
    package func add(to router: Router<VisitorContext>) {
        let api = router.group("/api/v1")
        api.add(middleware: APIGuard(forms: sessions.forms))
        api.add(middleware: APISession(sessions: SessionMiddleware(sessions)))
        addMethods(api)
        api.only([.get, .delete], at: "/session") { request, context in
            try await request.method == .get ? session.show(request, context) : session.end(request, context)
        }
        api.only([.get], at: "/session/check", use: session.check)
        api.only([.get], at: "/me", use: session.me)
        api.only([.get, .delete], at: "/devices") { request, context in
            try await request.method == .get ? devices.list(request, context) : devices.endOthers(request, context)
        }
        api.only([.delete], at: "/devices/:id", use: devices.end)
        api.only([.get, .post], at: "/identities") { request, context in
            try await request.method == .get ? identities.list(request, context) : identities.link(request, context)
        }
        api.only([.post], at: "/identities/tickets", use: identities.issueTicket)
    }
}
