import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The link in the email, in another browser", .program, .alsoOnPostgres)
struct EmailLinkElsewhereTests {
    @Test("signs in nobody, and shows client, device, time and the code that works where the sign-in began")
    func otherBrowser() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let phone = deployment.browser()
            let page = try await asking.open(in: phone)
            #expect(page.status == 200)
            #expect(
                page.text.contains(
                    "<code class=\"number whole\" translate=\"no\" aria-hidden=\"true\">\(asking.code)</code>"))
            #expect(page.text.contains(deployment.client.name) && page.text.contains("a Linux computer"))
            #expect(page.text.contains("12:00 UTC"))
            #expect(try page.page().forms.isEmpty)
            #expect(!page.text.contains("example.com"), "no address, not even masked")
            #expect(try await !phone.isSignedInOnHomePage(of: deployment))

            let complete = try await asking.browser.enter(asking.code, on: asking.waiting)
            #expect(try complete.token().hasPrefix("sst_"))
            #expect(try await !phone.isSignedInOnHomePage(of: deployment))
        }
    }

    /// The attacker asks for an email to the own address, and sends the victim its link (login CSRF).
    @Test("with the link of an attacker's email signs in nobody, also when the victim posts the form")
    func loginCSRF() async throws {
        try await TestDeployment.open { deployment in
            let attacker = try await deployment.askingForLink("mallory@example.com")
            let victim = try await deployment.askingForLink("ann@example.com")
            let page = try await attacker.open(in: victim.browser)
            #expect(try page.page().forms.isEmpty)
            let token = try victim.waiting.formToken()
            let posted = try await victim.browser.post(page.address, [("form_token", token)])
            #expect(posted.status == 303)
            #expect(try await !victim.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.usedChallenges() == 0)
            #expect(try await victim.signIn().text.contains("ann@example.com"))
        }
    }

    @Test("that waits for a code to another address shows the code and offers no button")
    func otherAddress() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.askingForLink("ann@example.com")
            let ben = try await deployment.askingForLink("ben@example.com")
            let page = try await ann.open(in: ben.browser)
            #expect(page.text.contains(ann.code))
            #expect(try page.page().forms.isEmpty)
        }
    }

    @Test("while no code can be typed asks to open the link where the sign-in began", arguments: [true, false])
    func noCode(paused: Bool) async throws {
        try await TestDeployment.open { deployment in
            if paused {
                try await deployment.typeWrongCodes(20)
                try await deployment.sendDueEmails()
                try await deployment.forgetEmails(to: "ann@example.com")
            }
            let asking = try await deployment.askingForLink()
            if !paused {
                for _ in 0..<5 {
                    let form = try asking.waiting.page().form(with: "code")
                    _ = try await asking.browser.submit(form, on: asking.waiting, ["code": "000000"])
                }
            }
            let page = try await asking.open(in: deployment.browser())
            #expect(page.status == 200)
            #expect(!page.text.contains(asking.code))
            #expect(page.text.contains("Open the link in the browser where you started"))
        }
    }

    @Test("that is known for the address offers the button and the code, and gets a session for the form")
    func knownBrowser() async throws {
        try await TestDeployment.open { deployment in
            let known = try await deployment.knownBrowser()
            let device = try #require(known.device)
            let asking = try await deployment.askingForLinkAtClient()
            let owner = deployment.browser()
            owner.setCookie("idp_device", to: device, at: "localhost")
            let before = try await deployment.rows(of: "session")
            let page = try await asking.open(in: owner)
            #expect(try await deployment.rows(of: "session") == before + 1)
            #expect(page.text.contains(asking.code) && page.text.contains("a…@example.com"))
            #expect(!page.text.contains("ann@example.com"))
            let home = try await owner.follow(asking.press(page, in: owner))
            #expect(home.address.path == "/" && home.text.contains("ann@example.com"))
            // The flow belongs to the other browser, which was not signed in.
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await asking.browser.enter(asking.code, on: asking.waiting).status == 422)
        }
    }

    @Test("that is known and signed in shows the code alone, for the window where the sign-in began")
    func signedIn() async throws {
        try await TestDeployment.open { deployment in
            let desktop = try await deployment.signedIn()
            try await deployment.forgetEmails(to: "ann@example.com")
            let asking = try await deployment.askingForLinkAtClient()
            let page = try await asking.open(in: desktop)
            #expect(page.text.contains(asking.code))
            #expect(try page.page().forms.isEmpty)
            #expect(try await desktop.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("that is known for another address only offers no button, and neither does a revoked device cookie")
    func otherDevice() async throws {
        try await TestDeployment.open { deployment in
            let ben = try await deployment.knownBrowser(of: "ben@example.com")
            let ann = try await deployment.knownBrowser(of: "ann@example.com")
            try await deployment.stored.knownBrowsers.of("ann@example.com").delete()
            let asking = try await deployment.askingForLink()
            for browser in [ben, ann] {
                let page = try await asking.open(in: browser)
                #expect(try page.page().forms.isEmpty)
                #expect(page.text.contains(asking.code))
            }
        }
    }
}
