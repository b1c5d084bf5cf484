import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// One way to write each address, and only the methods it has (ASVS 4.1.4, 13.4.4).
@Suite("Paths and methods", .program)
struct PathAndMethodTests {
    private static let spellings = [
        "//healthz", "/healthz/", "/Healthz", "/HEALTHZ", "/./healthz", "/a/../healthz", "/../healthz",
        "/%68ealthz", "/healthz%00", "/healthz%2f", "/healthz;a=b", "/healthz/..;/healthz", "/..%2fhealthz",
        "/\\healthz", "/healthz#a", "/healthz%", "/healthz%zz", "/%2e%2e/healthz", "/healthz%20", "/healthz.",
        "/.env", "/.git/config", "/metrics", "/debug", "/server-status", "/%c0%af", "/assets/../healthz",
    ]

    @Test("another spelling of a path is not found")
    func paths() async throws {
        try await TestDeployment.open { deployment in
            for (port, name) in [(deployment.port, "127.0.0.1"), (deployment.client.port, "127.0.0.2")] {
                let probe = HTTPProbe(host: name, port: port, authority: "localhost:4000")
                for path in Self.spellings {
                    let reply = try await probe.get(path)
                    #expect(reply.status == 404 || reply.status == 400, "\(path)")
                    #expect(reply.header("location") == nil, "\(path)")
                    #expect(try await probe.get("/healthz?\(path.count)").status == 200, "\(path)")
                }
            }
        }
    }

    /// Also methods of other protocols, which Hummingbird would answer with 404.
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "MKCOL", "M-SEARCH", "PURGE", "LINK",
    ]

    @Test("every path answers each method that it does not accept with 405 and Allow, and permits no other origin")
    func methods() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            for served in [try await deployment.servedByIdP(), try await deployment.servedByClient()] {
                #expect(served.paths.count > 10)
                // For a visitor there are no admin pages, and a proxy asks by any method.
                for path in served.paths where !path.hasPrefix("/admin") && path != "/gate/a-b_C.1/check" {
                    let allowed = try #require(try await served.allowed(at: path), "\(path)")
                    #expect(
                        !allowed.isEmpty && Set(allowed).isSubset(of: ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]),
                        "\(path)")
                    for method in Self.methods where !allowed.contains(method) {
                        let reply = try await served.probe.send(method, path)
                        #expect(reply.status == 405, "\(method) \(path)")
                        #expect(reply.header("allow") == allowed.joined(separator: ", "), "\(method) \(path)")
                        // The API refuses another origin before it looks at the method.
                        let foreign = try await served.probe.send(method, path, [("Origin", "https://evil.example")])
                        #expect([403, 405].contains(foreign.status), "\(method) \(path)")
                        for field in (reply.headers + foreign.headers).map({ $0.name.lowercased() }) {
                            #expect(!field.hasPrefix("access-control"), "\(method) \(path)")
                        }
                    }
                }
            }
            let reply = try await HTTPProbe(port: deployment.port).send("GET", SSOPath.verify)
            #expect(reply.error == "invalid_request" && reply.header("allow") == "POST")
        }
    }

    @Test("a method that no path serves is in the log as it was sent")
    func foreignMethod() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port)
            let (known, unknown) = (
                try await probe.send("PROPFIND", "/sign-in"), try await probe.send("MKCOL", "/nothing-here")
            )
            #expect(known.status == 405 && unknown.status == 404)
            let lines = deployment.log.text.split(separator: "\n").filter { $0.hasPrefix("debug request ") }
            #expect(lines.contains { $0.contains("PROPFIND") && $0.contains("/sign-in") })
            #expect(lines.contains { $0.contains("MKCOL") && $0.contains("404") })
            #expect(!lines.contains { $0.contains("TRACE") })
        }
    }

    @Test(
        "a Range field never causes a 500",
        .oneDeployment,
        arguments: [
            "bytes=5-2", "bytes=0-9223372036854775807", "bytes=-9223372036854775808", "bytes=a-b", "bytes=0-0,1-1",
        ])
    func range(_ value: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        let page = try await browser.get(deployment.origin + "/sign-in").page()
        let style = try #require(page.tags.first { $0.name == "link" && $0["rel"] == "stylesheet" }?["href"])
        let reply = try await browser.get(deployment.origin + style, [("Range", value)])
        #expect([200, 206, 416].contains(reply.status))
        #expect(try await browser.get(deployment.origin + style).status == 200)
    }

    @Test(
        "bytes that are not UTF-8 in a query, a cookie or a field never cause a 500",
        .oneDeployment, arguments: ["%ff", "%c3", "%ed%a0%80", "%00", "%", "%zz", "%u0041"])
    func escapes(_ text: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        for target in [
            "/sign-in?flow=\(text)", "/auth/sso/complete?flow=\(text)", "/auth/sso/authorize?client_id=\(text)",
            "/auth/sso/authorize?client_id=partner-1&redirect_uri=\(text)&state=\(text)",
        ] {
            #expect(try await browser.get(deployment.origin + target).status < 500)
        }
        let callback = try await browser.get("\(deployment.client.callback)?token=\(text)&state=\(text)")
        #expect(callback.status == 400)
        let start = try await browser.get("\(deployment.client.origin)/auth/sso/start?return_to=\(text)")
        #expect(start.status == 302)
        let cookies = [
            "idp_session=\u{ff}", "idp_session=%ff", "=", ";;;", "idp_session", "idp_session==\u{1f600}",
        ]
        for cookie in cookies {
            let reply = try await HTTPProbe(port: deployment.port, authority: "localhost:4000").get(
                "/sign-in", [("Cookie", cookie), ("Accept-Language", "\u{fffd}\u{301}")])
            #expect(reply.status == 200)
        }
    }
}
