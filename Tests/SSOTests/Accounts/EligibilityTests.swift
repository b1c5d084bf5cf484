import ProbeKit
import Testing

@testable import IdPClients
@testable import IdPDevPages
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// ASVS 8.3.2: a permission taken from an account is gone with its next request.
@Suite("Who may sign in is checked at every use", .program, .alsoOnPostgres)
struct EligibilityTests {
    /// The IdP of `deployment`, restarted on the same database with another `IDP_ALLOWED_EMAILS`.
    private static func restarted(
        _ deployment: TestDeployment, allowing allowed: String, _ body: (_ port: UInt16) async throws -> Void
    ) async throws {
        let file = deployment.folder.path(of: "clients.yaml")
        let settings = try TestDeployment.readIdPSettings([
            "IDP_PUBLIC_URL": deployment.origin, "IDP_LISTEN": "127.0.0.1:0", "IDP_SECRET_KEY": key,
            "IDP_MAIL_URL": "outbox:\(deployment.mailbox.folder)", "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": allowed, "IDP_CLIENTS_FILE": file,
        ])
        let services = IdPServices(
            ProgramServices(
                database: deployment.database, clock: deployment.clock.clock, logger: deployment.log.logger("idp")),
            mailer: OutboxMailer(folder: deployment.mailbox.folder),
            devPages: try DevPages(randomness: SystemRandomness()))
        try await serving({ try buildIdP(settings: settings, services: services, started: $0) }, body)
    }

    private static let key = TestSecret.new()

    private static func verify(_ token: String, at port: UInt16, _ deployment: TestDeployment) async throws
        -> ProbeReply
    {
        let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
        return try await HTTPProbe(port: port, authority: "localhost:4000").post(
            SSOPath.verify, try deployment.signed(body, by: deployment.client), body: body)
    }

    @Test("an address removed from the setting is signed out everywhere immediately; the others are not")
    func takenOut() async throws {
        try await TestDeployment.open(settings: ["IDP_SECRET_KEY": Self.key]) { deployment in
            let (ann, bob) = (try await deployment.signedIn(), try await deployment.signedIn(as: "bob@example.com"))
            try await Self.restarted(deployment, allowing: "bob@example.com") { port in
                let routes = [deployment.origin: port]
                let (after, other) = (ann.twin(routes: routes), bob.twin(routes: routes))
                #expect(try await !after.isSignedInOnHomePage(of: deployment))
                #expect(try await after.get(deployment.authorize(deployment.client, state: "s")).status == 303)
                #expect(try await after.get(deployment.origin + "/sign-in").status == 200)
                let form = try await after.get(deployment.origin + "/")
                #expect(!form.text.contains("ann@example.com"))
                #expect(try await other.isSignedInOnHomePage(of: deployment))
                #expect(try await other.get(deployment.authorize(deployment.client, state: "s")).status == 200)
            }
            // What has ended stays ended: after the address is back in the setting, the user signs in once more.
            #expect(try await !ann.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test(
        "its token is refused like one of a user who has signed out, and stays void when the address is allowed again")
    func token() async throws {
        try await TestDeployment.open(settings: ["IDP_SECRET_KEY": Self.key]) { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let bobs = try await deployment.signedIn(as: "bob@example.com").token(
                for: deployment.client, of: deployment)
            try await Self.restarted(deployment, allowing: "bob@example.com") { port in
                let reply = try await Self.verify(token, at: port, deployment)
                #expect(reply.error == "invalid_token" && reply.explanation?.contains("has signed out") == true)
                #expect(try await Self.verify(bobs, at: port, deployment).status == 200)
            }
            #expect(deployment.log.contains("account_not_allowed"))
            #expect(try await deployment.stored.grants.voided.count() == 1)
            #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
        }
    }

    @Test("a code sent before does not work after, and makes no account")
    func code() async throws {
        try await TestDeployment.open(settings: ["IDP_SECRET_KEY": Self.key]) { deployment in
            let asking = try await deployment.asking()
            try await Self.restarted(deployment, allowing: "bob@example.com") { port in
                let browser = asking.browser.twin(routes: [deployment.origin: port])
                let late = PendingCode(browser: browser, waiting: asking.waiting, code: asking.code)
                let answer = try await late.guess(late.code)
                #expect(answer.status == 403)
                #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            }
            #expect(try await deployment.rows(of: "account") == 0)
            // The code was not used up either.
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("an account alone is not enough: an address outside the setting gets no email, with or without an account")
    func noEmail() async throws {
        try await TestDeployment.open(settings: ["IDP_SECRET_KEY": Self.key]) { deployment in
            _ = try await deployment.signedIn()
            deployment.clock.advance(by: .days(2))
            let before = try await deployment.emailsQueued()
            try await Self.restarted(deployment, allowing: "bob@example.com") { port in
                let browser = Browser(routes: [deployment.origin: port])
                let waiting = try await deployment.waiting(for: "ann@example.com", by: browser)
                #expect(waiting.status == 200)
            }
            #expect(try await deployment.emailsQueued() <= before)
        }
    }

    @Test("disabling and signing out apply from the next request, and enabling restores no session or token")
    func administration() async throws {
        try await TestDeployment.open { deployment in
            let changes: [(String, any OperatorChange)] = [
                ("ann@example.com", DisableUser("ANN@EXAMPLE.COM")),
                ("bob@example.com", SignOutUser("BOB@EXAMPLE.COM")),
            ]
            for (address, change) in changes {
                let browser = try await deployment.signedIn(as: address)
                let token = try await browser.token(for: deployment.client, of: deployment, state: "token")
                let bystander = try await deployment.signedIn(as: "eve@example.com")
                #expect(try await deployment.isChanged(by: change))
                #expect(try await !browser.isSignedInOnHomePage(of: deployment))
                #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
                #expect(try await bystander.isSignedInOnHomePage(of: deployment))
                _ = try await deployment.change(EnableUser(address))
                #expect(try await !browser.isSignedInOnHomePage(of: deployment))
                #expect(try await deployment.verify(token, as: deployment.client).error == "invalid_token")
                deployment.clock.advance(by: .hours(1))
                let again = try await deployment.signedIn(as: address)
                #expect(try await again.isSignedInOnHomePage(of: deployment))
                let fresh = try await again.token(for: deployment.client, of: deployment, state: "fresh")
                #expect(try await deployment.verify(fresh, as: deployment.client).status == 200)
                deployment.clock.advance(by: .hours(1))
            }
        }
    }

    @Test("a session from before this number existed continues, until its account is signed out")
    func oldSession() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.stored.sessions.replace(#","signOuts":0"#, with: "")
            try await deployment.stored.sessions.replace(#""signOuts":0,"#, with: "")
            #expect(try await deployment.stored.sessions.holding("signOuts").count() == 0)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            _ = try await deployment.change(SignOutUser("ann@example.com"))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("without an account for the address a change is refused, and nothing changes")
    func unknown() async throws {
        try await TestDeployment.open { deployment in
            let refusal = try await deployment.refusal(of: DisableUser("nobody@example.com"))
            let found = " idp user list --search TEXT finds accounts."
            #expect(refusal == "there is no account with the address nobody@example.com." + found)
            #expect(try await deployment.rows(of: "account") == 0)
            #expect(try await deployment.stored.audit.of("user_changed").count() == 0)
        }
    }
}
