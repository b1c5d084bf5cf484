import Testing

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
    /// The cookies in place of the right one, from the id of the session.
    var cookie: (@Sendable (String) -> String)?
    var event: String?
    var testDescription: String { name }

    static let identity: [HostileCheck] =
        [
            "Remote-User", "remote-user", "REMOTE-USER", "Remote_User", "remote_user", "Remote-Email", "remote_email",
            "Remote-Name", "REMOTE_NAME", "Remote-Groups", "remote_groups", "Remote-Id", "remote_id", "X-SSO-Identity",
            "x_sso_identity", "X-Sso_Identity", "rEmOtE-uSeR", "Remote.User", "remote+user", "X.SSO.Identity",
            "X~SSO|Identity",
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
                name: "an identity of an Upgrade", status: 403,
                further: [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("REMOTE_ID", "usr_1")],
                event: "gate_identity_forged"),
            HostileCheck(
                name: "an identity with a key in place of a session", status: 403,
                further: [("X-SSO-Identity", "a.b.c"), ("Authorization", "Bearer sgk_x")], hasCookie: false,
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
        origin("wss of another host", "wss", "evil.example"), origin("wss of a port", "wss", "wiki.example.com:8443"),
        origin("a scheme of its own", "javascript", "wiki.example.com"),
        origin("an empty scheme", "", "wiki.example.com"),
        origin("a method that is none", "https", "wiki.example.com", [("X-Forwarded-Method", "GE(T")]),
        origin("an empty method", "https", "wiki.example.com", [("X-Original-Method", "")]),
        origin("an empty whole address", nil, nil, [("X-Original-URL", "")]),
        origin("a whole address of wss", nil, nil, [("X-Original-URL", "wss://wiki.example.com/")]),
        origin("a backslash in the whole address", nil, nil, [("X-Original-URL", "https://wiki.example.com\\@evil/")]),
        origin("a fragment in the whole address", nil, nil, [("X-Original-URL", "https://wiki.example.com#/page")]),
        origin("capitals in the whole address", nil, nil, [("X-Original-URL", "https://Wiki.example.com/page")]),
        origin(
            "a mark on the last letter of the whole address", nil, nil,
            [("X-Original-URL", "https://wiki.example.com\u{301}/page")]),
        origin("the standard field alone", nil, nil, [("Forwarded", "proto=https;host=wiki.example.com")]),
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
        HostileCheck(name: "no client", status: 404, path: "/gate/check"),
        HostileCheck(name: "a step that is none", status: 404, path: "/gate/partner-1/admin"),
        HostileCheck(name: "a path below the check", status: 404, path: "/gate/partner-1/check/x"),
        HostileCheck(
            name: "a direct call of a browser", status: 403, proxy: [], further: GateScene.page, event: "gate_refused"),
        HostileCheck(
            name: "a direct call from elsewhere", status: 403, proxy: [], source: "127.0.0.7", event: "gate_refused"),
        HostileCheck(
            name: "a WebSocket of another site", status: 403, proxy: GateScene.proxy(method: "POST"),
            further: [("Upgrade", "websocket"), ("Sec-Fetch-Site", "cross-site")], event: "gate_refused"),
        HostileCheck(
            name: "an unsafe method in lower case of another site", status: 403,
            proxy: GateScene.proxy(method: "post"), further: [("Sec-Fetch-Site", "cross-site")], event: "gate_refused"),
        HostileCheck(
            name: "a POST with an unknown Sec-Fetch-Site", status: 403, proxy: GateScene.proxy(method: "POST"),
            further: [("Sec-Fetch-Site", "Same-Origin")], event: "gate_refused"),
        HostileCheck(
            name: "a POST with an empty Sec-Fetch-Site", status: 403, proxy: GateScene.proxy(method: "POST"),
            further: [("Sec-Fetch-Site", "")], event: "gate_refused"),
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
            name: "40 KiB in many cookies", status: 401,
            further: (1...40).map { ("Cookie", "c\($0)=\(String(repeating: "x", count: 1000))") }),
        HostileCheck(
            name: "33 KiB of the page's address", status: 401,
            proxy: GateScene.proxy("/" + String(repeating: "a", count: 33 << 10))),
        HostileCheck(
            name: "33 KiB of the check's address", status: 401,
            path: "/gate/partner-1/check?a=" + String(repeating: "a", count: 33 << 10)),
        HostileCheck(name: "129 fields", status: 401, further: (1...123).map { ("X-Field-\($0)", "x") }),
        HostileCheck(
            name: "the cookie twice", status: 401, further: [("Cookie", "__Host-sso_gate=tossed")]),
        HostileCheck(
            name: "the cookie twice in one field", status: 401,
            cookie: { "__Host-sso_gate=\($0); __Host-sso_gate=sgs_b" }),
        HostileCheck(
            name: "a grant as the cookie", status: 401,
            cookie: { "__Host-sso_gate=sgc_\($0.dropFirst(4))" }),
        HostileCheck(
            name: "an empty cookie", status: 401, further: [("Cookie", "__Host-sso_gate=")], hasCookie: false),
        HostileCheck(
            name: "the cookie in lower case", status: 401, cookie: { "__host-sso_gate=\($0)" }),
        HostileCheck(
            name: "a cookie of another kind", status: 401,
            cookie: { "__Host-sso_gate=sst_\($0.dropFirst(4))" }),
        HostileCheck(
            name: "the cookie without its prefix", status: 401, cookie: { "sso_gate=\($0)" }),
        HostileCheck(
            name: "an unknown id", status: 401,
            further: [("Cookie", "__Host-sso_gate=sgs_\(String(repeating: "A", count: 43))")], hasCookie: false),
        HostileCheck(
            name: "no session, and an Upgrade", status: 401, further: [("Upgrade", "websocket")], hasCookie: false),
    ]

    static let all = identity + origins + others
}
