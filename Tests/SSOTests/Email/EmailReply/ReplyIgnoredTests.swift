import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPInboundMail
@testable import IdPMail
@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Messages that ``InboundMailReader`` accepts and that answer no challenge all the same.
@Suite("Answers that are ignored", .program, .alsoOnPostgres)
struct ReplyIgnoredTests {
    private static let address = "ann@example.com"

    /// A browser that waits, and that still cannot go on when `body` has ended.
    private static func waiting(
        settings: [String: String] = [:], _ body: (TestDeployment, PendingReply) async throws -> Void
    ) async throws {
        try await TestDeployment.receivingReplies(settings: settings) { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            try await body(deployment, pending)
            #expect(try await pending.proceed().location().path == "/sign-in/code")
            #expect(try await !pending.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a wrong number counts as a guess, the right one after it is accepted and does not")
    func wrongNumber() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            for count in 1...4 {
                #expect(try await deployment.deliver(pending.message(pending.wrong)) == "wrong_number")
                #expect(try await deployment.failures() == count)
            }
            #expect(try await deployment.deliver(pending.message()) == "accepted")
            #expect(try await deployment.failures() == 4)
            // The fifth guess was right: the page still takes a code.
            let page = try await pending.browser.get(pending.waiting.address)
            #expect(try page.page().form(with: "code") != nil)
            #expect(try await pending.proceed().location().path == "/")
        }
    }

    @Test("five wrong numbers, or codes, end the challenge: then neither the right number nor the right code counts")
    func usedUp() async throws {
        try await Self.waiting { deployment, pending in
            for _ in 1...3 { _ = try await deployment.deliver(pending.message(pending.wrong)) }
            let form = try pending.waiting.page().form(with: "code")
            for _ in 1...2 {
                let wrong = pending.email.code == "000000" ? "000001" : "000000"
                _ = try await pending.browser.submit(form, on: pending.waiting, ["code": wrong])
            }
            #expect(try await deployment.deliver(pending.message()) == "used_up")
            let late = try await pending.browser.submit(
                form, on: pending.waiting, ["code": try #require(pending.email.code)])
            #expect(late.status == 422)
            #expect(try await deployment.failures() == 5)
        }
    }

    @Test("another account's answer is ignored and no guess, even at the same domain and with the right number")
    func otherSender() async throws {
        try await Self.waiting { deployment, pending in
            for sender in ["bob@example.com", "ann@example.org", "ann+1@example.com"] {
                let result = try await deployment.deliver(pending.message(from: sender))
                #expect(result == "other_sender", "\(sender)")
            }
            #expect(try await deployment.failures() == 0)
        }
    }

    @Test("the number of another challenge is wrong, and the address of another challenge answers that one")
    func otherChallenge() async throws {
        try await Self.waiting { deployment, pending in
            // Once in ten thousand times two challenges have the same number.
            var other = pending
            while other.number == pending.number {
                deployment.clock.advance(by: .seconds(61))
                other = try await deployment.awaitingReply(by: deployment.browser())
            }
            #expect(try await deployment.deliver(pending.message(other.number)) == "wrong_number")
            // The owner answers the email of the sign-in that the attacker began, with the number on her own screen.
            #expect(try await deployment.deliver(pending.message(to: other.recipient)) == "wrong_number")
            #expect(try await other.proceed().location().path == "/sign-in/code")
            #expect(try await !other.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.failures() == 2)
        }
    }

    @Test("an address that was not made here, and one of an earlier key, answer nothing")
    func unknownRecipient() async throws {
        try await Self.waiting { deployment, pending in
            let random = Base32.encode([UInt8](repeating: 7, count: 32))
            let recipient = "login+\(random)@reply.example"
            #expect(try await deployment.deliver(pending.message(to: recipient)) == "unknown_recipient")
            let receiver = try await ReplyReceiver.beside(deployment, key: TestSecret.new())
            let outcome = try await receiver.receive(
                pending.message().bytes, recipient: nil, logger: deployment.log.logger("idp"))
            #expect(outcome == .ignored(reason: "unknown_recipient"))
        }
    }

    @Test("a message that is delivered again is ignored and no guess")
    func replay() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            #expect(try await deployment.deliver(pending.message()) == "accepted")
            for number in [pending.number, pending.wrong] {
                #expect(try await deployment.deliver(pending.message(number)) == "already_answered")
            }
            #expect(try await deployment.failures() == 0)
            #expect(try await pending.proceed().location().path == "/")
            #expect(try await deployment.deliver(pending.message()) == "used")
        }
    }

