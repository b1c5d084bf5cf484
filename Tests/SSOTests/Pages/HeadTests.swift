import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit

/// RFC 9110 9.3.2: HEAD is GET without the body, and safe (9.2.1): a link checker changes nothing.
@Suite("HEAD", .program)
struct HeadTests {
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

    /// Also a page with a query, none, and paths that take no GET.
    private static let more = [
        "/sign-in?flow=AAAAAAAAAAAAAAAAAAAAAA", "/account?x=1", "/nowhere", SSOPath.verify, "/sign-out",
        NativePath.sessionCheck,
    ]

    @Test("every page answers HEAD with the status and the headers of GET, for visitors and signed-in users")
    func asGet() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            let browser = try await deployment.signedIn()
            _ = try await browser.follow(browser.get(browser.beginSignIn(at: deployment.client).callback()))
            let idp = "idp_session=\(browser.session ?? "")"
            let client = "rp_session=\(browser.cookie("rp_session", at: "127.0.0.2") ?? "")"
            for (served, cookie) in [
                (try await deployment.servedByIdP(), idp), (try await deployment.servedByClient(), client),
            ] {
                let pages = try await served.pages() + Self.more
                #expect(pages.contains("/") && pages.contains("/reset_app"))
                for cookie in [nil, cookie] {
                    for target in pages {
                        let get = try await Self.head("GET", target, served.probe, cookie)
                        #expect(try await Self.head("HEAD", target, served.probe, cookie) == get, "\(target)")
                    }
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
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            let browser = try await deployment.signedIn()
            let (begun, waiting) = (deployment.browser(), deployment.browser())
            let state = try await begun.state(at: deployment.client)
            let flow = try await waiting.beginSignIn(at: deployment.client).address.query("flow") ?? ""
            let token = try await browser.token(for: deployment.client, of: deployment)
            let before = try await Self.rows(deployment)
            let authorize = String(
                deployment.authorize(deployment.client, state: "s").dropFirst(deployment.origin.count))
            let cookies = [nil, browser.session, waiting.session].map { $0.map { "idp_session=\($0)" } }
            let pages = try await deployment.servedByIdP().paths + Self.more
            for cookie in cookies {
                for target in pages + [authorize, "\(SSOPath.complete)?flow=\(flow)"] {
                    let headers = cookie.map { [("Cookie", $0)] } ?? []
                    let reply = try await deployment.probe().send("HEAD", target, headers)
                    #expect(reply.body.isEmpty && reply.all("set-cookie") == [], "\(target)")
                }
            }
            let callback = "\(SSOPath.callback)?token=\(token)&state=\(state)"
            let clientPages = try await deployment.servedByClient().paths + Self.more
            for cookie in [nil, begun.pendingSignIns.first.map { "\($0.key)=\($0.value)" }] {
                for target in clientPages + [callback] {
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

    /// The number of rows of every table of both programs but the audit log, which has refused requests, and the slots of their sessions.
    private static func rows(_ deployment: TestDeployment) async throws -> [String] {
        var found: [String] = []
        for database in [deployment.database, deployment.client.database] {
            found += try await database.stored.counts().filter { !["audit_event", "admin_notice"].contains($0.key) }
                .map { "\($0) \($1)" }
                .sorted()
            found += try await database.stored.sessions.slots()
        }
        return found
    }
}
