import Testing

@testable import TestSupport

/// One way to write each address, and only the methods it has (ASVS 4.1.4, 13.4.4).
@Suite("Paths and methods")
struct PathAndMethodTests {
    @Test(
        "another spelling of a path is not found",
        arguments: [
            "//healthz", "/healthz/", "/Healthz", "/HEALTHZ", "/./healthz", "/a/../healthz", "/../healthz",
            "/%68ealthz", "/healthz%00", "/healthz%2f", "/healthz;a=b", "/healthz/..;/healthz", "/..%2fhealthz",
            "/\\healthz", "/healthz#a", "/healthz%", "/healthz%zz", "/%2e%2e/healthz", "/healthz%20", "/healthz.",
            "/.env", "/.git/config", "/metrics", "/debug", "/server-status", "/%c0%af", "/assets/../healthz",
        ])
    func paths(path: String) async throws {
        try await TestDeployment.open { deployment in
            for (port, name) in [(deployment.port, "127.0.0.1"), (deployment.client.port, "127.0.0.2")] {
                let probe = HTTPProbe(host: name, port: port, authority: "localhost:4000")
                let reply = try await probe.get(path)
                #expect(reply.status == 404 || reply.status == 400)
                #expect(reply.header("location") == nil)
                #expect(try await probe.get("/healthz?\(path.count)").status == 200)
            }
        }
    }

    @Test(
        "a method that a path does not accept gets 405 and Allow",
        arguments: [
            ("TRACE", "/", "GET, HEAD"), ("POST", "/auth/sso/authorize", "GET"), ("HEAD", "/auth/sso/authorize", "GET"),
            ("HEAD", "/auth/sso/complete", "GET"), ("GET", "/auth/sso/verify", "POST"),
            ("OPTIONS", "/auth/sso/verify", "POST"), ("GET", "/sign-out", "POST"),
            ("PUT", "/sign-in", "GET, HEAD, POST"),
            ("DELETE", "/sign-in/code", "GET, HEAD, POST"), ("PATCH", "/healthz", "GET, HEAD"),
            ("TRACE", "/.well-known/assetlinks.json", "GET, HEAD"), ("PROPFIND", "/auth/sso/verify", "POST"),
            ("MKCOL", "/auth/sso/verify", "POST"), ("M-SEARCH", "/auth/sso/verify", "POST"),
            ("PURGE", "/sign-in", "GET, HEAD, POST"), ("LINK", "/auth/sso/authorize", "GET"),
        ])
    func methods(method: String, path: String, allowed: String) async throws {
        try await TestDeployment.open(settings: ["IDP_ANDROID_APPS": Self.app]) { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let reply = try await probe.send(method, path, [("Origin", "https://evil.example")])
            #expect(reply.status == 405)
            #expect(reply.header("allow") == allowed)
            if path == "/auth/sso/verify" { #expect(reply.error == "invalid_request") }
            #expect(!reply.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
            #expect(try await probe.get("/healthz").status == 200)
        }
    }

    static let app = "com.example.app=" + (0..<32).map { _ in "AB" }.joined(separator: ":")

    @Test(
        "a Range field never causes a 500",
        arguments: [
            "bytes=5-2", "bytes=0-9223372036854775807", "bytes=-9223372036854775808", "bytes=a-b", "bytes=0-0,1-1",
        ])
    func range(_ value: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await browser.get(deployment.origin + "/").page()
            let style = try #require(page.tags.first { $0.name == "link" && $0["rel"] == "stylesheet" }?["href"])
            let reply = try await browser.get(deployment.origin + style, [("Range", value)])
            #expect([200, 206, 416].contains(reply.status))
            #expect(try await browser.get(deployment.origin + style).status == 200)
        }
    }

    @Test(
        "bytes that are not UTF-8 in a query, a cookie or a field never cause a 500",
        arguments: ["%ff", "%c3", "%ed%a0%80", "%00", "%", "%zz", "%u0041"])
    func escapes(_ text: String) async throws {
        try await TestDeployment.open { deployment in
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
        }
        try await TestDeployment.open { deployment in
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
}
