import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPInboundMail
@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit

/// Replies from real servers: Postfix with OpenDKIM signs, another port checks with the files of deploy/postfix, and the
/// pipe transport passes the message to the real program.
@Suite(
    "Replies through Postfix and OpenDKIM", .deployment, .dependsOnMachine,
    .enabled(if: PostfixServer.isUsable, "needs root and the packages postfix and opendkim"), .serialized)
struct PostfixReplyTests {
    @Test("a reply that the user's mail server signed signs in the browser that waits, by idp mail deliver")
    func signed() async throws {
        try await Self.running { pair in
            let server = try await pair.receivingByCommand()
            let waiting = try await WaitingReply(at: pair)
            #expect(try await !waiting.hasArrived())
            let delivery = try await server.deliver(
                waiting.reply(), from: waiting.address, to: waiting.recipient, by: .signing)
            #expect(delivery.status == "sent" && !delivery.log.contains("reply_ignored"), "\(delivery)")
            #expect(try await waiting.methods() == ["email_reply"])
            // The same message again, which the user's server may send twice, changes nothing.
            let again = try await server.deliver(
                waiting.reply(), from: waiting.address, to: waiting.recipient, by: .signing)
            #expect(again.status == "sent" && again.log.contains("reply_ignored"), "\(again)")
            try await server.stop()
        }
    }

    @Test(
        "a reply counts in other charsets and encodings, with a comment in From, and with fields that ask others for silence",
        arguments: [
            ("iso-8859-2", "8bit", "Ann <ann@example.com>"), ("ISO-2022-JP", "7BIT", "ann@example.com (Ann)"),
            ("koi8-r", "8bit (as it is)", "Ann (ACME) <ann@example.com>"),
            ("gb18030", "\"8bit\"", "ann@example.com <ann@example.com>"),
        ])
    func spellings(charset: String, encoding: String, from: String) async throws {
        try await Self.running { pair in
            let server = try await pair.receivingByCommand()
            let waiting = try await WaitingReply(at: pair)
            let message = waiting.reply("X-Auto-Response-Suppress: All\nX-Autoreply: no\n")
                .replacing("charset=utf-8", with: "charset=\(charset)\nContent-Transfer-Encoding: \(encoding)")
                .replacing("From: Ann <ann@example.com>", with: "From: \(from)")
            let delivery = try await server.deliver(
                message, from: waiting.address, to: waiting.recipient, by: .signing)
            #expect(delivery.status == "sent" && !delivery.log.contains("reply_ignored"), "\(delivery)")
            #expect(try await waiting.methods() == ["email_reply"])
            try await server.stop()
        }
    }

    @Test("a message that is not a signed reply of the user is ignored with its reason, and the user's own still works")
    func ignored() async throws {
        try await Self.running { pair in
            let server = try await pair.receivingByCommand()
            let waiting = try await WaitingReply(at: pair)
            let forged = "Authentication-Results: \(PostfixServer.authservID); dkim=pass header.d=example.com\n"
            for (name, message, sender, port, reason) in [
                (
                    "unsigned", waiting.reply(), waiting.address, PostfixServer.Port.inbound,
                    ReplyMessageError.notAuthenticated
                ),
                ("forged result", waiting.reply(forged), waiting.address, .inbound, .notAuthenticated),
                // OpenDKIM 2.11 adds nothing here and removes nothing: reply_header_checks does.
                (
                    "forged result, and a signature that OpenDKIM cannot read",
                    waiting.reply("DKIM-Signature: v=1; a=x\n" + forged), waiting.address, .inbound, .noAuthentication
                ),
                (
                    "signed by another domain", waiting.reply("Sender: eve@other.example\n" + forged),
                    "eve@other.example", .signing, .notAligned
                ),
                ("bounce", waiting.reply(), "", .signing, .nullReturnPath),
                (
                    "vacation", waiting.reply("Auto-Submitted: auto-replied\n"), waiting.address, .signing,
                    .autoSubmitted
                ),
            ] {
                let delivery = try await server.deliver(message, from: sender, to: waiting.recipient, by: port)
                #expect(delivery.status == "sent", "\(name): a message that is ignored is not sent again: \(delivery)")
                let events = delivery.log.split(separator: "\n").filter { $0.contains("reply_ignored") }
                #expect(events.count == 1 && events[0].contains("reason=\(reason.rawValue)"), "\(name): \(delivery)")
                #expect(try await !waiting.hasArrived(), "\(name)")
            }
            _ = try await server.deliver(waiting.reply(), from: waiting.address, to: waiting.recipient, by: .signing)
            #expect(try await waiting.methods() == ["email_reply"])
            try await server.stop()
        }
    }

