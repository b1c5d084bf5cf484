import SSOShared
import SSOWeb

@testable import IdPClients
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A service behind the gate, as its proxy asks about it: the client `partner-1` at an origin of its own.
struct GateScene: Sendable {
    static let origin = "https://wiki.example.com"
    static let session = "__Host-sso_gate"
    static let state = "__Host-sso_gate_state"

    let deployment: TestDeployment
    let client: String
    /// Where users see the service.
    let site: String

    init(deployment: TestDeployment, client: String = "partner-1", site: String = origin) {
        (self.deployment, self.client, self.site) = (deployment, client, site)
    }

    /// One of the services of ``open(clients:keys:settings:_:)``.
    init(deployment: TestDeployment, number: Int) {
        self.init(
            deployment: deployment, client: "partner-\(number)",
            site: number == 1 ? Self.origin : "https://wiki\(number).example.com")
    }

    /// - Parameter keys: further keys of every client.
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

    /// A service with keys that a command has added.
    static let stored: [String: ClientEntry.Value] = [
        "protocols": .list(["gate"]), "gate_origin": .text(origin), "app_keys": .text("true"),
    ]

    /// With ``stored`` for the users of a group, and a browser of one of them.
    static func openStored(_ body: (GateScene, Browser) async throws -> Void) async throws {
        try await TestDeployment.open(settings: ["IDP_TRUSTED_PROXIES": "127.0.0.1"]) { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.makeGroups(["staff", "finance"], members: ["ann@example.com"])
            try await deployment.add(AddedClient("wiki"), stored)
            try await deployment.make(
                SetClient(
                    "wiki", ["access": nil, "groups": .list(["staff"])], logo: nil, deployment.registrar))
            try await body(GateScene(deployment: deployment, client: "wiki"), browser)
        }
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
            Self.proxy(path, method: method, origin: site) + headers + cookie(id))
    }

    /// What the browser has after `start`: the address of the sign-in here, and the cookie.
    func start(to path: String = "/page", _ headers: HTTPProbe.Headers = []) async throws -> (
        address: String, state: String
    ) {
        let reply = try await probe().get(
            "/gate/\(client)/start?to=\(PercentCoding.encode(path))", Self.proxy(origin: site) + Self.page + headers)
        guard reply.status == 302, let address = reply.header("location"),
            let state = Self.value(of: Self.state, in: reply)
        else { throw ProbeFailure("start: \(reply.status) \(reply.text)") }
        return (address, state)
    }

    /// The callback that a browser is sent to which is signed in here, as path and query below `/gate/CLIENT/`.
    func callback(_ browser: Browser, _ address: String) async throws -> String {
        let visit = try await browser.get(address)
        guard visit.status == 302 else { throw ProbeFailure("no redirect: \(visit.status) \(visit.text)") }
        let location = visit.reply.header("location") ?? ""
        return try below(location)
    }

    /// An address below `/.sso/` of the service, as the rest of a path below `/gate/CLIENT/`.
    func below(_ location: String) throws -> String {
        guard location.hasPrefix("\(site)/.sso/") else { throw ProbeFailure("leads elsewhere: \(location)") }
        return String(location.dropFirst("\(site)/.sso/".count))
    }

    func finish(_ callback: String, state: String?, _ further: HTTPProbe.Headers = []) async throws -> ProbeReply {
        let cookie = state.map { [("Cookie", "\(Self.state)=\($0)")] } ?? []
        return try await probe().get(
            "/gate/\(client)/\(callback)", Self.proxy(origin: site) + Self.page + cookie + further)
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

    // MARK: Keys

    static func bearer(_ key: String) -> (String, String) { ("Authorization", "Bearer \(key)") }

    /// The answer to the form of the page that makes a key of this service.
    func makeKey(
        _ browser: Browser, client: String? = nil, name: String = "My phone", days: String = "365"
    ) async throws -> Visit {
        let list = try await browser.get(deployment.origin + "/app-keys")
        let form = try list.page().form(to: "/app-keys/add")
        return try await browser.submit(
            form, on: list, ["client": client ?? self.client, "name": name, "days": days])
    }

    /// The key that an answer shows, once.
    static func key(on page: Visit) throws -> String {
        guard let found = page.text.firstMatch(of: #/sgk_[A-Za-z0-9_-]{43}/#) else {
            throw ProbeFailure("no key: \(page.status) \(page.text)")
        }
        return String(found.0)
    }

    func key(of browser: Browser, days: String = "365") async throws -> String {
        try Self.key(on: try await makeKey(browser, days: days))
    }
}