    @Test("of a hundred deliveries of one message at the same instant one is accepted, and none counts as a guess")
    func deliveredAtOnce() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let results = try await atOnce(100) { _ in try await deployment.deliver(pending.message()) }
            #expect(results.count { $0 == "accepted" } == 1)
            // More than five at once find the guesses of the others counted.
            #expect(results.allSatisfy { ["accepted", "already_answered", "used_up"].contains($0) })
            #expect(try await deployment.failures() == 0)
            #expect(try await pending.proceed().location().path == "/")
        }
    }

    @Test("ten minutes after its email an answer is too late, one second earlier it is not")
    func expired() async throws {
        try await Self.waiting { deployment, pending in
            deployment.clock.advance(by: .seconds(599))
            let early = try await deployment.deliver(pending.message(pending.wrong))
            #expect(early == "wrong_number")
            deployment.clock.advance(by: .seconds(1))
            let late = try await deployment.deliver(pending.message())
            #expect(late == "expired")
            #expect(try await deployment.failures() == 1)
        }
    }

    @Test("while codes of the account are paused an answer is ignored and not compared")
    func paused() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            try await deployment.typeWrongCodes(20)
            #expect(try await deployment.deliver(pending.message()) == "paused")
            #expect(try await deployment.failures() == 20)
            #expect(try await !pending.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("an address that may not sign in gets a number on the page as any other, and an answer for it is ignored")
    func decoy() async throws {
        let key = TestSecret.new()
        try await TestDeployment.receivingReplies(settings: ["IDP_SECRET_KEY": key]) { deployment in
            let browser = deployment.browser()
            let waiting = try await deployment.waiting(for: "eve@elsewhere.example", by: browser)
            let number = try #require(waiting.shownNumber)
            let id = try await deployment.stored.challenges.ids()[0]
            let reply = EmailReply(
                keys: try DerivedKeys.parse(key, setting: "IDP_SECRET_KEY"), domain: ReplySettings.domain)
            let message = ReplyMessage(
                recipient: try #require(reply.address(for: id)?.text), sender: "eve@elsewhere.example", number: number)
            #expect(try await deployment.deliver(message) == "not_eligible")
            let next = try await browser.get(waiting.address.resolving(waiting.replyPaths().next))
            #expect(try next.location().path == "/sign-in/code")
        }
    }

    @Test("an answer to an email that has not left yet is ignored and no guess")
    func emailNotSent() async throws {
        let key = TestSecret.new()
        try await TestDeployment.receivingReplies(settings: ["IDP_SECRET_KEY": key]) { deployment in
            _ = try await deployment.awaitingReply(by: deployment.browser())
            // Within the minute the next email waits.
            let browser = deployment.browser()
            _ = try await deployment.waiting(for: Self.address, by: browser)
            let id = try await deployment.stored.challenges.sentAgain.ids()[0]
            let reply = EmailReply(
                keys: try DerivedKeys.parse(key, setting: "IDP_SECRET_KEY"), domain: ReplySettings.domain)
            let message = ReplyMessage(
                recipient: try #require(reply.address(for: id)?.text), sender: Self.address,
                number: reply.number(for: id))
            #expect(try await deployment.deliver(message) == "email_not_sent")
            #expect(try await deployment.failures() == 0)
        }
    }

    @Test("what the mail server did not authenticate is ignored with the reader's reason, and is no guess")
    func notAuthenticated() async throws {
        try await Self.waiting { deployment, pending in
            let text = String(decoding: pending.message().bytes, as: UTF8.self)
            let forged = text.replacing("Authentication-Results: mx.example", with: "Authentication-Results: mx.evil")
            let reply = try await deployment.post(Array(forged.utf8))
            #expect(reply.status == 200)
            let body = try JSONDecoding.value(reply.body)
            #expect(body["result"]?.text == "ignored")
            #expect(body["reason"]?.text.flatMap { ReplyMessageError(rawValue: $0) } == .otherAuthservID)
            #expect(try await deployment.failures() == 0)
        }
    }

    @Test("wrong numbers over many accounts raise the guessing alarm, as codes do")
    func alarm() async throws {
        try await TestDeployment.receivingReplies { deployment in
            for account in 0..<21 {
                let pending = try await deployment.awaitingReply("user\(account)@example.com", by: deployment.browser())
                for _ in 1...5 { _ = try await deployment.deliver(pending.message(pending.wrong)) }
            }
            #expect(deployment.log.contains("guess_alarm_raised"))
        }
    }

    @Test("the log has one line for every message, with the reason and without number, address or text of the message")
    func log() async throws {
        try await Self.waiting { deployment, pending in
            _ = try await deployment.deliver(pending.message(pending.wrong))
            _ = try await deployment.deliver(pending.message(from: "bob@example.com"))
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("reply_ignored") }
            try #require(lines.count == 2)
            #expect(lines[0].contains("wrong_number") && lines[0].contains("a…@example.com"))
            #expect(lines[1].contains("other_sender") && lines[1].contains("b…@example.com"))
            #expect(lines.allSatisfy { $0.contains("chl_") && $0.hasPrefix("notice") })
            #expect(!deployment.log.contains(pending.recipient.prefix { $0 != "@" }.description))
            #expect(!deployment.log.contains("answer-\(pending.number)"))
        }
    }
}