    @Test("while the IdP is down Postfix keeps a reply, and send-reply posts it afterwards")
    func kept() async throws {
        try await Self.running { pair in
            let server = try await pair.receivingByPost()
            let waiting = try await WaitingReply(at: pair)
            try await pair.idp.terminate()
            let early = try await server.deliver(
                waiting.reply(), from: waiting.address, to: waiting.recipient, by: .signing)
            #expect(early.status == "deferred" && early.log.contains("send-reply: "), "\(early)")
            try await pair.idp.start()
            try await eventually("the reply is delivered; \(server.log)") {
                server.statuses.contains("sent") ? () : nil
            }
            #expect(!pair.idp.log.contains("reply_ignored"))
            #expect(try await waiting.methods() == ["email_reply"])
            try await server.stop()
        }
    }

    @Test("send-reply asks to try again after a wrong signature, and drops a message that is too large")
    func posted() async throws {
        try await Self.running { pair in
            let right = try await pair.receivingByPost()
            let waiting = try await WaitingReply(at: pair)
            let large = try await Self.run(right, pair, "x" + String(repeating: "a\n", count: 200_000))
            #expect(large.code == 0 && large.errors.contains("too large"))
            let wrong = try await Self.run(right, pair, waiting.reply(), secret: TestSecret.new())
            #expect(wrong.code == 75 && wrong.errors.contains("send-reply: status 401"))
            let unreachable = try await Self.run(right, pair, waiting.reply(), port: FreePort.find())
            #expect(unreachable.code == 75)
            #expect(try await !waiting.hasArrived())
            try await right.stop()
        }
    }

    /// Runs send-reply by hand.
    private static func run(
        _ server: PostfixServer, _ pair: ProcessDeployment, _ message: String, secret: String = inboundSecret,
        port: UInt16? = nil
    ) async throws -> WellKnownRun {
        let folder = try TemporaryFolder()
        let file = try folder.write(secret, to: "secret")
        return try await WellKnownRun.command(
            [
                DeployFiles.folder.appending(path: "postfix/send-reply").path(),
                "http://127.0.0.1:\(port ?? pair.idp.port)", file,
            ], input: message)
    }

    @Test("Postfix takes mail for reply addresses alone, and one message stays one (SMTP smuggling)")
    func smuggling() async throws {
        let server = try await PostfixServer(delivering: "#!/bin/sh\ncat >> \"$1/stored\"\n")
        let recipient = "login+\(String(repeating: "a", count: 52))@\(PostfixServer.domain)"
        let message = "From: eve@other.example\nSubject: one\n\nfirst"
        for other in ["login@\(PostfixServer.domain)", "login+abc@\(PostfixServer.domain)", "ann@example.com"] {
            await #expect(throws: ProbeFailure.self, "\(other)") {
                try await server.send(message, from: "eve@other.example", to: other, by: .inbound)
            }
        }
        // The line ends are LF alone, so a server that takes them sees the end of the message and another one.
        let smuggled = "MAIL FROM:<ann@example.com>\nRCPT TO:<\(recipient)>\nDATA\nFrom: ann@example.com\n\n4711\n.\n"
        try await server.sendRaw(
            "From: eve@other.example\r\nSubject: one\r\n\r\nfirst\r\n\n.\n\(smuggled)\r\n.\r\n",
            from: "eve@other.example",
            to: recipient)
        // Postfix takes messages in order, so this one comes after anything smuggled.
        try await server.send(
            message.replacing("first", with: "last"), from: "eve@other.example", to: recipient, by: .inbound)
        let stored = try await eventually("both messages; \(server.mailLog)") { () -> String? in
            let stored = server.file("stored")
            return stored.contains("\nlast") && stored.contains("\nfirst") ? stored : nil
        }
        #expect(stored.split(separator: "\n").count { $0.hasPrefix("Return-Path: ") } == 2)
        #expect(!server.mailLog.contains("from=<ann@example.com>"))
        try await server.stop()
    }

    static let inboundSecret = TestSecret.new()

    private static func running(_ body: (ProcessDeployment) async throws -> Void) async throws {
        let settings = [
            "IDP_INBOUND_MAIL_DOMAIN": PostfixServer.domain, "IDP_INBOUND_AUTHSERV_ID": PostfixServer.authservID,
            "IDP_INBOUND_MAIL_SECRET": inboundSecret,
        ]
        try await ProcessDeployment.running(ProcessDeployment(settings: settings), body)
    }
}

