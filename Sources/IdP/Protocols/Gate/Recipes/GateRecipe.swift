package import IdPClients
import SSOShared
import SSOWeb

/// The proxies that the gate has a recipe for.
package enum GateProxy: String, CaseIterable, Sendable {
    case nginx, caddy, haproxy, traefik
}

/// What stands in the file of a proxy for one service: the block with its names filled in.
///
/// Every recipe removes what only the gate may set from what clients send, asks about each request, gives the service what the answer
/// says, and keeps keys of apps from the service.
package struct GateRecipe: Sendable {
    /// The fields that the service gets.
    static let identity = [
        "Remote-User", "Remote-Email", "Remote-Name", "Remote-Groups", "Remote-Id", "X-SSO-Identity",
    ]

    let id: String
    /// Of the origin, with the port if it has one: what browsers name in `Host`.
    let host: String
    /// The same in its parts, for what a proxy wants apart.
    let address: HostPort
    let isHTTPS: Bool
    let upstream: String
    /// Where this program listens, as the proxy sees it.
    let program: String
    /// Fields that the service must not see.
    let removed: [String]
    let sessionCookie: String

    /// Nil for a client that is not behind the gate.
    package init?(_ client: Client, program: String) {
        guard let gate = client.gate else { return nil }
        let host = String(gate.origin.text.drop { $0 != "/" }.dropFirst(2))
        guard let address = try? HostPort(host) else { return nil }
        (id, self.host, self.address, self.program) = (client.id, host, address, program)
        (isHTTPS, sessionCookie) = (gate.origin.isHTTPS, gate.sessionCookie.name)
        upstream = gate.upstream ?? "http://127.0.0.1:3000"
        removed = gate.takesAppKeys ? ["Authorization"] + (gate.appKeyField.map { [$0] } ?? []) : []
    }

    var port: Int { address.port ?? (isHTTPS ? 443 : 80) }
    /// Where a proxy listens: at all addresses of IPv4 for a name with a certificate, else at the one of the origin.
    var listening: String { isHTTPS && address.kind != .ipv6 ? "" : address.urlHost }
    /// The addresses of ``GatePath/steps`` on the host of the service.
    var steps: [String] { GatePath.steps.map { GatePath.ofService + $0 } }
    /// Without a scheme.
    var upstreamHost: String { String(upstream.drop { $0 != "/" }.dropFirst(2)) }
    /// As part of a name in the file of a proxy.
    var word: String { id.replacing("-", with: "_") }

    package func text(for proxy: GateProxy) -> String {
        switch proxy {
        case .nginx: nginx
        case .caddy: caddy
        case .haproxy: haproxy
        case .traefik: traefik
        }
    }
}
