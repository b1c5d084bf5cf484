import Foundation
import SSOShared
import Testing

@testable import IdP

/// Python's aiosmtpd with a certificate of the test's own.
private struct TLSMailServer {
    let folder: TemporaryFolder
    let port: UInt16
    private let child: ChildProcess

    /// - Parameters:
    ///   - names: of the certificate, such as `IP:127.0.0.1`.
    ///   - isSMTPS: TLS from the first byte rather than by STARTTLS.
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

    var arrived: Int { Letters(folder: folder.path(of: "maildir/new")).all(to: "ann@partner.example").count }
}

@Suite("Sending by SMTP over TLS", .enabled(if: SMTPServer.isInstalled))
struct SMTPMailerTLSTests {
    @Test("STARTTLS and smtps with a certificate that is trusted and names the host", arguments: [false, true])
    func trusted(isSMTPS: Bool) async throws {
        let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: isSMTPS)
        try await server.mailer(scheme: isSMTPS ? "smtps" : "smtp", trusts: true).send(try Letter.example())
        #expect(server.arrived == 1)
    }

    @Test("an unknown authority gets nothing", arguments: [false, true])
    func untrusted(isSMTPS: Bool) async throws {
        let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: isSMTPS)
        let failure = await #expect(throws: MailFailure.self) {
            try await server.mailer(scheme: isSMTPS ? "smtps" : "smtp", trusts: false).send(try Letter.example())
        }
        #expect(try #require(failure).description.contains("certificate is not acceptable"))
        #expect(server.arrived == 0)
    }

    @Test("`check --connect` sees the same: fine, not trusted, of another host, no STARTTLS")
    func probe() async throws {
        let from = try MailFrom("sign-in@example.com")
        for isSMTPS in [false, true] {
            let server = try await TLSMailServer.start(names: "IP:127.0.0.1", isSMTPS: isSMTPS)
            let scheme = isSMTPS ? "smtps" : "smtp"
            let words = try await server.mailer(scheme: scheme, trusts: true).probe(from: from)
            #expect(words.contains("TLS with a trusted certificate"))
            let fault = await #expect(throws: ConnectionError.self) {
                try await server.mailer(scheme: scheme, trusts: false).probe(from: from)
            }
            #expect(fault?.description.contains("its certificate is not trusted") == true)
            #expect(server.arrived == 0)
        }
        let other = try await TLSMailServer.start(names: "DNS:mail.example.com")
        let fault = await #expect(throws: ConnectionError.self) {
            try await other.mailer(trusts: true).probe(from: from)
        }
        #expect(fault?.description.contains("its certificate is for another host") == true)

        let plain = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN"])
        guard case .smtp(let endpoint) = try MailURL.parse("smtp://ann:pass@127.0.0.1:\(plain.port)") else { return }
        let stripped = await #expect(throws: ConnectionError.self) {
            try await SMTPMailer(endpoint, requiresTLS: true, caFile: nil).probe(from: from)
        }
        #expect(stripped?.description.contains("offers no STARTTLS") == true)
        #expect(!plain.lines.contains { $0.hasPrefix("AUTH") })
    }

    @Test("a certificate of another host gets nothing")
    func wrongHost() async throws {
        let server = try await TLSMailServer.start(names: "DNS:mail.example.com")
        let failure = await #expect(throws: MailFailure.self) {
            try await server.mailer(trusts: true).send(try Letter.example())
        }
        #expect(try #require(failure).description.contains("certificate is not acceptable"))
        #expect(server.arrived == 0)
    }
}
