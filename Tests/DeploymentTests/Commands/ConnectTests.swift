import Foundation
import Testing

@testable import Counterparts
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

/// `check --connect`: reports what would make the first sign-in fail.
@Suite("Connecting to the servers that the settings name", .deployment)
struct ConnectTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func check(
        _ name: String, _ changes: [String: String], options: [String] = ["--connect"], endsWith code: Int32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProgramProcess {
        let base = name == "idp" ? SettingsFixture.idp : SettingsFixture.client
        let prefix = name == "idp" ? "IDP" : "RP"
        let program = ProgramProcess(
            name, ["check"] + options,
            environment: base.merging([
                "\(prefix)_DATABASE_URL": "sqlite:\(folder.path(of: "\(name).sqlite"))",
                "\(prefix)_LISTEN": "127.0.0.1:0",
            ]) { $1 }.merging(changes) { $1 }, folder: try TemporaryFolder())
        let exit = try await program.run()
        #expect(exit == .code(code), "\(program.output)", sourceLocation: sourceLocation)
        return program
    }

    @Test("a mail server that accepts the login passes, and gets no email")
    func mail() async throws {
        let server = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN"])
        let url = "smtp://ann:s3cret-word@127.0.0.1:\(server.port)"
        let program = try await check(
            "idp", ["IDP_MAIL_URL": url, "IDP_MAIL_EHLO": "idp.example.com"], endsWith: 0)
        #expect(program.printed.contains("login accepted"))
        #expect(!program.output.contains("s3cret-word"))
        #expect(server.lines.first == "EHLO idp.example.com")
        #expect(server.lines.contains { $0.hasPrefix("MAIL FROM:<") } && server.lines.last == "QUIT")
        #expect(!server.lines.contains("DATA") && program.printed.hasSuffix("All settings are fine.\n"))
    }

    @Test("a name in EHLO without a dot is a warning, also where no server is called, and names what to write")
    func shortName() async throws {
        let server = try ScriptedSMTPServer()
        let names = ["IDP_MAIL_URL": server.url, "IDP_MAIL_EHLO": "vm", "IDP_MAIL_FROM": "a@example.com"]
        for options in [[], ["--connect"]] {
            let program = try await check("idp", names, options: options, endsWith: 0)
            #expect(program.log.contains("warning: IDP_MAIL_EHLO: the name \"vm\" has no dot"), "\(program.log)")
            #expect(program.log.contains("IDP_MAIL_EHLO=example.com"), "\(program.log)")
            #expect(program.printed.hasSuffix("No problems. 1 warning.\n"), "\(program.printed)")
        }
        let outbox = names.merging(["IDP_MAIL_URL": "outbox:\(folder.path)"]) { $1 }
        let program = try await check("idp", outbox, options: [], endsWith: 0)
        #expect(program.printed.hasSuffix("All settings are fine.\n"), "\(program.output)")
    }

    @Test("--mail-to sends one test email through the configured server, and the last line counts no problem")
    func testEmail() async throws {
        let server = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN"])
        let url = "smtp://ann:s3cret-word@127.0.0.1:\(server.port)"
        for options in [["--mail-to", "me@example.com"], ["--connect", "--mail-to", "me@example.com"]] {
            let program = try await check(
                "idp", ["IDP_MAIL_URL": url, "IDP_MAIL_EHLO": "idp.example.com"], options: options, endsWith: 0)
            #expect(
                program.printed.contains("accepted by smtp://ann:***@127.0.0.1:\(server.port)"), "\(program.output)")
            #expect(program.printed.hasSuffix("All settings are fine.\n"))
            #expect(!program.output.contains("s3cret-word"))
        }
        #expect(server.lines.count { $0 == "RCPT TO:<me@example.com>" } == 2)
        #expect(server.lines.contains("Subject: Test email from localhost"))
        #expect(server.lines.contains { $0.contains("idp check --mail-to") })
    }

    @Test("--mail-to reports a refused recipient with host, port and reason, and ends with 1")
    func refusedRecipient() async throws {
        let server = try ScriptedSMTPServer(["RCPT": "550 me@example.com is unknown"])
        let program = try await check(
            "idp", ["IDP_MAIL_URL": server.url, "IDP_MAIL_EHLO": "idp.example.com"],
            options: ["--mail-to", "me@example.com"], endsWith: 1)
        let words =
            "IDP_MAIL_URL: \(server.url): no test email was sent to me@example.com: the mail server refused the recipient with 550"
        #expect(program.log.contains(words), "\(program.log)")
        #expect(program.printed.hasSuffix("1 problem.\n"))
    }

    @Test("--mail-to writes into an outbox; with a wrong setting no email is sent; a text that is no address is usage")
    func otherTestEmails() async throws {
        let outbox = try folder.folder("outbox")
        let options = ["--mail-to", "me@example.com"]
        _ = try await check("idp", ["IDP_MAIL_URL": "outbox:\(outbox)"], options: options, endsWith: 0)
        #expect(Mailbox(folder: outbox).all(to: "me@example.com").count == 1)
        let wrong = try await check(
            "idp", ["IDP_MAIL_URL": "outbox:\(outbox)", "IDP_MAIL_FROM": "nobody"], options: options, endsWith: 1)
        #expect(wrong.log.contains("--mail-to: no email was sent because a setting is wrong"))
        #expect(Mailbox(folder: outbox).all(to: "me@example.com").count == 1)
        for bad in ["me", "me@example.com, you@example.com"] {
            let usage = try await check("idp", [:], options: ["--mail-to", bad], endsWith: 64)
            #expect(usage.log.contains("is not an email address"), "\(usage.log)")
        }
    }

    @Test("without --connect no server is called")
    func quiet() async throws {
        let server = try ScriptedSMTPServer()
        let program = ProgramProcess(
            "idp", ["check"],
            environment: SettingsFixture.idp.merging([
                "IDP_MAIL_URL": server.url, "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
                "IDP_LISTEN": "127.0.0.1:0",
            ]) { $1 }, folder: folder)
        #expect(try await program.run() == .code(0))
        #expect(server.lines.isEmpty)
    }

    @Test(
        "a refused login, a login that the server does not offer, and a server that accepts no email are reported",
        arguments: [
            (["EHLO": "250-scripted\r\n250 AUTH PLAIN", "AUTH": "535 go away"], "refuses the login with 535"),
            (["EHLO": "250 scripted"], "offers no login"), (["greeting": "554 not you"], "answers with 554"),
            (["MAIL": "550 no"], "refuses the sender with 550"),
        ])
    func refused(replies: [String: String], words: String) async throws {
        let server = try ScriptedSMTPServer(replies)
        let url = "smtp://ann:s3cret-word@127.0.0.1:\(server.port)"
        let program = try await check("idp", ["IDP_MAIL_URL": url], endsWith: 1)
        #expect(program.log.contains("error: IDP_MAIL_URL: ") && program.log.contains(words), "\(program.log)")
        #expect(!program.output.contains("s3cret-word"))
    }

    @Test("a name that cannot be resolved and a port without a server are reported")
    func unreachable() async throws {
        let port = try FreePort.find()
        let closed = try await check("idp", ["IDP_MAIL_URL": "smtp://127.0.0.1:\(port)"], endsWith: 1)
        #expect(closed.log.contains("refuses the connection"), "\(closed.log)")
        let unknown = try await check("idp", ["IDP_MAIL_URL": "smtp://mail.invalid:25"], endsWith: 1)
        #expect(unknown.log.contains("name cannot be resolved"), "\(unknown.log)")
    }

    @Test("an outbox is a folder and passes; with a wrong setting no server is called")
    func outbox() async throws {
        let program = try await check("idp", ["IDP_MAIL_URL": "outbox:\(folder.path)"], endsWith: 0)
        #expect(program.printed.contains("outbox folder \(folder.path)"))
        let wrong = try await check("idp", ["IDP_MAIL_FROM": "nobody"], endsWith: 1)
        #expect(wrong.log.contains("no server was contacted"))
    }

    @Test("the relying party gets an answer from the IdP over the back channel, with the certificates of RP_CA_FILE")
    func backChannel() async throws {
        let deployment = try await TestCA.make()
        let server = try await deployment.serve("good")
        defer { server.stop() }
        let settings = [
            "RP_IDP_BACKCHANNEL_URL": "https://localhost:\(server.port)", "RP_CA_FILE": deployment.path("ca.pem"),
        ]
        // The stand-in knows no client: that is the only problem.
        let fine = try await check("relying-party", settings, endsWith: 1)
        #expect(fine.log.contains("error: SSO_SHARED_SECRET: ") && fine.printed.hasSuffix("1 problem.\n"))
        #expect(fine.printed.contains("the identity provider answers at https://localhost:\(server.port)"))
        let untrusted = try await check("relying-party", settings.filter { $0.key != "RP_CA_FILE" }, endsWith: 1)
        #expect(untrusted.log.contains("its certificate is not trusted"), "\(untrusted.log)")
    }

    @Test(
        "every problem of the other end of the back channel is reported",
        arguments: [
            ("wrong-host", "its certificate is for another host"), ("expired", "its certificate is not trusted"),
            ("self-signed", "its certificate is not trusted"), ("wrong-ca", "its certificate is not trusted"),
        ])
    func badCertificate(name: String, words: String) async throws {
        let deployment = try await TestCA.make()
        let server = try await deployment.serve(name)
        defer { server.stop() }
        let program = try await check(
            "relying-party",
            ["RP_IDP_BACKCHANNEL_URL": "https://localhost:\(server.port)", "RP_CA_FILE": deployment.path("ca.pem")],
            endsWith: 1)
        #expect(program.log.contains("error: RP_IDP_BACKCHANNEL_URL: https://localhost:\(server.port): "))
        #expect(program.log.contains(words), "\(program.log)")
    }

    @Test("a back channel without a name, without a server, or with the wrong server is reported")
    func otherEnd() async throws {
        let port = try FreePort.find()
        let stub = try BackChannelStub { _ in .bytes(BackChannelFixture.http("404 Not Found", [], Array("ok".utf8))) }
        defer { stub.stop() }
        let down = try BackChannelStub { _ in .bytes(BackChannelFixture.http("502 Bad Gateway", [], [])) }
        defer { down.stop() }
        for (url, words) in [
            ("https://idp.invalid", "name cannot be resolved"), ("http://127.0.0.1:\(port)", "refuses the connection"),
            (stub.origin, "answers with status 404"), (down.origin, "answers with status 502"),
        ] {
            let program = try await check("relying-party", ["RP_IDP_BACKCHANNEL_URL": url], endsWith: 1)
            #expect(program.log.contains(words), "\(program.log)")
        }
    }
}

