import Foundation
import SSOShared
import Testing

@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit

@Suite("idp mail deliver beside a running IdP", .deployment)
struct MailCommandTests {
    @Test("a right answer is accepted and signs the waiting browser in, with four settings and no more")
    func accepted() async throws {
        try await ProcessDeployment.running(try ProcessDeployment(settings: ReplySettings.all)) { pair in
            let browser = Browser()
            let form = try await browser.follow(browser.get(pair.authorize(pair.client, state: "a-state")))
            let pending = try await pair.awaitingReply(by: browser, on: form)
            let delivered = try await pair.deliverMail(pending.message().bytes)
            #expect(delivered.log.contains("reply_accepted"), "\(delivered.output)")
            let complete = try await browser.follow(pending.proceed())
            let answer = try await pair.verify(complete.token(), as: pair.client)
            let session = try JSONDecoding.value(answer.body)["session"]
            #expect(session?["methods"]?.items.map(\.text) == ["email_reply"])
            let again = try await pair.deliverMail(pending.message().bytes)
            #expect(again.log.contains("reply_ignored") && again.log.contains("reason=used"))
        }
    }

    @Test("an ignored message ends with 0 and its reason in the log, without the number; LOG_FORMAT=json applies")
    func ignored() async throws {
        try await ProcessDeployment.running(try ProcessDeployment(settings: ReplySettings.all)) { pair in
            let pending = try await pair.awaitingReply(by: Browser())
            let wrong = try await pair.deliverMail(
                pending.message(pending.wrong).bytes, recipient: pending.recipient.uppercased(),
                settings: ["LOG_FORMAT": "json"])
            let line = try JSONDecoding.value(Array(wrong.log.utf8))
            #expect(line["event"]?.text == "reply_ignored" && line["reason"]?.text == "wrong_number")
            #expect(line["sender"]?.text == "a…@example.com")
            #expect(!wrong.output.contains(pending.recipient))

            // The recipient of the envelope decides.
            let other = try await pair.deliverMail(pending.message().bytes, recipient: "login@reply.example")
            #expect(other.log.contains("reason=no_recipient"))
            let large = [UInt8](repeating: 0x61, count: 2_000_000)
            let unreadable: [([UInt8], String)] = [([], "header_malformed"), (large, "too_large")]
            for (message, reason) in unreadable {
                let delivered = try await pair.deliverMail(message)
                #expect(delivered.log.contains("reason=\(reason)"), "\(delivered.output)")
            }
            #expect(try await pending.proceed().location().path == "/sign-in/code")
        }
    }

    @Test(
        "without a database, or with a wrong or missing setting, it ends with 75, so that the mail server tries again")
    func temporary() async throws {
        let pair = try ProcessDeployment(settings: ReplySettings.all)
        let missing = try await pair.deliverMail([], endsWith: 75)
        #expect(missing.log.contains("there is no database at \(pair.databasePath)"))
        #expect(!FileManager.default.fileExists(atPath: pair.databasePath))
        try Data("no database, and longer than a header".utf8).write(to: URL(fileURLWithPath: pair.databasePath))
        // Mail to an address that was not made here does not even open the database.
        let stray = ReplyMessage(
            recipient: "login+x@\(ReplySettings.domain)", sender: "ann@example.com", number: "1234")
        #expect(try await pair.deliverMail(stray.bytes).log.contains("reply_ignored"))
        let keys = try DerivedKeys.parse(pair.idp.settings["IDP_SECRET_KEY"] ?? "", setting: "IDP_SECRET_KEY")
        let address = EmailReply(keys: keys, domain: ReplySettings.domain)
            .address(for: Challenge.id([UInt8](repeating: 7, count: Challenge.randomBytes)))
        let own = ReplyMessage(recipient: address?.text ?? "", sender: "ann@example.com", number: "1234")
        #expect(try await !pair.deliverMail(own.bytes, endsWith: 75).log.isEmpty)
        let settings = [
            ["IDP_SECRET_KEY": ""], ["IDP_INBOUND_MAIL_DOMAIN": ""], ["IDP_INBOUND_AUTHSERV_ID": ""],
            ["IDP_SECRET_KEY": "short"], ["IDP_INBOUND_MAIL_DOMAIN": "localhost"],
            ["IDP_INBOUND_MAIL_DOMAIN": "", "IDP_INBOUND_AUTHSERV_ID": ""],
            ["IDP_SECRET_KEY": "", "IDP_INBOUND_MAIL_DOMAIN": "", "IDP_INBOUND_AUTHSERV_ID": ""],
        ]
        for change in settings {
            let program = try await pair.deliverMail([], settings: change, endsWith: 75)
            #expect(
                program.log.hasPrefix("idp: IDP_") && change.keys.allSatisfy(program.log.contains),
                "\(change) \(program.output)")
        }
    }

    @Test("with other keys than the IdP a reply is not ignored: it ends with 75, so that it comes again")
    func otherKeys() async throws {
        let pair = try ProcessDeployment(settings: ReplySettings.all)
        let (old, new) = (pair.idp.settings["IDP_SECRET_KEY"] ?? "", TestSecret.new())
        pair.idp.set("IDP_SECRET_KEY", to: "\(new),\(old)")
        try await ProcessDeployment.running(pair) { pair in
            let pending = try await pair.awaitingReply(by: Browser())
            for keys in [old, TestSecret.new()] {
                let kept = try await pair.deliverMail(
                    pending.message().bytes, settings: ["IDP_SECRET_KEY": keys], endsWith: 75)
                #expect(kept.log.contains("IDP_SECRET_KEY: lacks the key"), "\(kept.output)")
                #expect(!kept.log.contains("reply_ignored"))
            }
            let foreign = EmailReply(
                keys: try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"), domain: ReplySettings.domain)
            let address = foreign.address(for: Challenge.id([UInt8](repeating: 7, count: Challenge.randomBytes)))
            let stray = ReplyMessage(recipient: address?.text ?? "", sender: "ann@example.com", number: "1234")
            let all = ["IDP_SECRET_KEY": "\(old),\(new)"]
            let ignored = try await pair.deliverMail(stray.bytes, settings: all)
            #expect(ignored.log.contains("reason=unknown_recipient"), "\(ignored.output)")
            let accepted = try await pair.deliverMail(pending.message().bytes, settings: all)
            #expect(accepted.log.contains("reply_accepted"), "\(accepted.output)")
        }
    }

    @Test("wrong usage ends with 64", arguments: [["mail", "deliver", "--unknown"], ["mail", "deliver", "a", "b"]])
    func usage(_ arguments: [String]) async throws {
        let pair = try ProcessDeployment(settings: ReplySettings.all)
        try await pair.idp(arguments, endsWith: 64)
    }
}
