import Testing

@testable import IdPDevPages
@testable import IdPFlow
@testable import IdPMail
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Development pages exist only on a developer's machine (ASVS 15.2.3).
@Suite("Development pages", .program)
struct DebugAddressTests {
    /// Any way of sending emails except the outbox folder.
    private struct RealMail: Mailer {
        func send(_ email: EmailMessage) async throws(MailError) {}
    }

    /// Sends a request to a separate IdP with these settings.
    private static func status(
        _ path: String, _ deployment: TestDeployment, settings: [String: String] = [:], mailer: any Mailer
    ) async throws -> Int {
        let base = [
            "IDP_LISTEN": "127.0.0.1:0", "IDP_SECRET_KEY": TestSecret.new(),
            "IDP_MAIL_URL": "outbox:\(deployment.mailbox.folder)",
            "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
        ]
        let services = IdPServices(
            ProgramServices(
                database: deployment.database, clock: deployment.clock.clock, logger: deployment.log.logger("idp")),
            mailer: mailer, devPages: deployment.dev)
        let idp = try TestDeployment.readIdPSettings(base.merging(settings) { $1 })
        var status = 0
        try await serving({ try buildIdP(settings: idp, services: services, started: $0) }) { port in
            let authority = try idp[FlowSettings.publicURL].text.split(separator: "/")[1]
            status = try await HTTPProbe(port: port, authority: String(authority)).get(path).status
        }
        return status
    }

    @Test(
        "the page of all emails needs the secret word of this start; with any other word, and at the old addresses, it is 404"
    )
    func word() async throws {
        try await TestDeployment.open { deployment in
            let mailbox = deployment.dev.path(of: .mailbox)
            let word = try #require(mailbox.split(separator: "/").dropFirst().first.map(String.init))
            #expect(word.utf8.count >= 16 && Base64URL.decode(word)?.count == 16)
            #expect(try await deployment.browser().get(deployment.origin + mailbox).status == 200)
            #expect(
                try await deployment.browser().get(deployment.origin + deployment.dev.path(of: .links)).status == 200)
            let swapped = String(word.map { Character($0.isUppercase ? $0.lowercased() : $0.uppercased()) })
            let another = try DevPages(randomness: SystemRandomness())
            for path in [
                "/dev/mailbox", "/admin/links", "/dev/links", "/dev/\(word)", "/dev/\(word)/", "/dev/\(word)/other",
                "/dev/\(word)/mailbox/", "/dev/mailbox/x", "\(another.path(of: .mailbox))/x",
                "/dev/\(word.dropLast())/mailbox", "/dev/\(word)A/mailbox", "/dev/\(swapped)/mailbox",
                "/dev/*/mailbox", "/dev/{word}/links", another.path(of: .mailbox), another.path(of: .links),
            ] {
                let page = try await deployment.browser().get(deployment.origin + path)
                #expect(page.status == 404, "\(path)")
                let client = try await deployment.browser().get(deployment.client.origin + path)
                #expect(client.status == 404, "\(path)")
            }
            #expect(try await deployment.browser().get(deployment.client.origin + mailbox).status == 404)
            #expect(!deployment.log.contains(word), "the log does not contain the word")
        }
    }

    /// The status of a path at an IdP that sends its emails.
    static func statusWithRealMail(_ path: String, _ deployment: TestDeployment) async throws -> Int {
        try await status(path, deployment, mailer: RealMail())
    }

    @Test("with SMTP there is no page of emails")
    func realMail() async throws {
        try await TestDeployment.open { deployment in
            let status = try await Self.status(deployment.mailboxPage, deployment, mailer: RealMail())
            #expect(status == 404)
        }
    }

    @Test("on other addresses than loopback there is no mailbox and no link tester, whatever the setting says")
    func elsewhere() async throws {
        try await TestDeployment.open { deployment in
            var settings = ["IDP_PUBLIC_URL": "https://id.example.com", "IDP_MAIL_URL": "smtps://mail.example.com"]
            let outbox = OutboxMailer(folder: deployment.mailbox.folder)
            for setting in ["", "true"] {
                settings["IDP_LINK_TESTER"] = setting
                for path in ["/admin/links", "/dev/links", deployment.mailboxPage, deployment.linkTester] {
                    let there = try await Self.status(path, deployment, settings: settings, mailer: outbox)
                    #expect(there == 404)
                }
            }
            let reader = SettingsReader(SettingsSource(SettingsFixture.idp.merging(settings) { $1 }))
            let read = try #require(IdPSettings.read(reader), "\(reader.problems)")
            #expect(try !DevPagesFeature.showsLinkTester(read), "it is not announced")
            #expect(reader.warnings.contains { $0.hasPrefix("IDP_LINK_TESTER: has no effect, ") })
            let off = ["IDP_LINK_TESTER": "false"]
            let here = try await Self.status(deployment.linkTester, deployment, settings: off, mailer: outbox)
            #expect(here == 404, "it can be disabled here")
        }
    }

    @Test("only existing pages are announced, with their complete addresses")
    func announcement() throws {
        let dev = try DevPages(randomness: SystemRandomness())
        let base = SettingsFixture.idp
        #expect(
            try dev.announcement(of: [.mailbox, .links], at: PublicOrigin("http://localhost:8080"))
                == "Mailbox: http://localhost:8080\(dev.path(of: .mailbox))\n"
                + "Link tester: http://localhost:8080\(dev.path(of: .links))\n")
        #expect(try dev.announcement(of: [], at: PublicOrigin("http://localhost:8080")) == "")
        let settings = try TestDeployment.readIdPSettings(base)
        #expect(try IdPSettings.showsMailbox(settings) && settings[DevPagesFeature.linkTester])
        let mail = ["IDP_MAIL_URL": "smtps://mail.example.com", "IDP_LINK_TESTER": "false"]
        let others = try TestDeployment.readIdPSettings(base.merging(mail) { $1 })
        #expect(try !IdPSettings.showsMailbox(others) && !others[DevPagesFeature.linkTester])
    }

    @Test(
        "emails are shown to this machine only: not through a proxy, and not under another name for it",
        .oneDeployment,
        arguments: [("Host", "evil.example:4000"), ("X-Forwarded-For", "203.0.113.7"), ("Forwarded", "for=1.2.3.4")])
    func rebinding(field: (String, String)) async throws {
        let deployment = try TestDeployment.shared()
        let isHost = field.0 == "Host"
        let probe = HTTPProbe(port: deployment.port, authority: isHost ? field.1 : "localhost:4000")
        let fields: HTTPProbe.Headers = isHost ? [] : [field]
        let reply = try await probe.get(deployment.dev.path(of: .mailbox), fields)
        #expect(reply.status == 404)
    }

    @Test(
        "other development, status and admin paths do not exist",
        .oneDeployment,
        arguments: ["/dev", "/dev/", "/debug", "/metrics", "/status", "/test", "/admin", "/actuator/health", "/.env"])
    func others(path: String) async throws {
        let deployment = try TestDeployment.shared()
        for origin in [deployment.origin, deployment.client.origin] {
            let visit = try await deployment.browser().get(origin + path)
            #expect(visit.status == 404)
        }
    }
}
