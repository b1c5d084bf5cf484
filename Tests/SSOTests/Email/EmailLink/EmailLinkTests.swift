import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The link in the email, in the browser that asked", .program, .alsoOnPostgres)
struct EmailLinkTests {
    @Test("signs in with one button, goes on to the client with its state, and verify names the method")
    func client() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "state-1")))
            let asking = try await browser.askForLink(of: deployment, on: form)
            #expect(asking.waiting.text.contains("Or open the link in our email, in this browser."))
            let before = browser.session
            let page = try await asking.open()
            #expect(page.status == 200 && page.address.absolute == deployment.origin + "/sign-in/link")
            #expect(try page.page().forms.map(\.action) == ["/sign-in/link"])
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))

            let done = try await asking.press(page)
            #expect(done.status == 303)
            #expect(browser.cookie("idp_link", at: "localhost") == nil)
            #expect(browser.session != before)
            let complete = try await browser.follow(done)
            #expect(try complete.callback().query("state") == "state-1")
            let reply = try await deployment.verify(
                complete.token(), as: deployment.client, redirectURI: deployment.client.callback)
            #expect(reply.status == 200)
            #expect(reply.text.contains(#""methods":["email_link"]"#))
            #expect(browser.device != nil, "the browser is known from now on")
        }
    }

    @Test("without a client it ends on the home page, and the client's page works as after a code")
    func home() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            let home = try await asking.signIn()
            #expect(home.address.path == "/" && home.text.contains("ann@example.com"))
            let atClient = try await deployment.askingForLinkAtClient("ben@example.com")
            let complete = try await atClient.signIn()
            _ = try await atClient.browser.follow(atClient.browser.get(complete.callback()))
            #expect(try await atClient.browser.isSignedIn(at: deployment.client))
        }
    }

    /// ASVS 14.2.6: a preview or a screenshot of the page gives no address away.
    @Test("before the button the page names the client, and the address only masked", arguments: [true, false])
    func masked(atClient: Bool) async throws {
        try await TestDeployment.open { deployment in
            let asking =
                atClient ? try await deployment.askingForLinkAtClient() : try await deployment.askingForLink()
            let page = try await asking.open()
            #expect(page.text.contains("a…@example.com"))
            #expect(!page.text.contains("ann@example.com") && !page.text.contains(asking.code))
            #expect(page.text.contains(deployment.client.name) == atClient)
        }
    }

    @Test("works although the code is used up by wrong tries, and although typing codes is paused")
    func noCodeLeft() async throws {
        try await TestDeployment.open { deployment in
            let usedUp = try await deployment.askingForLink()
            for _ in 0..<5 {
                let form = try usedUp.waiting.page().form(with: "code")
                _ = try await usedUp.browser.submit(form, on: usedUp.waiting, ["code": "000000"])
            }
            let refused = try await usedUp.browser.submit(
                usedUp.waiting.page().form(with: "code"), on: usedUp.waiting, ["code": usedUp.code])
            #expect(refused.status == 422)
            #expect(refused.text.contains("still works, in this browser"))
            #expect(try await usedUp.signIn().text.contains("ann@example.com"))

            try await deployment.typeWrongCodes(20, for: "ben@example.com")
            try await deployment.sendDueEmails()
            try await deployment.forgetEmails(to: "ben@example.com")
            let paused = try await deployment.askingForLink("ben@example.com")
            #expect(try paused.waiting.page().form(with: "code") == nil, "typing is paused")
            #expect(try await paused.signIn().text.contains("ben@example.com"))
            #expect(try await deployment.failures(of: "ben@example.com") == 20, "a link is not a guess")
        }
    }

    @Test("is the same in the next email of the challenge, and each of the emails works")
    func resend() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.askingForLink()
            deployment.clock.advance(by: .seconds(61))
            let second = try await first.browser.askForLink(of: deployment)
            #expect(second.link == first.link && second.code == first.code)
            #expect(try await first.signIn().text.contains("ann@example.com"))
        }
    }

    @Test("of an address that was asked for earlier in the same browser signs in that address, which the page names")
    func earlierAddress() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.askingForLink()
            let ben = try await ann.browser.askForLink("ben@example.com", of: deployment)
            let page = try await ann.open()
            #expect(page.text.contains("a…@example.com"))
            #expect(try await ann.browser.follow(ann.press(page)).text.contains("ann@example.com"))
            let late = try await ben.open()
            #expect(try late.page().form(to: "/sign-in/link") == nil, "this browser no longer asks for ben")
            #expect(try await ann.browser.get(deployment.origin + "/").text.contains("ann@example.com"))
        }
    }

    @Test("after the sign-in Back leads where the sign-in went, and not to an error of the link")
    func back() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let page = try await asking.open()
            let complete = try await asking.browser.follow(asking.press(page))
            _ = try await asking.browser.follow(asking.browser.get(complete.callback()))
            let back = try await asking.browser.get(page.address)
            #expect(try back.location().path == SSOPath.complete)
            #expect(try await asking.browser.follow(back).text.contains(deployment.client.name))
            let again = try await asking.press(page)
            #expect(again.status == 303 || again.status == 403)
            #expect(try await deployment.usedChallenges() == 1)
            #expect(try await asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("sent twice leads both times to the same page: one session, no error")
    func twice() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let page = try await asking.open()
            let early = asking.browser.twin()
            let first = try await asking.press(page)
            // Sent before the first answer arrived: it has the old cookie.
            let second = try await asking.press(page, in: early)
            #expect(first.status == 303 && second.status == 303)
            #expect(try second.location().path == "/sign-in/link")
            // The browser has the cookies of the first answer by then.
            let next = try await asking.browser.get(second.location())
            #expect(try next.location().target == first.location().target)
            #expect(try await asking.browser.follow(next).token().hasPrefix("sst_"))
        }
    }
}
