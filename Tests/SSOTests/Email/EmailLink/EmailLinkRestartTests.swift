import SSOShared
import SSOWeb
import Testing

@testable import IdPDevPages
@testable import IdPMail
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The link in the email after a restart", .program, .alsoOnPostgres)
struct EmailLinkRestartTests {
    /// The IdP of `deployment`, started again on the same database with these secrets.
    private static func restarted(
        _ deployment: TestDeployment, secret: String, _ body: (_ port: UInt16) async throws -> Void
    ) async throws {
        let settings = try TestDeployment.readIdPSettings([
            "IDP_PUBLIC_URL": deployment.origin, "IDP_LISTEN": "127.0.0.1:0", "IDP_SECRET_KEY": secret,
            "IDP_MAIL_URL": "outbox:\(deployment.mailbox.folder)", "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com", "IDP_CLIENTS_FILE": deployment.folder.path(of: "clients.yaml"),
        ])
        let services = IdPServices(
            ProgramServices(
                database: deployment.database, clock: deployment.clock.clock, logger: deployment.log.logger("idp")),
            mailer: OutboxMailer(folder: deployment.mailbox.folder),
            devPages: try DevPages(randomness: SystemRandomness()))
        try await serving({ try buildIdP(settings: settings, services: services, started: $0) }, body)
    }

    private static let (old, new) = (TestSecret.new(), TestSecret.new())

    @Test(
        "it works, also with a new secret before the old one; without the old one it is a damaged link",
        arguments: [(old, true), ("\(new),\(old)", true), (new, false)])
    func restart(secret: String, works: Bool) async throws {
        try await TestDeployment.open(settings: ["IDP_SECRET_KEY": Self.old]) { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let before = try await asking.open()
            try await Self.restarted(deployment, secret: secret) { port in
                let browser = asking.browser.twin(routes: [deployment.origin: port])
                let page = try await asking.open(in: browser)
                #expect(page.status == (works ? 200 : 410))
                if works {
                    // Also the page from before the restart.
                    let complete = try await browser.follow(asking.press(before, in: browser))
                    #expect(try complete.callback().absolute.hasPrefix(deployment.client.callback))
                }
                #expect(try await deployment.usedChallenges() == (works ? 1 : 0))
            }
        }
    }
}
