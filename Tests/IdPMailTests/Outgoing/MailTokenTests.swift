import Foundation
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import SSOShared
@testable import TestKit

@Suite("A login at the mail server by an access token", .rules)
struct MailTokenTests {
    private static let token = "eyJ0eXAi.eyJ1cG4i._sig-na~ture+/="

    /// A mailer whose login is by the token of a file in a folder of its own.
    private static func mailer(
        _ server: ScriptedSMTPServer, _ folder: TemporaryFolder, token: String? = token
    ) throws -> SMTPMailer {
        if let token { try write(token, folder) }
        let url = "smtp://ann%40example.com@127.0.0.1:\(server.port)"
        let file = MailTokenFile(path: folder.path(of: "token"))
        guard case .smtp(let endpoint) = try MailURL.parse(url, tokenFile: file) else { throw ProbeFailure("not SMTP") }
        let timeouts = SMTPMailer.Timeouts(connect: .seconds(10), upload: .seconds(10), answer: .seconds(10))
        return SMTPMailer(endpoint, caFile: nil, timeouts: timeouts)
    }

    private static func write(_ token: String, _ folder: TemporaryFolder) throws {
        try Data(token.utf8).write(to: URL(filePath: folder.path(of: "token")), options: .atomic)
    }

    private static func offering(_ mechanisms: String, _ replies: [String: String] = [:]) throws -> ScriptedSMTPServer {
        try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH \(mechanisms)"].merging(replies) { $1 })
    }

    @Test(
        "the token is sent as RFC 7628 or Google and Microsoft have it, and never by a mechanism for passwords",
        arguments: ["OAUTHBEARER", "XOAUTH2"])
    func mechanism(name: String) async throws {
        let server = try Self.offering("CRAM-MD5 PLAIN LOGIN \(name)")
        let folder = try TemporaryFolder()
        try await Self.mailer(server, folder).send(try EmailMessage.example())
        let end = "auth=Bearer \(Self.token)\u{1}\u{1}"
        let words =
            name == "XOAUTH2"
            ? "user=ann@example.com\u{1}\(end)"
            : "n,a=ann@example.com,\u{1}host=127.0.0.1\u{1}port=\(server.port)\u{1}\(end)"
        #expect(server.lines.contains("AUTH \(name)") && server.lines.contains(Data(words.utf8).base64EncodedString()))
        #expect(server.lines.contains("DATA"))
    }

    @Test("the file is read for each email, so another program may replace the token at any time")
    func replaced() async throws {
        let server = try Self.offering("XOAUTH2")
        let folder = try TemporaryFolder()
        let mailer = try Self.mailer(server, folder, token: "first")
        try await mailer.send(try EmailMessage.example())
        try Self.write("second\n", folder)
        try await mailer.send(try EmailMessage.example())
        let sent = server.lines.compactMap { Data(base64Encoded: $0).map { String(decoding: $0, as: UTF8.self) } }
        #expect(sent.filter { $0.contains("Bearer first\u{1}") }.count == 1)
        #expect(sent.filter { $0.contains("Bearer second\u{1}") }.count == 1)
    }

    @Test(
        "without a token in the file nothing is sent, and the reason names the setting and the file and not what is in it",
        arguments: [
            (nil, "cannot be read"), ("", "is empty"), ("\n", "is empty"),
            ("s3cret\r\nRCPT TO:<eve@x>", "one access token"),
            ("s3cret s3cret", "one access token"), ("s3cret\n\n", "one access token"),
            ("s3cret\u{1}", "one access token"),
            ("=", "one access token"), ("s3crét", "one access token"),
            (String(repeating: "s3cret", count: 4000), "cannot be read"),
        ])
    func unusable(token: String?, words: String) async throws {
        let server = try Self.offering("XOAUTH2")
        let folder = try TemporaryFolder()
        let mailer = try Self.mailer(server, folder, token: token)
        let failure = await #expect(throws: MailError.self) { try await mailer.send(try EmailMessage.example()) }
        guard case .unreachable(let reason) = failure else { throw ProbeFailure("\(String(describing: failure))") }
        #expect(reason.hasPrefix("IDP_MAIL_TOKEN_FILE: the file \(folder.path(of: "token")) "))
        #expect(reason.contains(words) && !reason.contains("s3cr"))
        let probe = await #expect(throws: ConnectionError.self) {
            try await mailer.probe(from: try MailFrom("sign-in@example.com"))
        }
        #expect("\(try #require(probe))".contains(words))
        #expect(server.lines.isEmpty)
    }

    @Test(
        "a refused token leaves the email for the next server, and the reason names the setting",
        arguments: [
            ("XOAUTH2", ["AUTH": "535 5.7.8 expired"], 535),
            // The mechanism's own error first (RFC 7628 3.2.3), to which libcurl replies for one of the two.
            ("OAUTHBEARER", ["AUTH": "334 eyJzdGF0dXMiOiI0MDEifQ==", "AQ==": "535 5.7.8 expired"], 535),
            ("XOAUTH2", ["AUTH": "334 eyJzdGF0dXMiOiI0MDEifQ=="], 334),
        ])
    func refused(mechanism: String, replies: [String: String], code: Int) async throws {
        let words = code == 535 ? ": 5.7.8 expired" : ""
        let server = try Self.offering(mechanism, replies)
        let folder = try TemporaryFolder()
        let mailer = try Self.mailer(server, folder)
        let failure = await #expect(throws: MailError.self) { try await mailer.send(try EmailMessage.example()) }
        #expect(
            failure == .unreachable("the mail server refused the token of IDP_MAIL_TOKEN_FILE with \(code)\(words)"))
        let probe = await #expect(throws: ConnectionError.self) {
            try await mailer.probe(from: try MailFrom("sign-in@example.com"))
        }
        #expect("\(try #require(probe))" == "it refuses the token of IDP_MAIL_TOKEN_FILE with \(code)\(words)")
        let next = try ScriptedSMTPServer(["EHLO": "250 next"])
        guard case .smtp(let endpoint) = try MailURL.parse(next.url) else { throw ProbeFailure("not SMTP") }
        try await SMTPRelays([mailer, SMTPMailer(endpoint, caFile: nil)]).send(try EmailMessage.example())
        #expect(next.lines.contains("DATA") && !server.lines.contains("DATA"))
    }

    @Test("a server that takes passwords only gets neither token nor email")
    func unsupported() async throws {
        let server = try Self.offering("PLAIN LOGIN")
        let folder = try TemporaryFolder()
        let mailer = try Self.mailer(server, folder)
        let failure = await #expect(throws: MailError.self) { try await mailer.send(try EmailMessage.example()) }
        #expect(
            "\(try #require(failure))" == "the mail server takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
        let probe = await #expect(throws: ConnectionError.self) {
            try await mailer.probe(from: try MailFrom("sign-in@example.com"))
        }
        #expect("\(try #require(probe))" == "it takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
        #expect(!server.lines.contains { $0.hasPrefix("AUTH") || $0 == "DATA" })
    }
}
