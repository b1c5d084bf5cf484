import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import SSOShared
@testable import TestKit

/// The endpoint of a valid SMTP address.
private func endpoint(_ url: String) throws -> SMTPEndpoint {
    guard case .smtp(let endpoint) = try MailURL.parse(url) else { throw ProbeFailure("not SMTP: \(url)") }
    return endpoint
}

private func mailer(
    _ url: String, greeting: String? = nil, requiresTLS: Bool? = nil, seconds: Double = 10
) throws -> SMTPMailer {
    SMTPMailer(
        try endpoint(url), greeting: try greeting.map { try MailGreeting($0) }, requiresTLS: requiresTLS, caFile: nil,
        timeouts: SMTPMailer.Timeouts(connect: .seconds(seconds), upload: .seconds(seconds), answer: .seconds(seconds))
    )
}

@Suite("Sending by SMTP", .rules)
struct SMTPMailerTests {
    @Test("a real server receives the email unchanged, with its leading dots", .enabled(if: SMTPServer.isInstalled))
    func delivered() async throws {
        let server = try SMTPServer()
        try await server.start()
        let text = ".\n..\n.leading dot\n123456\nGrüße ✓\n"
        try await mailer(server.url).send(try EmailMessage.example(subject: "Schlüssel", text: text))
        let arrived = try await server.mailbox.email(to: "ann@client.example")
        let email = try await ReadEmail.read(Array(arrived.text.utf8))
        #expect(email.values("Subject") == ["Schlüssel"])
        #expect(email.values("X-MailFrom") == ["sign-in@example.com"])
        #expect(email.values("X-RcptTo") == ["ann@client.example"])
        #expect(email.parts.first?.text == text)
        try await server.stop()
    }

