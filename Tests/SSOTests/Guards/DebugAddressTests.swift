import Hummingbird
import HummingbirdTesting
import SSOShared
import SSOWeb
import Testing

@testable import IdP

/// What helps on one's own machine is not there anywhere else (ASVS 15.2.3).
@Suite("Addresses for trials")
struct DebugAddressTests {
    /// Stands for any way of sending letters but the outbox folder.
    private struct RealMail: Mailer {
        func send(_ letter: Letter) async throws(MailFailure) {}
    }

    @Test("the page of all letters exists with the outbox folder, and with real mail it does not")
    func mailbox() async throws {
        try await House.open { house in
            #expect(try await house.visitor().get(house.origin + "/dev/mailbox").status == 200)
            let partner = try await house.visitor().get(house.partner.origin + "/dev/mailbox")
            #expect(partner.status == 404)
            let settings = try House.readIdPSettings([
                "IDP_SECRET_KEY": ProgramPair.secret(), "IDP_MAIL_URL": "outbox:\(house.letters.folder)",
                "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            ])
            let services = IdPServices(
                database: house.database, mailer: RealMail(), clock: house.clock.clock, randomness: SystemRandomness(),
                logger: house.log.logger("idp"))
            try await buildIdP(settings: settings, services: services).test(.router) { client in
                try await client.execute(uri: "/dev/mailbox", method: .get) {
                    #expect($0.status == .notFound)
                }
            }
        }
    }

    @Test(
        "letters are shown to this machine only: not through a proxy, and not under another name for it",
        arguments: [("Host", "evil.example:4000"), ("X-Forwarded-For", "203.0.113.7"), ("Forwarded", "for=1.2.3.4")])
    func rebinding(field: (String, String)) async throws {
        try await House.open { house in
            let isHost = field.0 == "Host"
            let probe = HTTPProbe(port: house.port, authority: isHost ? field.1 : "localhost:4000")
            let fields: HTTPProbe.Headers = isHost ? [] : [field]
            let reply = try await probe.get("/dev/mailbox", fields)
            #expect(reply.status == 404)
        }
    }

    @Test(
        "nothing else answers that a visitor has no business with",
        arguments: ["/dev", "/dev/", "/debug", "/metrics", "/status", "/test", "/admin", "/actuator/health", "/.env"])
    func others(path: String) async throws {
        try await House.open { house in
            for origin in [house.origin, house.partner.origin] {
                let visit = try await house.visitor().get(origin + path)
                #expect(visit.status == 404)
            }
        }
    }
}
