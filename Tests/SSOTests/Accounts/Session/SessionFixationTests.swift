import ProbeKit
import Testing

@testable import IdPTestKit
@testable import TestKit

/// ASVS 7.2.4, WSTG-SESS-03.
@Suite("Session ids change at every step", .program, .alsoOnPostgres)
struct SessionFixationTests {
    @Test("an id that was planted or seen at one step is invalid at the next")
    func everyStep() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let beforeAddress = browser.twin()
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let beforeCode = browser.twin()
            let code = try await deployment.mailbox.code(to: "ann@example.com")

            // The holder of the first step's id has no access to the challenge, even with the code.
            let early = try await beforeAddress.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            #expect(try early.location().path == "/sign-in")
            let complete = try await browser.enter(code, on: waiting)
            #expect(try complete.page().link(containing: "token=") != nil)

            let ids = [beforeAddress.session, beforeCode.session, browser.session].compactMap { $0 }
            #expect(Set(ids).count == 3)
            for holder in [beforeAddress, beforeCode] {
                #expect(try await !holder.isSignedInOnHomePage(of: deployment))
                let page = try await holder.get(waiting.address)
                #expect(try page.location().path == "/sign-in")
            }
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.stored.sessions.signedIn.count() == 1)
        }
    }

    @Test("an attacker who makes a user sign in within the attacker's own session gains nothing")
    func planted() async throws {
        try await TestDeployment.open { deployment in
            let attacker = deployment.browser()
            _ = try await attacker.get(deployment.origin + "/sign-in")
            let victim = deployment.browser()
            victim.setCookie("idp_session", to: attacker.session, at: "localhost")
            let asking = try await deployment.asking(by: victim)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await victim.isSignedInOnHomePage(of: deployment))
            #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("an id that this server did not issue is never adopted")
    func invented() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let invented = String(repeating: "A", count: 43)
            browser.setCookie("idp_session", to: invented, at: "localhost")
            let asking = try await deployment.asking(by: browser)
            #expect(browser.session != invented)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(browser.session != invented)
        }
    }

    @Test("signing in keeps the pending flows and drops everything else of the session")
    func slots() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            _ = try await browser.get(deployment.authorize(deployment.client, state: "other-tab"))
            let asking = try await deployment.asking(by: browser)
            #expect(try await deployment.stored.sessions.holding("chl_").count() == 1)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await deployment.stored.sessions.holding("chl_").count() == 0)
            #expect(try await deployment.stored.sessions.holding("other-tab").count() == 1)
        }
    }
}
