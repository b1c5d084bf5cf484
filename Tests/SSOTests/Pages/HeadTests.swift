import SSOShared
import SSOWeb
import Testing

@testable import TestSupport

/// RFC 9110 9.3.2: HEAD is GET without the body, and safe (9.2.1): a link checker changes nothing.
@Suite("HEAD")
struct HeadTests {
    private static let idpPages = [
        "/", "/sign-in", "/sign-in?flow=AAAAAAAAAAAAAAAAAAAAAA", "/sign-in/code", "/signed-out", "/healthz", "/nowhere",
        "/reset_app", "/configurations/ios_v1.json",
    ]
    private static let clientPages = [
        "/", "/account", "/account?x=1", "/api/session", "/healthz", "/nowhere", "/api/v1/session/check", "/reset_app",
        "/configurations/android_v1.json",
    ]
    /// GET changes state there, so HEAD is refused.
    private static let refused = [SSOPath.authorize, SSOPath.complete, SSOPath.callback, SSOPath.start]

    /// Status, headers and length of an answer, without the parts that change over time. Then requests
    /// another page on the same connection: an unannounced body would appear there.
    private static func head(_ method: String, _ target: String, _ probe: HTTPProbe, _ cookie: String?) async throws
        -> [String]
    {
        let cookies = cookie.map { [("Cookie", $0)] } ?? []
        return try await onOwnThread {
            let connection = try probe.connect()
            try connection.send(probe.request(method, target, cookies, close: false))
            let reply = try connection.reply(isHead: method == "HEAD")
            try connection.send(probe.request("GET", "/healthz"))
            let next = try connection.reply()
            let varying = ["date", "set-cookie", "connection"]
            return ["\(reply.status)", "then \(next.status) \(next.text)"]
                + reply.headers.filter { !varying.contains($0.name.lowercased()) }
                .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        }
    }

    @Test("every page answers HEAD with the status and the headers of GET, for visitors and signed-in users")
    func asGet() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            _ = try await browser.follow(browser.get(browser.beginSignIn(at: deployment.client).callback()))
            let idp = "idp_session=\(browser.session ?? "")"
            let client = "rp_session=\(browser.cookie("rp_session", at: "127.0.0.2") ?? "")"
            for cookie in [nil, idp] {
                for target in Self.idpPages + [deployment.mailboxPage, deployment.linkTester] {
                    let get = try await Self.head("GET", target, deployment.probe(), cookie)
                    #expect(try await Self.head("HEAD", target, deployment.probe(), cookie) == get, "\(target)")
                }
            }
            for cookie in [nil, client] {
                for target in Self.clientPages {
                    let get = try await Self.head("GET", target, deployment.clientProbe(), cookie)
                    #expect(try await Self.head("HEAD", target, deployment.clientProbe(), cookie) == get, "\(target)")
                }
            }
        }
    }

    @Test("a path for programs answers a wrong method in JSON")
    func scripts() async throws {
        try await TestDeployment.open { deployment in
            let reply = try await deployment.clientProbe().send("DELETE", "/api/session")
            #expect(reply.status == 405 && reply.header("content-type") == "application/json")
            #expect(reply.text.contains("\"error\""))
        }
    }

    @Test("HEAD creates no row, sets no cookie, begins no sign-in and consumes none")
    func changesNothing() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let (begun, waiting) = (deployment.browser(), deployment.browser())
            let state = try await begun.state(at: deployment.client)
            let flow = try await waiting.beginSignIn(at: deployment.client).address.query("flow") ?? ""
            let token = try await browser.token(for: deployment.client, of: deployment)
            let before = try await Self.rows(deployment)
            let authorize = String(
                deployment.authorize(deployment.client, state: "s").dropFirst(deployment.origin.count))
            let cookies = [nil, browser.session, waiting.session].map { $0.map { "idp_session=\($0)" } }
            for cookie in cookies {
                let others = ["/sign-out", "/name", authorize, "\(SSOPath.complete)?flow=\(flow)"]
                for target in Self.idpPages + [deployment.mailboxPage, deployment.linkTester] + others {
                    let headers = cookie.map { [("Cookie", $0)] } ?? []
                    let reply = try await deployment.probe().send("HEAD", target, headers)
                    #expect(reply.body.isEmpty && reply.all("set-cookie") == [], "\(target)")
                }
            }
            let callback = "\(SSOPath.callback)?token=\(token)&state=\(state)"
            for cookie in [nil, begun.cookie("rp_pending", at: "127.0.0.2").map { "rp_pending=\($0)" }] {
                for target in Self.clientPages + [SSOPath.start, callback] {
                    let reply = try await deployment.clientProbe().send(
                        "HEAD", target, cookie.map { [("Cookie", $0)] } ?? [])
                    #expect(reply.body.isEmpty && reply.all("set-cookie") == [], "\(target)")
                }
            }
            #expect(try await Self.rows(deployment) == before)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            for path in Self.refused {
                let probe =
                    [SSOPath.authorize, SSOPath.complete].contains(path) ? deployment.probe() : deployment.clientProbe()
                let reply = try await probe.send("HEAD", path)
                #expect(reply.status == 405 && reply.header("allow") == "GET", "\(path)")
            }
        }
    }

    /// All rows of both programs, the slots of their sessions included.
    private static func rows(_ deployment: TestDeployment) async throws -> [String] {
        var found: [String] = []
        for (database, tables) in [
            (deployment.database, ["session", "account", "sso_token", "challenge", "code_guess", "mail_queue"]),
            (deployment.client.database, ["session", "used_state"]),
        ] {
            for table in tables {
                found.append(
                    try await database.read { connection in
                        "\(table) \(try connection.query("SELECT COUNT(*) AS n FROM \(table)")[0].integer("n"))"
                    })
            }
            found += try await database.read { connection in
                try connection.query("SELECT slots FROM session ORDER BY id_digest").map { try $0.text("slots") }
            }
        }
        return found
    }
}

extension TestDeployment {
    /// Raw requests to the first client.
    func clientProbe() -> HTTPProbe { HTTPProbe(host: "127.0.0.2", port: client.port, authority: "127.0.0.2:4100") }
}