/// `relying-party check --connect` beside a running IdP.
@Suite("What the identity provider says of a client's settings", .deployment)
struct RegistrationCheckTests {
    @Test(
        "a wrong secret, an unknown client and a redirect URI that is not registered are named; right ones are confirmed"
    )
    func registration() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let right = pair.client.process.settings.merging([
                "RP_DATABASE_URL": "sqlite:\(pair.folder.path(of: "other.sqlite"))", "RP_LISTEN": "127.0.0.1:0",
            ]) { $1 }
            func check(_ changes: [String: String], endsWith code: Int32) async throws -> String {
                let program = ProgramProcess(
                    "relying-party", ["check", "--connect"], environment: right.merging(changes) { $1 },
                    folder: try TemporaryFolder())
                #expect(try await program.run() == .code(code), "\(program.output)")
                return program.output
            }
            #expect(try await check([:], endsWith: 0).contains("\(pair.client.id), and its secret is right"))
            let secret = try await check(["SSO_SHARED_SECRET": TestSecret.new()], endsWith: 1)
            #expect(secret.contains("SSO_SHARED_SECRET: the identity provider has another one"))
            let client = try await check(["SSO_CLIENT_ID": "other"], endsWith: 1)
            #expect(client.contains("or does not know this client"))
            let address = try await check(["RP_PUBLIC_URL": "http://127.0.0.77:4000"], endsWith: 1)
            #expect(address.contains("http://127.0.0.77:4000/auth/sso/callback is not registered"))
        }
    }
}
