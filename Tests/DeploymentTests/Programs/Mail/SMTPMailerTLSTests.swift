import Foundation
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import TestKit

/// Python's aiosmtpd with a certificate of the test.
struct TLSMailServer {
    let folder: TemporaryFolder
    let port: UInt16
    private let child: ChildProcess

    /// - Parameters:
    ///   - names: the names of the certificate, such as `IP:127.0.0.1`.
    ///   - isSMTPS: TLS from the first byte instead of STARTTLS.
    static func start(names: String, isSMTPS: Bool = false) async throws -> TLSMailServer {
        let folder = try TemporaryFolder()
        let make = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=mail", "-addext", "subjectAltName=\(names)", "-keyout", "key.pem", "-out", "cert.pem",
            ],
            environment: ["PATH": "/usr/bin:/bin"], folder: folder.path, standardOutput: folder.path(of: "openssl.out"),
            standardError: folder.path(of: "openssl.err"))
        guard try await make.waitForExit() == .code(0) else { throw ProbeFailure(folder.text(of: "openssl.err")) }
        let port = try FreePort.find()
        let kind = isSMTPS ? "smtps" : "tls"
        let child = try ChildProcess(
            "/usr/bin/python3",
            [
                "-m", "aiosmtpd", "-n", "-l", "127.0.0.1:\(port)", "--\(kind)cert", "cert.pem", "--\(kind)key",
                "key.pem",
                "-c", "aiosmtpd.handlers.Mailbox", folder.path(of: "maildir"),
            ],
            environment: ["PATH": "/usr/bin:/bin"], folder: folder.path, standardOutput: folder.path(of: "smtp.out"),
            standardError: folder.path(of: "smtp.err"))
        try await eventually("the SMTP server accepts") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("aiosmtpd ended: \(exit) \(folder.text(of: "smtp.err"))") }
            return (try? HTTPConnection(host: "127.0.0.1", port: port)).map { _ in () }
        }
        return TLSMailServer(folder: folder, port: port, child: child)
    }

    func mailer(scheme: String = "smtp", host: String = "127.0.0.1", trusts: Bool) throws -> SMTPMailer {
        guard case .smtp(let endpoint) = try MailURL.parse("\(scheme)://\(host):\(port)") else {
            throw ProbeFailure("URL")
        }
        return SMTPMailer(endpoint, requiresTLS: true, caFile: trusts ? folder.path(of: "cert.pem") : nil)
    }

    var arrived: Int { Mailbox(folder: folder.path(of: "maildir/new")).all(to: "ann@client.example").count }
}

@Suite("Sending by SMTP over TLS", .deployment, .dependsOnMachine, .enabled(if: SMTPServer.isInstalled))
struct SMTPMailerTLSTests {
    @Test("STARTTLS and smtps work with a trusted certificate that names the host", arguments: [false, true])
    func trusted(isSMTPS: Bool) async throws {
        let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: isSMTPS)
        try await server.mailer(scheme: isSMTPS ? "smtps" : "smtp", trusts: true).send(try EmailMessage.example())
        #expect(server.arrived == 1)
    }

    @Test("a server of an unknown authority receives no email", arguments: [false, true])
    func untrusted(isSMTPS: Bool) async throws {
        let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: isSMTPS)
        let failure = await #expect(throws: MailError.self) {
            try await server.mailer(scheme: isSMTPS ? "smtps" : "smtp", trusts: false).send(try EmailMessage.example())
        }
        #expect(try #require(failure).description.contains("certificate is not acceptable"))
        #expect(server.arrived == 0)
    }

    @Test("`check --connect` reports the same results: valid, untrusted, wrong host, no STARTTLS")
    func probe() async throws {
        let from = try MailFrom("sign-in@example.com")
        for isSMTPS in [false, true] {
            let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: isSMTPS)
            let scheme = isSMTPS ? "smtps" : "smtp"
            let words = try await server.mailer(scheme: scheme, trusts: true).probe(from: from)
            #expect(words.contains("TLS with a trusted certificate"))
            let error = await #expect(throws: ConnectionError.self) {
                try await server.mailer(scheme: scheme, trusts: false).probe(from: from)
            }
            #expect(error?.description.contains("its certificate is not trusted") == true)
            #expect(server.arrived == 0)
        }
        let other = try await TLSMailServer.start(names: "DNS:mail.example.com")
        let error = await #expect(throws: ConnectionError.self) {
            try await other.mailer(trusts: true).probe(from: from)
        }
        #expect(error?.description.contains("its certificate is for another host") == true)

        let plain = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN"])
        guard case .smtp(let endpoint) = try MailURL.parse("smtp://ann:pass@127.0.0.1:\(plain.port)") else { return }
        let stripped = await #expect(throws: ConnectionError.self) {
            try await SMTPMailer(endpoint, requiresTLS: true, caFile: nil).probe(from: from)
        }
        #expect(stripped?.description.contains("offers no STARTTLS") == true)
        #expect(!plain.lines.contains { $0.hasPrefix("AUTH") })
    }

    @Test("a server with the certificate of another host receives no email")
    func wrongHost() async throws {
        let server = try await TLSMailServer.start(names: "DNS:mail.example.com")
        let failure = await #expect(throws: MailError.self) {
            try await server.mailer(trusts: true).send(try EmailMessage.example())
        }
        #expect(try #require(failure).description.contains("certificate is not acceptable"))
        #expect(server.arrived == 0)
    }
}
