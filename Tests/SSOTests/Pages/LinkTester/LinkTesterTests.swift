import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Link tester", .program)
struct LinkTesterTests {
    private static let apps = [
        "IDP_APPLE_APP_IDS": "A1B2C3D4E5.com.example.app",
        "IDP_ANDROID_APPS":
            "com.example.app=9A:3C:51:0F:77:E2:4B:D8:16:AC:05:6F:B1:92:3E:C4:5D:80:E9:2A:47:1B:F6:63:DC:08:95:7E:A0:34:CB:12",
    ]

    private static func lab(
        _ deployment: TestDeployment, _ link: String = "", headers: HTTPProbe.Headers = [],
        host: String = "localhost:4000"
    )
        async throws -> ProbeReply
    {
        let query =
            link.isEmpty ? "" : "?url=" + link.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return try await HTTPProbe(port: deployment.port, authority: host).get(
            deployment.linkTester + query, headers)
    }

    @Test("shows which app opens a link, by which rule, and a QR code for the phone")
    func opens() async throws {
        try await TestDeployment.open(settings: Self.apps) { deployment in
            let claimed = try await Self.lab(deployment, "https://sso.example/auth/sso/authorize?client_id=x")
            #expect(claimed.status == 200)
            #expect(claimed.text.contains("<bdi>A1B2C3D4E5.com.example.app</bdi>:</span> opens the app"))
            #expect(claimed.text.contains("/applinks/details/0/components/0"))
            #expect(claimed.text.contains("<bdi>com.example.app</bdi>:</span> as the app&#39;s manifest says"))
            #expect(claimed.text.contains("<svg ") && claimed.text.contains("</svg>"))
            let other = try await Self.lab(deployment, "https://sso.example/account")
            #expect(other.text.contains("<bdi>A1B2C3D4E5.com.example.app</bdi>:</span> stays in the browser"))
        }
    }

    @Test("offers links that the rules open, at the public address")
    func samples() async throws {
        try await TestDeployment.open(settings: Self.apps) { deployment in
            let page = try await Self.lab(deployment)
            #expect(page.text.contains("href=\"http://localhost:4000/auth/sso/authorize\""))
            #expect(page.text.contains("http://localhost:4000/sign-in/link"))
            #expect(page.text.contains("Served, "))
        }
    }

    @Test("without apps it says that nothing is configured")
    func unconfigured() async throws {
        try await TestDeployment.open { deployment in
            let page = try await Self.lab(deployment, "https://sso.example/x")
            #expect(page.text.contains("Not set up (answers 404)."))
            #expect(page.text.contains("every link stays in the browser"))
        }
    }

    @Test(
        "text that is not a link is a plain error, and none of it becomes markup",
        .oneDeployment(settings: Self.apps),
        arguments: [
            "javascript:alert(1)", "\"><script>alert(1)</script>", "https://", "ftp://x/", "http://a b/", "\u{0}",
        ])
    func noLink(_ text: String) async throws {
        let deployment = try TestDeployment.shared()
        let page = try await Self.lab(deployment, text)
        #expect(page.status == 422)
        #expect(page.text.contains("This is not a link."))
        #expect(!page.text.contains("<script>"))
        #expect(!page.text.contains("href=\"javascript:"))
    }

    @Test("its words are in the language of the browser; what the library reports is marked as English")
    func german() async throws {
        try await TestDeployment.open(settings: Self.apps) { deployment in
            let german = [("Accept-Language", "de")]
            let page = try await Self.lab(deployment, "https://sso.example/auth/sso/authorize", headers: german)
            #expect(page.text.contains("<bdi>A1B2C3D4E5.com.example.app</bdi>:</span> öffnet die App"))
            #expect(page.text.contains("<ol lang=\"en\">"))
            let error = try await Self.lab(deployment, "no link", headers: german)
            #expect(error.status == 422 && error.text.contains("Das ist kein Link."))
            let mailbox = try await deployment.browser().get(deployment.origin + deployment.mailboxPage, german)
            #expect(mailbox.text.contains("Noch keine E\u{2011}Mails."))
        }
    }

    /// A page of another site may let its own name resolve to 127.0.0.1; behind a proxy every request comes from
    /// there.
    @Test("answers to this machine under its own name only")
    func guarded() async throws {
        try await TestDeployment.open(settings: Self.apps) { deployment in
            for host in ["localhost:4000", "127.0.0.1", "[::1]:4000"] {
                let page = try await Self.lab(deployment, host: host)
                #expect(page.status == 200)
            }
            for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "sso.example.com"] {
                let page = try await Self.lab(deployment, host: host)
                #expect(page.status == 404)
            }
            for name in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host"] {
                let page = try await Self.lab(deployment, headers: [(name, "127.0.0.1")])
                #expect(page.status == 404)
            }
        }
    }

    @Test("a link too long for a QR code is shown without one")
    func long() async throws {
        try await TestDeployment.open(settings: Self.apps) { deployment in
            let link = "https://sso.example/" + String(repeating: "a", count: 2_400)
            let page = try await HTTPProbe(port: deployment.port, authority: "localhost:4000").get(
                deployment.linkTester + "?url=" + link)
            #expect(page.status == 200)
            #expect(!page.text.contains("<svg "))
        }
    }
}
