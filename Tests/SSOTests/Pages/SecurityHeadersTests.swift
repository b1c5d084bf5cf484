import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The headers of every response", .program)
struct SecurityHeadersTests {
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"

    /// A request and its status for a visitor: pages, errors of every kind, redirects, files, JSON.
    static let requests: [(method: String, target: String, status: Int)] = [
        ("GET", "/", 303), ("GET", "/sign-in", 200), ("GET", "/sign-in/code", 303), ("GET", "/dev/mailbox", 404),
        ("GET", "/healthz", 200), ("GET", "/readyz", 200), ("GET", "/nowhere", 404), ("GET", "/%00", 404),
        ("GET", "/sign-out", 405), ("HEAD", "/sign-in", 200), ("HEAD", "/sign-out", 405), ("POST", "/sign-in", 415),
        ("PUT", "/", 405),
        ("GET", "/auth/sso/authorize", 400), ("GET", "/auth/sso/complete?flow=x", 404),
        ("GET", "/auth/sso/verify", 405),
        ("POST", "/auth/sso/verify", 415), ("GET", "/sign-in?\(String(repeating: "a", count: 9000))", 414),
        ("GET", "/.well-known/assetlinks.json", 404),
    ]

    /// ASVS 3.4.
    @Test("all of them are on pages and on errors", .oneDeployment, arguments: requests)
    func everywhere(method: String, target: String, status: Int) async throws {
        let deployment = try TestDeployment.shared()
        let reply = try await deployment.probe().send(method, target)
        #expect(reply.status == status)
        Self.check(reply)
        // The script of the sign-in page asks for a new challenge of its passkeys.
        let fetches = target == "/sign-in" && status == 200 ? "; connect-src 'self'" : ""
        #expect(reply.all("content-security-policy") == [Self.policy + fetches])
        #expect(reply.all("referrer-policy") == ["same-origin"])
        #expect(reply.all("cache-control") == ["no-store"])
        #expect(reply.header("strict-transport-security") == nil)
    }

    @Test("pages after sign-in have them too; the page with the token has a tighter policy and no referrer")
    func signedIn() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            Self.check(complete.reply)
            #expect(
                complete.reply.all("content-security-policy")
                    == [Self.policy.replacing("form-action 'self'", with: "form-action 'none'")])
            #expect(complete.reply.all("referrer-policy") == ["no-referrer"])
            #expect(complete.reply.all("cache-control") == ["no-store"])
            let home = try await browser.get(deployment.origin + "/")
            Self.check(home.reply)
            #expect(home.reply.all("cache-control") == ["no-store"])
            #expect(home.reply.all("content-security-policy") == [Self.policy])
            for page in [deployment.mailboxPage, deployment.linkTester] {
                let trial = try await browser.get(deployment.origin + page)
                #expect(trial.status == 200)
                Self.check(trial.reply)
                #expect(trial.reply.all("cache-control") == ["no-store"])
            }
        }
    }

    @Test("over https they include HSTS")
    func strictTransport() async throws {
        try await TestDeployment.open(settings: ["IDP_PUBLIC_URL": "https://localhost:4000"]) { deployment in
            for target in ["/", "/nowhere", "/healthz"] {
                let reply = try await deployment.probe().get(target)
                #expect(reply.all("strict-transport-security") == ["max-age=31536000"])
            }
        }
    }

    /// RFC 6797 14.4: a subdomain without https would be unreachable for a year.
    @Test("HSTS covers subdomains only when the setting says so, also on refused requests")
    func subdomains() async throws {
        let settings = ["IDP_PUBLIC_URL": "https://localhost:4000", "HSTS_INCLUDE_SUBDOMAINS": "true"]
        try await TestDeployment.open(settings: settings) { deployment in
            for target in ["/", "/nowhere", "/healthz"] {
                let reply = try await deployment.probe().get(target)
                #expect(reply.all("strict-transport-security") == ["max-age=31536000; includeSubDomains"])
            }
            let broken = try await deployment.probe().raw(
                Array(
                    "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
            )
            #expect(String(decoding: broken, as: UTF8.self).contains("max-age=31536000; includeSubDomains"))
        }
    }

    @Test("styles and scripts are immutable under their hash, and nothing else is cached")
    func assets() async throws {
        try await TestDeployment.open { deployment in
            let page = try await deployment.probe().get("/sign-in")
            let tags = try ScannedPage(page.text).tags
            let files = tags.filter { $0.name == "link" || $0.name == "script" }.compactMap { $0["href"] ?? $0["src"] }
            #expect(files.count == 6, "two icons, two style sheets and two scripts")
            for file in files {
                let reply = try await deployment.probe().get(file)
                #expect(reply.status == 200)
                Self.check(reply)
                #expect(reply.all("cache-control") == ["public, max-age=31536000, immutable"])
                #expect(try await deployment.probe().get(file.replacing("-", with: "-0")).status == 404)
            }
        }
    }

    private static func check(_ reply: ProbeReply) {
        #expect(reply.all("x-content-type-options") == ["nosniff"])
        #expect(reply.all("x-frame-options") == ["DENY"])
        #expect(reply.all("cross-origin-opener-policy") == ["same-origin"])
        #expect(reply.all("cross-origin-resource-policy") == ["same-origin"])
        #expect(reply.all("permissions-policy").count == 1)
        // ASVS 13.4.6: no name of the server software. ASVS 3.4.2: no other origin may read a response.
        for name in ["server", "x-powered-by", "access-control-allow-origin"] { #expect(reply.header(name) == nil) }
    }
}
