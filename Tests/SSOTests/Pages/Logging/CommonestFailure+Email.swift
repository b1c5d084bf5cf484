import SSOWeb
import Testing

@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension CommonestFailure {
    static let mail = [
        CommonestFailure(
            "No code arrives",
            Way("mail_not_sent", ["reason": "address_not_allowed"]) { deployment, browser in
                _ = try await browser.ask(for: "zoe@nowhere.org", on: browser.beginSignIn(at: deployment.client))
                return .user("zoe@nowhere.org")
            },
            Way("mail_not_sent", ["reason": "account_disabled"]) { deployment, browser in
                try await deployment.account()
                try await deployment.change(DisableUser("ann@example.com"))
                _ = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "No code arrives, and the log has no refusal",
            Way("mail_sent", ["address": "a…@example.com"]) { deployment, browser in
                _ = try await deployment.asked(by: browser)
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "The code arrives late, or not at all, for everyone",
            Way("mail_delivery_failed") { deployment, browser in
                try deployment.mailbox.block()
                _ = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
                try await eventually("an attempt") { deployment.log.contains("mail_delivery_failed") ? () : nil }
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "The code arrives late under load",
            Way("mail_limit_reached", ["limit": "10"], in: .settings(["IDP_MAIL_HOURLY_LIMIT": "10"])) {
                deployment, browser in
                for number in 0..<8 {
                    _ = try await deployment.waiting(for: "user-\(number)@example.com", by: deployment.browser())
                }
                try await eventually("the alarm") { deployment.log.contains("mail_limit_reached") ? () : nil }
                _ = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
                return .waiting("ann@example.com")
            }),
    ]

    static let codes = [
        CommonestFailure(
            "\"That code didn't work\"",
            Way("code_rejected", ["reason": "wrong", "tries_left": "3"]) { deployment, browser in
                try await deployment.account()
                let pending = try await deployment.asked(by: browser)
                for _ in 1...2 { try await pending.type(pending.wrong) }
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "The code is used up",
            Way("code_rejected", ["reason": "used_up", "tries_left": "0"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                for _ in 1...5 { try await pending.type(pending.wrong) }
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "The code has expired",
            Way("code_rejected", ["reason": "expired"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                deployment.clock.advance(by: .minutes(10))
                try await pending.type(pending.code)
                return .user("ann@example.com")
            },
            Way("code_rejected", ["reason": "expired"]) { deployment, browser in
                let known = try await deployment.account()
                let pending = try await deployment.asked(by: browser)
                _ = try await pending.press(pending.open(in: known), in: known)
                try await pending.type(pending.code)
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "Typing codes is paused",
            Way("code_rejected", ["reason": "paused"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                try await deployment.typeWrongCodes(20)
                try await pending.type(pending.code)
                return .user("ann@example.com")
            },
            Way("codes_paused") { deployment, browser in
                try await deployment.account()
                try await deployment.typeWrongCodes(20)
                let page = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
                try await deployment.sendDueEmails()
                // The user looks at the page again, which has no field.
                let again = try await browser.get(page.address)
                #expect(try again.page().form(with: "code") == nil)
                return .user("ann@example.com")
            }),
    ]

    static let proofs = [
        CommonestFailure(
            "The link in the email does not work",
            Way("link_rejected", ["reason": "expired"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                deployment.clock.advance(by: .minutes(10))
                _ = try await pending.open()
                return .user("ann@example.com")
            },
            Way("link_rejected", ["reason": "used"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                _ = try await pending.signIn()
                _ = try await pending.open()
                return .user("ann@example.com")
            },
            Way("link_rejected", ["reason": "damaged"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                _ = try await browser.follow(browser.get(String(pending.link.dropLast())))
                return .user("ann@example.com")
            },
            Way("link_rejected", ["reason": "no_cookie"]) { deployment, browser in
                let pending = try await deployment.asked(by: browser)
                let next = try await browser.get(pending.link).location()
                browser.setCookie("idp_link", to: nil, at: next.host)
                _ = try await browser.get(next)
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "An answer to the email does nothing",
            Way("reply_ignored", ["reason": "wrong_number"], in: .replies) { deployment, browser in
                let pending = try await deployment.awaitingReply(
                    by: browser, on: browser.beginSignIn(at: deployment.client))
                try await deployment.sendDueEmails()
                _ = try await deployment.deliver(pending.message(pending.wrong))
                return .user("ann@example.com")
            },
            // No part of the message is trusted, and the log says all the same whose email it answers.
            Way("reply_ignored", ["reason": "other_authserv_id"], in: .replies) { deployment, browser in
                let pending = try await deployment.awaitingReply(
                    by: browser, on: browser.beginSignIn(at: deployment.client))
                try await deployment.sendDueEmails()
                let text = String(decoding: pending.message().bytes, as: UTF8.self)
                _ = try await deployment.post(Array(text.replacing(ReplySettings.authservID, with: "mx.other").utf8))
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "The invitation does not work",
            Way("invitation_rejected", ["reason": "expired"]) { deployment, browser in
                let link = try await deployment.invited()
                deployment.clock.advance(by: .days(7))
                _ = try await browser.follow(browser.get(link))
                return .user("guest@elsewhere.org")
            },
            Way("invitation_rejected", ["reason": "withdrawn"]) { deployment, browser in
                let link = try await deployment.invited()
                try await deployment.change(WithdrawInvitation("guest@elsewhere.org"))
                _ = try await browser.follow(browser.get(link))
                return .user("guest@elsewhere.org")
            },
            Way("invitation_rejected", ["reason": "used"]) { deployment, browser in
                let link = try await deployment.invited()
                let earlier = deployment.mailbox.all(to: "guest@elsewhere.org")
                let waiting = try await browser.accept(link)
                let code = try await deployment.mailbox.code(to: "guest@elsewhere.org", besides: earlier)
                _ = try await browser.enter(code, on: waiting)
                try await deployment.sendDueEmails()
                _ = try await browser.follow(browser.get(link))
                return .user("guest@elsewhere.org")
            }),
    ]
}

extension TestDeployment {
    /// The link of an invitation, whose email has left.
    fileprivate func invited() async throws -> String {
        try await invite("guest@elsewhere.org", client: client.id)
        let link = try await invitationLink(to: "guest@elsewhere.org")
        try await sendDueEmails()
        return link
    }
}