/// A browser that has asked for an email and waits, and what its user reads: the number, and the address to answer to.
private struct WaitingReply {
    let address = "ann@example.com"
    let browser = Browser()
    let pair: ProcessDeployment
    let page: Visit
    let recipient: String
    let number: String

    init(at pair: ProcessDeployment) async throws {
        self.pair = pair
        page = try await browser.ask(
            for: address, on: browser.follow(browser.get(pair.authorize(pair.client, state: "a-state"))))
        guard let number = page.text.firstMatch(of: #/id="reply-number"[^>]*>\s*([0-9]{4})\s*</#)?.1 else {
            throw ProbeFailure("no number on the waiting page:\n\(page.text)")
        }
        self.number = String(number)
        let email = try await pair.mailbox.email(to: address)
        // The field may be folded.
        guard
            let recipient = email.text.firstMatch(of: #/Reply-To:\s+<?(login\+[a-z2-7]{52}@[a-z.]+)/#.ignoresCase())?.1
        else { throw ProbeFailure("no address to answer to:\n\(email.text)") }
        self.recipient = String(recipient)
    }

    /// The user's answer.
    /// - Parameter fields: further header fields, each with its line end.
    func reply(_ fields: String = "") -> String {
        fields + """
            From: Ann <\(address)>
            To: Main App <\(recipient)>
            Subject: Re: your code
            Date: Sun, 22 Nov 2026 09:30:00 +0100
            Message-ID: <\(UUID().uuidString)@example.com>
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8

            \(number)

            > Answer with the number on your screen.

            """
    }

    /// What GET /sign-in/reply answers, redirects followed.
    private func arrival() async throws -> Visit {
        guard let flow = page.address.query("flow") else { throw ProbeFailure("no flow at \(page.address.absolute)") }
        return try await browser.follow(browser.get("\(pair.origin)/sign-in/reply?flow=\(flow)"))
    }

    /// Whether the waiting browser goes on to the client.
    func hasArrived() async throws -> Bool { try await arrival().page().link(containing: "token=") != nil }

    /// The methods in the client's verify answer.
    func methods() async throws -> [String] {
        let token = try await arrival().token()
        let answer = try await pair.verify(token, as: pair.client)
        guard answer.status == 200 else { throw ProbeFailure("verify: \(answer.status) \(answer.text)") }
        return try VerifyReply(body: answer.body).session.methods
    }
}

extension ProcessDeployment {
    /// The mail server, whose pipe transport runs deploy/postfix/deliver-reply. Its user gets the database and the folder.
    fileprivate func receivingByCommand() async throws -> PostfixServer {
        try PipeUser.own(folder.path)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("idp.sqlite")
        {
            try PipeUser.own(folder.path(of: name))
        }
        let settings = idp.settings.filter { ["IDP", "SSO", "LOG"].contains($0.key.prefix(3)) }
        let command = try DeployFiles.lines("postfix/deliver-reply").joined(separator: "\n")
        return try await PostfixServer(
            delivering: command.replacing("idp=/usr/bin/idp", with: "idp=\(Programs.path(of: "idp"))"),
            with: [".env": settings.map { "\($0.key)=\($0.value)\n" }.sorted().joined()])
    }

    /// The same with deploy/postfix/send-reply, which needs no database.
    fileprivate func receivingByPost() async throws -> PostfixServer {
        let command = "cd \"$1\"\nexec /usr/bin/python3 send-reply http://127.0.0.1:\(idp.port) secret 2>>replies.log\n"
        return try await PostfixServer(
            delivering: "#!/bin/sh\n" + command,
            with: [
                "send-reply": try DeployFiles.lines("postfix/send-reply").joined(separator: "\n"),
                "secret": PostfixReplyTests.inboundSecret,
            ])
    }
}
