import HTTPTypes
import Hummingbird
import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import NIOCore
import SSOShared
import SSOWeb
import Storage

/// What the routes of the gate share.
struct GateParts: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let clients: ClientDirectory
    let grants: GrantStore
    let sessions: SessionStore
    /// The proxies that may ask.
    let addresses: ClientAddress
    let page: GatePage
    let store: GateSessionStore
    /// Keys that are unknown, by the network that sends them.
    let wrongKeys: NetworkLimit
    /// Alarms of forged fields, by client.
    private let alarms: RateLimit

    init(_ parts: SharedParts, _ grants: GrantStore, addresses: ClientAddress) {
        (database, clock, randomness, clients) = (parts.database, parts.clock, parts.randomness, parts.clients)
        (self.grants, sessions, self.addresses) = (grants, parts.sessions.store, addresses)
        page = GatePage(pages: parts.pages, origin: parts.origin)
        store = GateSessionStore(lifetime: parts.sessions.store.lifetime, eligibility: parts.eligibility)
        wrongKeys = NetworkLimit(20, per: .minutes(1), clock: parts.clock)
        alarms = RateLimit(1, per: .hours(1), clock: parts.clock)
    }

    /// The client in the path of a request that a declared proxy has sent.
    ///
    /// - Parameter comparing: whether its entry is compared with the database, for what no transaction compares.
    /// - Throws: ``GateRefusal``.
    func client(
        of request: Request, _ context: VisitorContext, comparing: Bool
    ) async throws -> (Client, GateSettings) {
        guard !addresses.hasNoTrustedProxies else { throw GateRefusal("no_proxies") }
        guard addresses.isTrusted(peer: context.peer) else { throw GateRefusal("proxy") }
        let id = context.parameters.get("client") ?? ""
        let isKnown = clients.client(id: id)?.gate != nil
        if comparing || !isKnown { await clients.renew(for: request, context, isKnown: isKnown) }
        guard let client = clients.client(id: id), let gate = client.gate else { throw GateRefusal("client_unknown") }
        return (client, gate)
    }

    func refuse(_ error: GateRefusal, _ context: VisitorContext) -> Response {
        if let name = error.forged {
            // Any visitor can send such a field. One line in an hour is enough to find the proxy.
            let isNew = alarms.hit(Array((error.client ?? "").utf8)) == nil
            context.record(
                Event(
                    .gateIdentityForged, by: .visitor, client: error.client, detail: name,
                    level: isNew ? nil : .info))
        } else {
            context.record(Event(.gateRefused, by: .visitor, client: error.client, cause: error.reason))
        }
        return .json([.init("error", "forbidden")], status: .forbidden, headers: [.cacheControl: "no-store"])
    }
}

/// Why a request is answered with 403, for every user. The reason is for the log.
struct GateRefusal: Error {
    let reason: String
    let client: String?
    /// The field that only the gate may set.
    let forged: String?

    init(_ reason: String, client: String? = nil, forged: String? = nil) {
        (self.reason, self.client, self.forged) = (reason, client, forged)
    }

    static var unauthenticated: Response {
        .json([.init("error", "unauthenticated")], status: .unauthorized, headers: [.cacheControl: "no-store"])
    }
}
