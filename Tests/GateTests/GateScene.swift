import SSOShared
import SSOWeb

@testable import IdP
@testable import IdPClients
@testable import IdPFlow
@testable import IdPProtocols
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A service behind the gate, as its proxy asks about it: the client `partner-1` at an origin of its own.
struct GateScene: Sendable {
    static let origin = "https://wiki.example.com"
    static let session = "__Host-sso_gate"
    static let state = "__Host-sso_gate_state"

    let deployment: TestDeployment
    var client = "partner-1"

    /// - Parameter keys: further keys of every client, each with a comma before it.
    static func open(
        clients: Int = 1, keys: String = "", settings: [String: String] = [:],
        _ body: (GateScene) async throws -> Void
    ) async throws {
        let own = (1...clients).map {
            "protocols: [sso, oidc, gate], access: everyone, gate_origin: \"\($0 == 1 ? origin : "https://wiki\($0).example.com")\""
        }
        try await TestDeployment.open(
            clients: clients, keys: own, settings: ["IDP_TRUSTED_PROXIES": "127.0.0.1"].merging(settings) { $1 },
            clientKeys: keys
        ) { try await body(GateScene(deployment: $0)) }
    }

    /// What the proxy sends of itself.
    static func proxy(_ path: String = "/page", method: String = "GET", origin: String = origin) -> HTTPProbe.Headers {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        return [
            ("X-Forwarded-Proto", String(parts[0].dropLast())), ("X-Forwarded-Host", String(parts[2])),
            ("X-Forwarded-Uri", path), ("X-Forwarded-Method", method),
        ]
    }

    /// What a browser sends that opens a page.
    static let page: HTTPProbe.Headers = [
        ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"), ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Site", "none"),
    ]

    /// A probe of the proxy.
    ///
    /// - Parameter source: another address than that of the declared proxy.
    func probe(from source: String? = nil) -> HTTPProbe {
        HTTPProbe(port: deployment.port, authority: "localhost:4000", source: source)
    }

    func cookie(_ id: String?) -> HTTPProbe.Headers { id.map { [("Cookie", "\(Self.session)=\($0)")] } ?? [] }

    /// The proxy asks about a request for a page.
    func check(
        _ id: String? = nil, _ headers: HTTPProbe.Headers = GateScene.page, method: String = "GET",
        path: String = "/page", at client: String? = nil, query: String = ""
    ) async throws -> ProbeReply {
        try await probe().send(
            "GET", "/gate/\(client ?? self.client)/check\(query)",
            Self.proxy(path, method: method) + headers + cookie(id))
    }

    /// What the browser has after `start`: the address of the sign-in here, and the cookie.
    func start(to path: String = "/page", _ headers: HTTPProbe.Headers = []) async throws -> (
        address: String, state: String
    ) {
        let reply = try await probe().get(
            "/gate/\(client)/start?to=\(PercentCoding.encode(path))", Self.proxy() + Self.page + headers)
        guard reply.status == 302, let address = reply.header("location"),
            let state = Self.value(of: Self.state, in: reply)
        else { throw ProbeFailure("start: \(reply.status) \(reply.text)") }
        return (address, state)
    }

    /// The callback that a browser is sent to which is signed in here, as path and query below `/gate/CLIENT/`.
    func callback(_ browser: Browser, _ address: String) async throws -> String {
        let visit = try await browser.get(address)
        guard visit.status == 302 else { throw ProbeFailure("no redirect: \(visit.status) \(visit.text)") }
        let location = try visit.location().absolute
        guard location.hasPrefix("\(Self.origin)/.sso/") else { throw ProbeFailure("leads elsewhere: \(location)") }
        return String(location.dropFirst("\(Self.origin)/.sso/".count))
    }

    func finish(_ callback: String, state: String?, _ further: HTTPProbe.Headers = []) async throws -> ProbeReply {
        let cookie = state.map { [("Cookie", "\(Self.state)=\($0)")] } ?? []
        return try await probe().get("/gate/\(client)/\(callback)", Self.proxy() + Self.page + cookie + further)
    }

    /// The id of a session at the service, of a browser that is signed in here.
    func enter(_ browser: Browser, to path: String = "/page") async throws -> String {
        let (address, state) = try await start(to: path)
        let reply = try await finish(try await callback(browser, address), state: state)
        guard reply.status == 303, let id = Self.value(of: Self.session, in: reply) else {
            throw ProbeFailure("callback: \(reply.status) \(reply.text)")
        }
        return id
    }

    static func value(of cookie: String, in reply: ProbeReply) -> String? {
        reply.all("set-cookie").lazy.compactMap { field -> String? in
            guard field.hasPrefix("\(cookie)=") else { return nil }
            return String(field.dropFirst(cookie.utf8.count + 1).prefix { $0 != ";" })
        }.first
    }
}
