import HTTPTypes
import Hummingbird
import IdPFlow
import SSOWeb

/// The JSON API of the IdP, but for its sign-in, described by docs/openapi.yaml.
struct APIRoutes: Sendable {
    let session: SessionAPI
    let devices: DevicesAPI
    let identities: IdentitiesAPI

    func addRoutes(to router: inout FeatureRouter) {
        router.api([.get, .delete], at: "session") { request, context in
            try await request.method == .get ? session.show(request, context) : session.end(request, context)
        }
        router.api([.get, .head], at: "session/check", use: session.check)
        router.api([.get], at: "me", use: session.me)
        router.api([.get, .delete], at: "devices") { request, context in
            try await request.method == .get ? devices.list(request, context) : devices.endOthers(request, context)
        }
        router.api([.delete], at: "devices/:id", use: devices.end)
        router.api([.get, .post], at: "identities") { request, context in
            try await request.method == .get ? identities.list(request, context) : identities.link(request, context)
        }
        router.api([.post], at: "identities/tickets", use: identities.issueTicket)
    }
}
