import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

/// `check --connect --mail-to` against servers that are right and wrong: the setting, host and port, and the reason.
@Suite("Trying the configured mail server", .deployment, .dependsOnMachine)
struct MailServerCheckTests {
    /// - Parameters:
    ///   - mailer: nil for the one of the URL.
    ///   - seconds: its timeouts.
    private static func run(
        _ url: String, mailer: SMTPMailer? = nil, seconds: Double = 10
    ) async throws -> (problems: [String], lines: [String]) {
        guard case .smtp(let endpoint) = try MailURL.parse(url) else { throw ProbeFailure("URL") }
        let timeouts = SMTPMailer.Timeouts(
            connect: .seconds(seconds), upload: .seconds(seconds), answer: .seconds(seconds))
        let check = MailServerCheck(
            mail: .smtp(endpoint), mailer: mailer ?? SMTPMailer(endpoint, caFile: nil, timeouts: timeouts),
            from: try MailFrom("sign-in@example.com"), issuer: try PublicOrigin("https://id.example.com"))
        let reader = SettingsReader(SettingsSource([:]))
        let recipient = try EmailAddress("me@example.com")
        if await check.connect(reader) {
            await check.send(to: recipient, at: Timestamp(milliseconds: 1_795_232_129_123), id: "check-1", reader)
        }
        return (reader.problems, reader.lines.map { "\($0.name) \($0.shown)" })
    }

    @Test(
        "a server with a trusted certificate takes the email", .enabled(if: SMTPServer.isInstalled),
        arguments: ["smtp", "smtps"])
    func right(scheme: String) async throws {
        let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: scheme == "smtps")
        let url = "\(scheme)://127.0.0.1:\(server.port)"
        let result = try await Self.run(url, mailer: server.mailer(scheme: scheme, trusts: true))
        #expect(result.problems == [])
        #expect(result.lines.contains { $0.hasPrefix("connect IDP_MAIL_URL ") && $0.contains("trusted certificate") })
        #expect(result.lines.contains("email to me@example.com accepted by \(url)"))
        let arrived = Mailbox(folder: server.folder.path(of: "maildir/new")).all(to: "me@example.com")
        #expect(arrived.count == 1 && arrived.first?.text.contains("Test email from id.example.com") == true)
    }

    @Test(
        "a server with a wrong certificate gets no email, and the reason says what is wrong with it",
        .enabled(if: SMTPServer.isInstalled))
    func wrongCertificate() async throws {
        let server = try await TLSMailServer.start(names: "DNS:mail.example.com")
        for (trusts, words) in [
            (true, "its certificate is for another host"), (false, "its certificate is not trusted"),
        ] {
            let url = "smtp://127.0.0.1:\(server.port)"
            let result = try await Self.run(url, mailer: server.mailer(trusts: trusts))
            #expect(result.problems.count == 1)
            #expect(result.problems.first?.hasPrefix("IDP_MAIL_URL: \(url): \(words)") == true, "\(result.problems)")
        }
        #expect(Mailbox(folder: server.folder.path(of: "maildir/new")).all(to: "me@example.com").isEmpty)
    }

    @Test(
        "a refused login, sender or recipient is named with host, port, reply code and the server's words, without the login",
        arguments: [
            (
                ["EHLO": "250-scripted\r\n250 AUTH PLAIN", "AUTH": "535 no ann s3cret"],
                "it refuses the login with 535: no *** ***"
            ),
            (
                ["EHLO": "250-s\r\n250 AUTH PLAIN", "RCPT": "550 no me@x here"],
                "): no *** here"
            ),
            (
                ["EHLO": "250-s\r\n250 AUTH PLAIN", "RCPT": "451 later"],
                "the mail server deferred the recipient with 451"
            ),
            (["EHLO": "250-s\r\n250 AUTH PLAIN", "MAIL": "550 not you"], "it refuses the sender with 550: not you"),
            (["EHLO": "250-s\r\n250 AUTH PLAIN", ".": "554 spam"], "the mail server refused the email with 554"),
        ])
    func refused(replies: [String: String], words: String) async throws {
        let server = try ScriptedSMTPServer(replies)
        let result = try await Self.run("smtp://ann:s3cret@127.0.0.1:\(server.port)")
        #expect(result.problems.count == 1)
        let problem = try #require(result.problems.first)
        #expect(problem.hasPrefix("IDP_MAIL_URL: smtp://ann:***@127.0.0.1:\(server.port): "), "\(problem)")
        #expect(problem.contains(words), "\(problem)")
        #expect(!problem.contains("s3cret") && !problem.contains("me@x"))
    }

    @Test("a silent server and a closed port are reported after a short wait")
    func silent() async throws {
        let server = try ScriptedSMTPServer(isSilent: true)
        let silent = try await Self.run(server.url, seconds: 0.3)
        #expect(silent.problems.count == 1)
        #expect(
            silent.problems.first?.hasPrefix("IDP_MAIL_URL: \(server.url): it does not answer in time") == true,
            "\(silent.problems)")
        let port = try FreePort.find()
        let closed = try await Self.run("smtp://127.0.0.1:\(port)")
        #expect(
            closed.problems.first?.hasPrefix("IDP_MAIL_URL: smtp://127.0.0.1:\(port): it refuses the connection")
                == true)
    }

    @Test("an operator waits at most ten seconds for a step of the server")
    func timeouts() throws {
        let values = SettingsFixture.idp.merging(["IDP_MAIL_URL": "smtp://127.0.0.1:1"]) { $1 }
        let check = try #require(try MailServerCheck(TestDeployment.readIdPSettings(values)))
        let mailer = try #require(check.mailer as? SMTPMailer)
        let timeouts = mailer.settings.timeouts
        #expect([timeouts.connect, timeouts.upload, timeouts.answer].allSatisfy { $0 <= .seconds(10) })
    }
}
