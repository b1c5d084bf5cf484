import Testing

@testable import Counterparts
@testable import IdPMail
@testable import TestKit

@Suite("Several mail servers", .rules)
struct SMTPRelaysTests {
    private static func relay(
        _ port: UInt16, login: String = "",
        timeouts: SMTPMailer.Timeouts = .init(
            connect: .seconds(10), upload: .seconds(10), answer: .milliseconds(300))
    ) throws -> SMTPMailer {
        guard case .smtp(let endpoint) = try MailURL.parse("smtp://\(login)127.0.0.1:\(port)") else {
            throw ProbeFailure("not SMTP")
        }
        return SMTPMailer(endpoint, caFile: nil, timeouts: timeouts)
    }

    @Test("the first server takes the email, and the second one is not asked")
    func first() async throws {
        let (first, second) = (try ScriptedSMTPServer(["EHLO": "250 one"]), try ScriptedSMTPServer(["EHLO": "250 two"]))
        try await SMTPRelays([Self.relay(first.port), Self.relay(second.port)]).send(try EmailMessage.example())
        #expect(first.lines.contains("DATA") && second.lines.isEmpty)
    }

    @Test(
        "a server that surely has not taken the email is passed over",
        arguments: ["down", "silent", "login", "421", "closed"])
    func passedOver(kind: String) async throws {
        let script =
            switch kind {
            case "login": ["EHLO": "250-one\r\n250 AUTH PLAIN", "AUTH": "535 no"]
            case "421": ["greeting": "421 4.3.2 not now"]
            case "closed": ["greeting": ""]
            default: ["EHLO": "250 one"]
            }
        let broken = try ScriptedSMTPServer(script, isSilent: kind == "silent")
        let first = kind == "down" ? try FreePort.find() : broken.port
        let second = try ScriptedSMTPServer(["EHLO": "250 two"])
        let relays = SMTPRelays([
            try Self.relay(first, login: kind == "login" ? "ann:pass@" : ""), try Self.relay(second.port),
        ])
        try await relays.send(try EmailMessage.example())
        #expect(second.lines.contains("DATA"))
        #expect(relays.destination == "127.0.0.1:\(first),127.0.0.1:\(second.port)")
    }

    @Test("a server that refuses the sender and does not answer QUIT does not hold the email back from the next one")
    func unansweredQuit() async throws {
        let first = try ScriptedSMTPServer(["MAIL": "550 not you"], ignoresQuit: true)
        let second = try ScriptedSMTPServer(["EHLO": "250 two"])
        let long = SMTPMailer.Timeouts(
            connect: TestTimeout.limit, upload: TestTimeout.limit, answer: TestTimeout.limit)
        let relays = SMTPRelays([try Self.relay(first.port, timeouts: long), try Self.relay(second.port)])
        let task = Task { try await relays.send(try EmailMessage.example()) }
        defer { task.cancel() }
        // libcurl would wait as long as for any other reply.
        _ = try await eventually("the email", within: .seconds(60)) { second.lines.contains("DATA") ? true : nil }
        try await task.value
    }

    @Test(
        "an email that the first server has seen goes to no other one: it may be there twice, or is refused by both",
        arguments: ["450 later", "550 no such mailbox"])
    func kept(reply: String) async throws {
        let first = try ScriptedSMTPServer(["EHLO": "250 one", "RCPT": reply])
        let second = try ScriptedSMTPServer(["EHLO": "250 two"])
        let failure = await #expect(throws: MailError.self) {
            try await SMTPRelays([Self.relay(first.port), Self.relay(second.port)]).send(try EmailMessage.example())
        }
        #expect("\(try #require(failure))".contains(" recipient with \(reply.prefix(3)) "))
        #expect(second.lines.isEmpty)
    }

    @Test("when none takes the email, the error has the reason of each")
    func noneLeft() async throws {
        let ports = [try FreePort.find(), try FreePort.find()]
        let failure = await #expect(throws: MailError.self) {
            try await SMTPRelays(try ports.map { try Self.relay($0) }).send(try EmailMessage.example())
        }
        let reasons = ports.map { "127.0.0.1:\($0): the mail server cannot be reached" }
        #expect(failure == .unreachable(reasons.joined(separator: "; ")))
    }
}