    @Test("the envelope is the two addresses, and nothing else is sent")
    func envelope() async throws {
        let server = try ScriptedSMTPServer(["EHLO": "250 scripted"])
        try await mailer(server.url, greeting: "idp.example.com").send(try EmailMessage.example(text: ".\n"))
        let commands = server.lines.prefix(4)
        #expect(
            Array(commands) == [
                "EHLO idp.example.com", "MAIL FROM:<sign-in@example.com>", "RCPT TO:<ann@client.example>", "DATA",
            ])
        // RFC 5321 4.5.2: a line that begins with a dot gets a second dot.
        #expect(server.lines.contains(".."))
    }

    @Test("a login is sent only when one is configured, and a refused one is an outage")
    func login() async throws {
        let server = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN"])
        try await mailer("smtp://ann:pass%20word@127.0.0.1:\(server.port)").send(try EmailMessage.example())
        let plain = Data("\0ann\0pass word".utf8).base64EncodedString()
        #expect(server.lines.contains(plain))

        let strict = try ScriptedSMTPServer([
            "EHLO": "250-scripted\r\n250 AUTH PLAIN", "AUTH": "535 ann is not known here",
        ])
        let failure = await #expect(throws: MailError.self) {
            try await mailer("smtp://ann:pass@127.0.0.1:\(strict.port)").send(try EmailMessage.example())
        }
        #expect(failure == .unreachable("the mail server refused the login with 535: *** is not known here"))
    }

    @Test(
        "before the recipient was named a refusal is an outage, later 5yz is final and 4yz not, and the words have no address",
        arguments: ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."], [421, 451, 550, 554])
    func refusals(step: String, code: Int) async throws {
        let line = "\(code)-5.7.1 no ann@client.example here\r\n\(code) 5.7.1 nor ANN, ever"
        // A client that is refused with EHLO says HELO.
        let server = try ScriptedSMTPServer(step == "EHLO" ? ["EHLO": line, "HELO": line] : [step: line])
        let failure = await #expect(throws: MailError.self) {
            try await mailer(server.url).send(try EmailMessage.example())
        }
        let words = try #require(failure).description
        #expect(words.contains("\(code)"))
        #expect(words.hasSuffix(": 5.7.1 no *** here 5.7.1 nor *** ever"), "\(words)")
        let isOutage = ["greeting", "EHLO", "MAIL"].contains(step)
        switch try #require(failure) {
        case .refused(_, let found): #expect(code >= 500 && found == code && !isOutage)
        case .temporary: #expect(code < 500 && !isOutage)
        case .unreachable: #expect(isOutage)
        }
        let isReached = try await mailer(server.url).isReached(from: try MailFrom("a@example.com"))
        #expect(isReached == (isOutage ? false : true))
    }

    @Test(
        "a connection that breaks is an outage until the recipient was named",
        arguments: ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."])
    func broken(step: String) async throws {
        let server = try ScriptedSMTPServer(step == "EHLO" ? ["EHLO": "", "HELO": ""] : [step: ""])
        let failure = await #expect(throws: MailError.self) {
            try await mailer(server.url).send(try EmailMessage.example())
        }
        switch try #require(failure) {
        case .refused: Issue.record("it would never be sent again")
        case .temporary: #expect(["RCPT", "DATA", "."].contains(step))
        case .unreachable: #expect(["greeting", "EHLO", "MAIL"].contains(step))
        }
    }

    @Test(
        "a server that refuses the machine's name gets the email with the name of the setting, and says which it refused"
    )
    func greeting() async throws {
        let refusal = "550 5.7.1 \u{7}Helo command rejected: need a known name"
        let strict = try ScriptedSMTPServer(["EHLO": refusal, "HELO": refusal])
        let failure = await #expect(throws: MailError.self) {
            try await mailer(strict.url).send(try EmailMessage.example())
        }
        let words = try #require(failure).description
        #expect(words.hasPrefix("the mail server refused the name in EHLO with 550 (curl "), "\(words)")
        #expect(words.hasSuffix("): 5.7.1 Helo command rejected: need a known name"), "\(words)")
        let name = MailGreeting.machine ?? "example.com"
        #expect(strict.lines.prefix(2) == ["EHLO \(name)", "HELO \(name)"])
        let probe = await #expect(throws: ConnectionError.self) {
            try await mailer(strict.url, greeting: "[IPv6:2001:db8::1]").probe(from: try MailFrom("a@example.com"))
        }
        #expect(strict.lines.contains("EHLO [IPv6:2001:db8::1]"))
        #expect(
            "\(try #require(probe))"
                == "it refuses the name [IPv6:2001:db8::1] in EHLO with 550: 5.7.1 Helo command rejected: need a known name. "
                + "Set IDP_MAIL_EHLO to one that it takes")
    }

    /// RFC 5321 4.5.1 wants NOOP. A server without it carries emails all the same.
    @Test("`check --connect` does not need NOOP")
    func withoutNoop() async throws {
        let server = try ScriptedSMTPServer(["NOOP": "500 what", "HELP": "500 what", "VRFY": "500 what"])
        let found = try await mailer(server.url).probe(from: try MailFrom("sign-in@example.com"))
        #expect(found == "\(try endpoint(server.url)) answers: no TLS, no login")
        #expect(server.lines.map { $0.prefix(4) }.allSatisfy { ["EHLO", "MAIL", "RCPT", "QUIT"].contains($0) })
    }

    @Test("a server that defers the first try of a sender is not said to refuse the name", arguments: ["MAIL", "RCPT"])
    func greylisting(step: String) async throws {
        let server = try ScriptedSMTPServer(first: [step: "451 4.7.1 come back later"])
        let result: String
        do {
            result = try await mailer(server.url, greeting: "vm").probe(from: try MailFrom("a@example.com"))
        } catch { result = "\(error)" }
        #expect(result.contains("451: 4.7.1 come back later") && !result.contains("EHLO"), "\(result)")
        #expect(server.lines.filter { $0.hasPrefix("EHLO") } == ["EHLO vm", "EHLO example.com", "EHLO vm"])
    }

    /// Postfix with `smtpd_delay_reject`, its default, refuses the name at RCPT.
    @Test(
        "a refusal of the name that comes at MAIL or RCPT is one of the name if another name is taken, or the code is 504",
        arguments: ["MAIL", "RCPT"],
        [
            ("504 5.5.2 <vm>: Helo command rejected: need fully-qualified hostname", "250 fine", true),
            ("550 5.7.1 no such host", "250 fine", true), ("450 4.7.1 host not found", "250 fine", true),
            ("553 no", "250 fine", true), ("504 no", "504 no", true), ("550 no", "550 no", false),
            ("553 no", "553 no", false),
        ])
    func lateRefusal(step: String, replies: (toName: String, toDomain: String, isOfName: Bool)) async throws {
        let server = try ScriptedSMTPServer(
            [step: replies.toDomain], toNames: ["vm": [step: replies.toName]])
        let result: Result<String, any Error>
        do {
            result = .success(
                try await mailer(server.url, greeting: "vm").probe(from: try MailFrom("a@example.com")))
        } catch { result = .failure(error) }
        let (code, isAccepted) = (replies.toName.prefix(3), replies.toDomain.hasPrefix("250"))
        switch result {
        case .failure(let error) where replies.isOfName:
            #expect("\(error)".hasPrefix("it refuses the name vm in EHLO with \(code): "), "\(error)")
            let end = "Set IDP_MAIL_EHLO to one that it takes\(isAccepted ? ", such as example.com" : "")"
            #expect("\(error)".hasSuffix(end), "\(error)")
        case .failure(let error):
            #expect(step == "MAIL" && "\(error)" == "it refuses the sender with \(code): no")
        // A sender without a mailbox.
        case .success(let found):
            #expect(step == "RCPT" && !replies.isOfName)
            #expect(found.hasSuffix("answers: no TLS, no login, no emails to a@example.com (\(code): no)"), "\(found)")
        }
        #expect(!server.lines.contains("DATA"))
    }

    /// RFC 5321 4.5.3.2.6: nobody knows whether the server has the email. It is sent again, with the same code.
    @Test("a server that closes the connection after the email, without an answer, is a temporary error")
    func hangsUp() async throws {
        let server = try ScriptedSMTPServer(hangsUp: true)
        let failure = await #expect(throws: MailError.self) {
            try await mailer(server.url).send(try EmailMessage.example())
        }
        #expect(server.lines.last == ".")
        switch try #require(failure) {
        case .temporary, .unreachable: break
        case .refused: Issue.record("it would never be sent again")
        }
    }

    @Test(
        "a server that does not answer QUIT holds neither the result of an email nor that of a check",
        arguments: ["250 fine", "550 no such mailbox"], ["email", "check"])
    func unansweredQuit(recipient: String, kind: String) async throws {
        let server = try ScriptedSMTPServer(["RCPT": recipient], ignoresQuit: true)
        let timeouts = SMTPMailer.Timeouts(
            connect: TestTimeout.limit, upload: TestTimeout.limit, answer: TestTimeout.limit)
        let mailer = SMTPMailer(try endpoint(server.url), caFile: nil, timeouts: timeouts)
        let results = Mutex<[String]>([])
        let task = Task {
            var result = "done"
            do {
                if kind == "email" {
                    try await mailer.send(try EmailMessage.example())
                } else {
                    result = try await mailer.probe(from: try MailFrom("sign-in@example.com"))
                }
            } catch { result = "\(error)" }
            results.withLock { $0.append(result) }
        }
        defer { task.cancel() }
        // libcurl would wait two minutes and more.
        let result = try await eventually("the result", within: .seconds(60)) { results.withLock { $0.first } }
        #expect(result.contains(": no such mailbox") == (recipient != "250 fine"), "\(result)")
        try await server.received("QUIT")
    }

    @Test("where a login is configured and none is offered, a refusal is an outage, and not of the recipient")
    func noLogin() async throws {
        for step in ["RCPT", "DATA", "."] {
            let server = try ScriptedSMTPServer(["EHLO": "250 scripted", step: "554 5.7.1 Relay access denied"])
            let failure = await #expect(throws: MailError.self) {
                try await mailer("smtp://ann:pass@127.0.0.1:\(server.port)").send(try EmailMessage.example())
            }
            guard case .unreachable(let words)? = failure else {
                Issue.record("\(step): \(String(describing: failure))")
                continue
            }
            let subject = step == "RCPT" ? "recipient" : "email"
            #expect(
                words.hasPrefix(
                    "the mail server offers no login, or none over this connection, and refused the \(subject) with 554 (curl "
                ))
            #expect(words.hasSuffix("): 5.7.1 Relay access denied"), "\(words)")
        }
        // With a login it is the email that is refused.
        let server = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN", "RCPT": "554 no"])
        let failure = await #expect(throws: MailError.self) {
            try await mailer("smtp://ann:pass@127.0.0.1:\(server.port)").send(try EmailMessage.example())
        }
        guard case .refused? = failure else { throw ProbeFailure("\(String(describing: failure))") }
    }

    @Test("an unreachable server is a temporary error")
    func down() async throws {
        let port = try FreePort.find()
        let failure = await #expect(throws: MailError.self) {
            try await mailer("smtp://127.0.0.1:\(port)").send(try EmailMessage.example())
        }
        #expect(failure == .unreachable("the mail server cannot be reached"))
    }

    @Test("a connection to a silent server ends at the mailer's timeout")
    func tarpit() async throws {
        let server = try ScriptedSMTPServer(isSilent: true)
        let failure = await #expect(throws: MailError.self) {
            try await mailer(server.url, seconds: 0.3).send(try EmailMessage.example())
        }
        #expect(failure == .unreachable("the mail server does not answer"))
    }

    @Test("`check --connect` reports a silent server as well")
    func silentProbe() async throws {
        let server = try ScriptedSMTPServer(isSilent: true)
        let error = await #expect(throws: ConnectionError.self) {
            try await mailer(server.url, seconds: 0.3).probe(from: try MailFrom("sign-in@example.com"))
        }
        #expect(error?.description.hasPrefix("it does not answer in time") == true, "\(String(describing: error))")
    }

    /// After a timeout here the email would be sent again, although the server has it.
    @Test("a server may take longer to confirm a complete email than to receive it")
    func slowAnswer() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedSMTPServer(gate: gate)
        let timeouts = SMTPMailer.Timeouts(connect: .seconds(3), upload: .seconds(3), answer: TestTimeout.limit)
        let mailer = SMTPMailer(try endpoint(server.url), caFile: nil, timeouts: timeouts)
        let deadline = ContinuousClock.now + timeouts.upload
        let task = Task { try await mailer.send(try EmailMessage.example()) }
        try await server.received(".")
        // No event reports that a deadline has passed; libcurl checks once per second.
        try await Task.sleep(until: deadline + .milliseconds(1_500))
        gate.signal()
        try await task.value
    }

    @Test("cancelling ends a hanging connection")
    func cancelled() async throws {
        let server = try ScriptedSMTPServer(isSilent: true)
        let task = Task { try await mailer(server.url, seconds: 30).send(try EmailMessage.example()) }
        try await server.called()
        task.cancel()
        await #expect(throws: MailError.temporary("cancelled while it was sent")) { try await task.value }
    }

    @Test("where TLS is required, a server without STARTTLS gets no email and no login")
    func stripped() async throws {
        let server = try ScriptedSMTPServer(["EHLO": "250-scripted\r\n250 AUTH PLAIN"])
        let failure = await #expect(throws: MailError.self) {
            try await mailer("smtp://ann:pass@127.0.0.1:\(server.port)", requiresTLS: true).send(
                try EmailMessage.example())
        }
        #expect(failure == .unreachable("the mail server offers no STARTTLS: nothing was sent"))
        #expect(!server.lines.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") })
    }

    @Test("TLS is required for every host except this one")
    func rule() throws {
        for (url, isLoopback) in [
            ("smtp://mail.example.com", false), ("smtp://127.0.0.1", true), ("smtp://[::1]", true),
        ] {
            #expect(try endpoint(url).isLoopback == isLoopback)
        }
    }
}
