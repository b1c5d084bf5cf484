import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A link that no longer works", .program, .alsoOnPostgres)
struct EmailLinkEndTests {
    @Test(
        "works for ten minutes; then a page says so, and leads back to the client: its flow has ended with the link",
        arguments: [599, 600])
    func expired(seconds: Int) async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let page = try await asking.open()
            deployment.clock.advance(by: .seconds(seconds))
            let works = seconds < 600
            let again = try await asking.open()
            #expect(again.status == (works ? 200 : 410))
            #expect(again.text.contains("This link has expired") == !works)
            let pressed = try await asking.press(page)
            #expect(pressed.status == (works ? 303 : 410))
            #expect(try await asking.browser.isSignedInOnHomePage(of: deployment) == works)
            if works { return }
            #expect(try pressed.page().form(to: "/sign-in") == nil)
            let ways = try pressed.page().links.filter { $0 != "/" }
            #expect(ways.count == 1 && deployment.client.callback.hasPrefix(ways[0]), "one next step: \(ways)")
        }
    }

    @Test("cut off or changed in the asking browser: the page says so and offers another email for the same flow")
    func damaged() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            _ = try await asking.open()
            let cut = String(asking.link.dropLast(5))
            deployment.clock.advance(by: .seconds(61))
            let page = try await asking.browser.follow(asking.browser.get(cut))
            #expect(page.status == 410 && page.text.contains("cut it off"))
            // The key of the link before it is not used in place of the damaged one.
            #expect(try page.page().form(to: "/sign-in/link") == nil)
            let next = try await Self.expectNewEmail(page, asking, deployment)
            let complete = try await next.signIn()
            #expect(try complete.callback().absolute.hasPrefix(deployment.client.callback))
        }
    }

    @discardableResult
    private static func expectNewEmail(
        _ page: Visit, _ asking: PendingLink, _ deployment: TestDeployment
    ) async throws -> PendingLink {
        let form = try #require(try page.page().form(to: "/sign-in"))
        #expect(form["email"] == "ann@example.com")
        #expect(form["flow"] == asking.waiting.address.query("flow"))
        #expect(page.text.contains("a…@example.com"))
        #expect(try page.page().forms.count == 1 && page.page().links.allSatisfy { $0 == "/" }, "one next step")
        return try await asking.browser.askForLink(of: deployment, on: page)
    }

    @Test("of an email whose code has signed in, opened elsewhere: the page says so and leads to the sign-in")
    func afterTheCode() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            let page = try await asking.open()
            #expect(try await asking.browser.enter(asking.code, on: asking.waiting).status == 200)
            let other = try await asking.open(in: deployment.browser())
            #expect(other.status == 410 && other.text.contains("This link has been used"))
            #expect(!other.text.contains(asking.code))
            #expect(try other.page().links.contains("/sign-in"))
            // In the browser that is signed in by it the next step goes on.
            let same = try await asking.open()
            #expect(same.status == 410 && same.text.contains("This link has been used"))
            #expect(try same.page().forms.isEmpty)
            #expect(try same.page().links == ["/", "/"])
            // The form from before the sign-in is of another session.
            #expect(try await asking.press(page).status == 403)
            #expect(try await deployment.usedChallenges() == 1)
        }
    }

    @Test("after the link neither its code nor the link itself works a second time")
    func afterTheLink() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let tab = asking.browser.twin()
            let page = try await asking.open(in: tab)
            let complete = try await asking.signIn()
            #expect(try complete.token().hasPrefix("sst_"))
            #expect(try await asking.press(page, in: tab).status == 303)
            let form = try asking.waiting.page().form(with: "code")
            #expect(try await tab.submit(form, on: asking.waiting, ["code": asking.code]).status == 303)
            #expect(try await !tab.isSignedInOnHomePage(of: deployment))
            let again = try await asking.open()
            #expect(again.status == 410)
            // The one next step is where to start again.
            #expect(try again.page().links.contains(deployment.client.origin + "/"))
            #expect(try await deployment.usedChallenges() == 1)
        }
    }

    /// better-auth #9572.
    @Test("of 100 posts of one link one signs in, and there is one session")
    func atTheSameInstant() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let page = try await asking.open()
            let twins = (0..<100).map { _ in asking.browser.twin() }
            let replies = try await atOnce(100) { try await asking.press(page, in: twins[$0]) }
            #expect(replies.allSatisfy { $0.status == 303 || (400..<500).contains($0.status) })
            #expect(replies.count { $0.reply.all("set-cookie").contains { $0.hasPrefix("idp_session=") } } == 1)
            #expect(try await deployment.stored.sessions.signedIn.count() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
            #expect(try await deployment.usedChallenges() == 1)
            var signedIn = 0
            for twin in twins where try await twin.isSignedInOnHomePage(of: deployment) { signedIn += 1 }
            #expect(signedIn == 1)
        }
    }

    @Test(
        "an unknown key, a changed one and a cut one get the same answers",
        arguments: ["", "x", String(repeating: "A", count: 43), "changed", "cut", "longer"])
    func unknown(kind: String) async throws {
        try await TestDeployment.open { deployment in
            let key = try await deployment.askingForLink().key
            let wrong =
                switch kind {
                case "changed": String(key.dropLast(2)) + (key.hasSuffix("AA") ? "BA" : "AA")
                case "cut": String(key.dropLast())
                case "longer": key + "A"
                default: kind
                }
            let browser = deployment.browser()
            let first = try await browser.get(deployment.origin + "/sign-in/link" + (wrong.isEmpty ? "" : "/\(wrong)"))
            let page = try await browser.follow(first)
            #expect(page.status == 410 && page.text.contains("This link doesn&#39;t work"))
            #expect(try page.page().links.contains("/sign-in") && page.page().forms.isEmpty)
            #expect(browser.session == nil)
            #expect(deployment.log.contains("link_rejected"))
        }
    }

    @Test("of a user who may not sign in any more leads to the page that says so, and stays unused")
    func disabled() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.knownBrowser()
            let asking = try await deployment.askingForLink()
            let page = try await asking.open()
            try await deployment.stored.accounts.disable()
            #expect(try await asking.press(page).status == 403)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.usedChallenges() == 1, "that of the earlier sign-in")
        }
    }

    @Test("a link that is pressed counts like a typed code, and a success gives the count back")
    func limits() async throws {
        let settings = ["IDP_LIMIT_CODE_POSTS": "2", "IDP_TRUSTED_PROXIES": "127.0.0.0/8"]
        try await TestDeployment.open(settings: settings) { deployment in
            for number in 1...4 {
                let asking = try await deployment.askingForLink("user-\(number)@example.com")
                #expect(try await asking.signIn().status == 200, "number \(number)")
            }
            let asking = try await deployment.askingForLink()
            for _ in 1...2 {
                let form = try asking.waiting.page().form(with: "code")
                _ = try await asking.browser.submit(form, on: asking.waiting, ["code": "000000"])
            }
            let page = try await asking.open()
            let limited = try await asking.press(page)
            #expect(limited.status == 429 && limited.reply.header("retry-after") != nil)
            #expect(try await deployment.usedChallenges() == 4)
        }
    }
}
