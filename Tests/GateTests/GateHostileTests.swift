import SSOShared
import SSOWeb
import Testing

@testable import IdP
@testable import IdPProtocols
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Requests that no honest browser behind an honest proxy sends. Each is sent with the cookie of a session that holds.
struct HostileCheck: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    var path = "/gate/partner-1/check"
    var method = "GET"
    /// In place of what the proxy says.
    var proxy: HTTPProbe.Headers = GateScene.proxy()
    var further: HTTPProbe.Headers = []
    var source: String?
    var hasCookie = true
    var event: String?
    var testDescription: String { name }

    static let identity: [HostileCheck] =
        [
            "Remote-User", "remote-user", "REMOTE-USER", "Remote_User", "remote_user", "Remote-Email", "remote_email",
            "Remote-Name", "REMOTE_NAME", "Remote-Groups", "remote_groups", "Remote-Id", "remote_id", "X-SSO-Identity",
            "x_sso_identity", "X-Sso_Identity", "rEmOtE-uSeR",
        ].map {
            HostileCheck(
                name: "identity by \($0)", status: 403, further: [($0, "admin")], event: "gate_identity_forged")
        } + [
            HostileCheck(
                name: "an empty identity", status: 403, further: [("Remote-User", "")], event: "gate_identity_forged"),
            HostileCheck(
                name: "an identity twice", status: 403, further: [("Remote-User", "a"), ("Remote-User", "b")],
                event: "gate_identity_forged"),
            HostileCheck(
                name: "an identity without a session", status: 403, further: [("Remote-User", "a")], hasCookie: false,
                event: "gate_identity_forged"),
        ]

    private static func origin(
        _ name: String, _ proto: String?, _ host: String?, _ further: HTTPProbe.Headers = []
    ) -> HostileCheck {
        let fields = [("X-Forwarded-Proto", proto), ("X-Forwarded-Host", host)]
        return HostileCheck(
            name: name, status: 403,
            proxy: fields.compactMap { field, value in value.map { (field, $0) } } + further + [
                ("X-Forwarded-Uri", "/page")
            ],
            event: "gate_refused")
    }

    static let origins: [HostileCheck] = [
        origin("another host", "https", "evil.example"), origin("a sibling host", "https", "x.wiki.example.com"),
        origin("the parent host", "https", "example.com"), origin("capitals", "https", "WIKI.example.com"),
        origin("the default port", "https", "wiki.example.com:443"), origin("a port", "https", "wiki.example.com:8443"),
        origin("a dot at the end", "https", "wiki.example.com."), origin("http", "http", "wiki.example.com"),
        origin("ws", "ws", "wiki.example.com"), origin("HTTPS", "HTTPS", "wiki.example.com"),
        origin("no scheme", nil, "wiki.example.com"), origin("no host", "https", nil), origin("nothing", nil, nil),
        origin("an empty host", "https", ""), origin("a path in the host", "https", "wiki.example.com/x"),
        origin("a user in the host", "https", "a@wiki.example.com"),
        origin("two hosts in one field", "https", "wiki.example.com, evil.example"),
        origin("two schemes in one field", "https,http", "wiki.example.com"),
        origin("two hosts", "https", "wiki.example.com", [("X-Forwarded-Host", "wiki.example.com")]),
        origin("two schemes", "https", "wiki.example.com", [("X-Forwarded-Proto", "https")]),
        origin("another whole address", nil, nil, [("X-Original-URL", "https://evil.example/page")]),
        origin(
            "a longer host in the whole address", nil, nil,
            [("X-Original-URL", "https://wiki.example.com.evil.example/")]),
        origin("a user in the whole address", nil, nil, [("X-Original-URL", "https://wiki.example.com@evil.example/")]),
        origin("a port in the whole address", nil, nil, [("X-Original-URL", "https://wiki.example.com:444/")]),
        origin("a path alone", nil, nil, [("X-Original-URL", "/page")]),
        origin("the whole address of http", nil, nil, [("X-Original-URL", "http://wiki.example.com/page")]),
        origin(
            "two whole addresses", nil, nil,
            [
                ("X-Original-URL", "https://wiki.example.com/"), ("X-Original-URL", "https://wiki.example.com/"),
            ]),
        origin("both forms that differ", "https", "wiki.example.com", [("X-Original-URL", "https://evil.example/")]),
        origin(
            "two methods", "https", "wiki.example.com", [("X-Forwarded-Method", "GET"), ("X-Original-Method", "POST")]),
        origin("two paths", "https", "wiki.example.com", [("X-Forwarded-Uri", "/other")]),
    ]

    static let others: [HostileCheck] = [
        HostileCheck(name: "a foreign proxy", status: 403, source: "127.0.0.7", event: "gate_refused"),
        HostileCheck(
            name: "a foreign proxy that names a trusted one", status: 403, further: [("X-Forwarded-For", "127.0.0.1")],
            source: "127.0.0.7", event: "gate_refused"),
        HostileCheck(name: "an unknown client", status: 403, path: "/gate/nobody/check", event: "gate_refused"),
        HostileCheck(name: "a client in capitals", status: 403, path: "/gate/PARTNER-1/check", event: "gate_refused"),
        HostileCheck(name: "an escaped client", status: 404, path: "/gate/partner%2d1/check"),
        HostileCheck(name: "a dot segment", status: 404, path: "/gate/x/../partner-1/check"),
        HostileCheck(
            name: "a POST of another site", status: 403, proxy: GateScene.proxy(method: "POST"),
            further: [("Sec-Fetch-Site", "cross-site")], event: "gate_refused"),
        HostileCheck(
            name: "a POST of a sibling", status: 403, proxy: GateScene.proxy(method: "POST"),
            further: [("Sec-Fetch-Site", "same-site")], event: "gate_refused"),
        HostileCheck(
            name: "a DELETE of another site", status: 403, proxy: GateScene.proxy(method: "DELETE"),
            further: [("Sec-Fetch-Site", "cross-site")], event: "gate_refused"),
        HostileCheck(
            name: "a method of its own of another site", status: 403, proxy: GateScene.proxy(method: "PROPFIND"),
            further: [("Sec-Fetch-Site", "cross-site")], event: "gate_refused"),
        HostileCheck(
            name: "two values of Sec-Fetch-Site", status: 403, proxy: GateScene.proxy(method: "POST"),
            further: [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")], event: "gate_refused"),
        HostileCheck(
            name: "a POST that the proxy sends itself", status: 403, method: "POST",
            proxy: Array(GateScene.proxy().dropLast()), further: [("Sec-Fetch-Site", "cross-site")],
            event: "gate_refused"),
        HostileCheck(
            name: "40 KiB of cookies", status: 401, further: [("Cookie", "a=\(String(repeating: "x", count: 40_960))")]),
        HostileCheck(
            name: "200 fields", status: 401, further: (1...200).map { ("X-Field-\($0)", "x") }),
        HostileCheck(
            name: "the cookie twice", status: 401, further: [("Cookie", "__Host-sso_gate=tossed")]),
        HostileCheck(
            name: "a cookie of another kind", status: 401,
            further: [("Cookie", "__Host-sso_gate=sst_\(String(repeating: "A", count: 43))")], hasCookie: false),
        HostileCheck(
            name: "the cookie without its prefix", status: 401,
            further: [("Cookie", "sso_gate=sgs_\(String(repeating: "A", count: 43))")], hasCookie: false),
        HostileCheck(
            name: "an unknown id", status: 401,
            further: [("Cookie", "__Host-sso_gate=sgs_\(String(repeating: "A", count: 43))")], hasCookie: false),
        HostileCheck(
            name: "no session, and an Upgrade", status: 401, further: [("Upgrade", "websocket")], hasCookie: false),
    ]

    static let all = identity + origins + others
}

@Suite("The gate: hostile requests", .program)
struct GateHostileTests {
    @Test("a check that is not honest never passes, and the log says why")
    func checks() async throws {
        #expect(HostileCheck.all.count >= 60)
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            for row in HostileCheck.all {
                let before = scene.deployment.log.count
                let reply = try await scene.probe(from: row.source).send(
                    row.method, row.path, row.proxy + row.further + (row.hasCookie ? scene.cookie(id) : []))
                #expect(reply.status == row.status, "\(row.name): \(reply.text)")
                #expect(reply.header("location") == nil && reply.header("remote-user") == nil, "\(row.name)")
                if let event = row.event {
                    #expect(scene.deployment.log.text(after: before).contains(event), "\(row.name)")
                }
            }
            #expect(try await scene.check(id).status == 200, "the session goes on")
        }
    }

    @Test("what is unusual and honest passes: wss, a whole address, long cookies, other methods of the same origin")
    func honest() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            let rows: [HTTPProbe.Headers] = [
                [("X-Forwarded-Proto", "wss"), ("X-Forwarded-Host", "wiki.example.com"), ("X-Forwarded-Uri", "/ws")],
                [("X-Original-URL", "https://wiki.example.com/page?x")],
                [("X-Original-URL", "https://wiki.example.com")],
                GateScene.proxy("//evil.example/"), GateScene.proxy("https://evil.example/"), GateScene.proxy("%00\\"),
                GateScene.proxy(method: "POST") + [("Sec-Fetch-Site", "same-origin")],
                GateScene.proxy(method: "PROPFIND"),
                GateScene.proxy() + [("Cookie", "a=\(String(repeating: "x", count: 28_000))")],
                GateScene.proxy() + (1...100).map { ("X-Field-\($0)", "x") },
                GateScene.proxy() + [("Sec-Fetch-Site", "cross-site")], GateScene.proxy() + [("Upgrade", "websocket")],
                GateScene.proxy() + [("Authorization", "Basic dTpw")],
            ]
            for row in rows {
                let reply = try await scene.probe().get("/gate/partner-1/check", row + scene.cookie(id))
                #expect(reply.status == 200, "\(row.prefix(5)): \(reply.text)")
            }
            for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"] {
                let reply = try await scene.probe().send(
                    method, "/gate/partner-1/check", GateScene.proxy(method: method) + scene.cookie(id))
                #expect(reply.status == 200, "\(method)")
            }
        }
    }

    @Test("wherever a request says it came from, the browser goes to the origin of the service")
    func returnAddresses() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            for path in [
                "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "evil",
                "/.sso/start?to=/", "/" + String(repeating: "a", count: 5000), "/a b", "/\u{e4}", "@evil.example/",
            ] {
                let (address, state) = try await scene.start(to: path)
                let reply = try await scene.finish(try await scene.callback(browser, address), state: state)
                #expect(reply.header("location")?.hasPrefix("https://wiki.example.com/") == true, "\(path.prefix(40))")
            }
        }
    }

    @Test("a grant works once, for one client, in the browser that began, and for a minute")
    func grants() async throws {
        try await GateScene.open(clients: 2) { scene in
            let browser = try await scene.deployment.signedIn()
            let other = GateScene(deployment: scene.deployment, client: "partner-2")
            for row in [
                "no cookie", "another browser", "two cookies", "another client", "expired", "changed", "a token of SSO",
            ] {
                let (address, state) = try await scene.start()
                var callback = try await scene.callback(browser, address)
                let stranger = try await scene.start().state
                let reply: ProbeReply
                switch row {
                case "no cookie": reply = try await scene.finish(callback, state: nil)
                case "another browser": reply = try await scene.finish(callback, state: stranger)
                case "two cookies":
                    reply = try await scene.finish(
                        callback, state: state, [("Cookie", "\(GateScene.state)=\(stranger)")])
                case "another client":
                    reply = try await other.probe().get(
                        "/gate/partner-2/\(callback)",
                        GateScene.proxy(origin: "https://wiki2.example.com") + GateScene.page
                            + [("Cookie", "\(GateScene.state)=\(state)")])
                case "expired":
                    scene.deployment.clock.advance(by: .seconds(61))
                    reply = try await scene.finish(callback, state: state)
                case "changed":
                    callback = callback.replacing("grant=sgc_", with: "grant=sgc_A")
                    reply = try await scene.finish(callback, state: state)
                default:
                    let token = try await browser.token(for: scene.deployment.client, of: scene.deployment)
                    reply = try await scene.finish("callback?grant=\(token)&to=/", state: state)
                }
                #expect(reply.status == 400 && reply.header("set-cookie") == nil, "\(row): \(reply.status)")
                if row == "another client" {
                    #expect(try await scene.finish(callback, state: state).status == 400, "it is void")
                }
            }
            let id = try await scene.enter(browser)
            #expect(try await scene.check(id).status == 200)
            let foreign = try await scene.probe().get(
                "/gate/partner-2/check", GateScene.proxy(origin: "https://wiki2.example.com") + scene.cookie(id))
            #expect(foreign.status == 401, "the session is that of one service")
        }
    }

    @Test("start, callback and sign-out are for declared proxies, and a form of another site does not sign out")
    func steps() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            for path in ["start?to=/", "callback?grant=x"] {
                let foreign = try await scene.probe(from: "127.0.0.7").get("/gate/partner-1/\(path)", GateScene.proxy())
                #expect(foreign.status == 403, "\(path)")
                let other = try await scene.probe().get(
                    "/gate/partner-1/\(path)", GateScene.proxy(origin: "https://evil.example"))
                #expect(other.status == 403, "\(path)")
                let frame = try await scene.probe().get(
                    "/gate/partner-1/\(path)", GateScene.proxy() + [("Sec-Fetch-Dest", "iframe")])
                #expect(frame.status == 400 && frame.header("set-cookie") == nil, "\(path)")
            }
            for further in [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
                [("Origin", "https://evil.example")],
                [("Origin", "null")],
            ] {
                let reply = try await scene.probe().post(
                    "/gate/partner-1/sign-out", GateScene.proxy() + further + scene.cookie(id), body: [])
                #expect(reply.status == 403, "\(further)")
            }
            #expect(try await scene.probe().get("/gate/partner-1/sign-out", GateScene.proxy()).status == 405)
            #expect(try await scene.check(id).status == 200)
        }
    }

    @Test("a login that an attacker has begun in its own browser is worth nothing in another one")
    func loginCSRF() async throws {
        try await GateScene.open { scene in
            let (address, _) = try await scene.start()
            // The victim follows the attacker's link to the sign-in, and the attacker's challenge is not that of its browser.
            let victim = try await scene.deployment.signedIn(as: "victim@example.com")
            let callback = try await scene.callback(victim, address)
            #expect(try await scene.finish(callback, state: try await scene.start().state).status == 400)
        }
    }
}
