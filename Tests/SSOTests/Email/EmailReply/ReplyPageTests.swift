import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The waiting page and the email where answers are received", .program, .alsoOnPostgres)
struct ReplyPageTests {
    @Test("the page shows the number and learns of the answer; without JavaScript it loses nothing that one types")
    func number() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = deployment.browser()
            let pending = try await deployment.awaitingReply(
                by: browser, on: browser.beginSignIn(at: deployment.client))
            let flow = try #require(pending.waiting.address.query("flow"))
            let paths = try pending.waiting.replyPaths()
            #expect(paths.events == "/sign-in/events?flow=\(flow)")
            #expect(paths.next == "/sign-in/reply?flow=\(flow)")
            // However long one types: a page that reloads itself would lose it.
            #expect(try pending.waiting.page().refresh == nil)
            #expect(!pending.waiting.text.contains("http-equiv"))
            let button = try #require(try pending.waiting.page().tags.first { $0["formaction"] != nil })
            #expect(button["formaction"] == paths.next && button["form"] == "enter-code")
        }
    }

    @Test("without JavaScript a button goes on after a reply, also from a page with an error")
    func withoutScript() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let wrong = try await pending.browser.submit(
                pending.waiting.page().form(with: "code"), on: pending.waiting, ["code": "12"])
            #expect(wrong.status == 422 && wrong.shownNumber == pending.number)

            _ = try await deployment.deliver(pending.message())
            for page in [pending.waiting, wrong] {
                _ = try await pending.browser.follow(pending.browser.goOn(after: page))
                #expect(try await pending.browser.isSignedInOnHomePage(of: deployment))
            }
        }
    }

    @Test("a page that waits for an answer may connect to the server by script, and not when it waits no longer")
    func policy() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let policy = try #require(pending.waiting.reply.header("content-security-policy"))
            #expect(policy.contains("connect-src 'self'") && policy.contains("default-src 'none'"))
            deployment.clock.advance(by: .minutes(11))
            let pages = [
                try await pending.browser.get(deployment.origin + "/nowhere"),
                try await pending.browser.get(pending.waiting.address),
            ]
            for page in pages {
                let policy = try #require(page.reply.header("content-security-policy"))
                #expect(!policy.contains("connect-src"), "\(page.address.absolute)")
                #expect(page.shownNumber == nil)
            }
        }
    }

    @Test("the email asks for the number and has the one-time address, and never the number itself")
    func email() async throws {
        try await TestDeployment.receivingReplies { deployment in
            var seen = 0
            for account in 0..<5 {
                let pending = try await deployment.awaitingReply("user\(account)@example.com", by: deployment.browser())
                let text = pending.email.text.decodingQuotedPrintable()
                #expect(pending.recipient.wholeMatch(of: #/login\+[a-z2-7]{52}@reply\.example/#) != nil)
                #expect(text.contains("four-digit number"))
                let numbers = text.matches(of: #/(?:^|[^0-9A-Za-z])([0-9]{4})(?![0-9A-Za-z])/#).map { String($0.1) }
                seen += numbers.contains(pending.number) ? 1 : 0
            }
            // The year, a port or a time zone may be the same number, once in some thousand times.
            #expect(seen < 2)
        }
    }

    @Test("without the setting there is no number, no Reply-To, no event and no such page")
    func off() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            #expect(asking.waiting.shownNumber == nil && !asking.waiting.text.contains("data-events"))
            #expect(try asking.waiting.page().refresh == nil)
            #expect(asking.waiting.reply.header("content-security-policy")?.contains("connect-src") == false)
            let email = try #require(deployment.mailbox.all(to: "ann@example.com").first)
            #expect(email.header("reply-to") == nil)
            #expect(!email.text.decodingQuotedPrintable().contains("four-digit"))
            for path in ["/sign-in/events", "/sign-in/reply"] {
                #expect(try await asking.browser.get(deployment.origin + path).status == 404, "\(path)")
            }
        }
    }

    @Test("without a challenge, or signed in without a flow, the address of the waiting page leads on")
    func withoutChallenge() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = deployment.browser()
            let none = try await browser.get(deployment.origin + "/sign-in/reply")
            #expect(none.status == 303)
            #expect(try none.location().path == "/sign-in")
            #expect(browser.session == nil)
            let signedIn = try await deployment.signedIn()
            let home = try await signedIn.get(deployment.origin + "/sign-in/reply")
            #expect(try home.location().path == "/")
        }
    }
}
