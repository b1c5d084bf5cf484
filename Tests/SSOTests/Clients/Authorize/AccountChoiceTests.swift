import SSOShared
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit

@Suite("Choosing another account", .program)
struct AccountChoiceTests {
    private static func asking(_ deployment: TestDeployment, state: String = "s") -> String {
        deployment.authorize(deployment.client, state: state) + "&prompt=select_account"
    }

    /// Follows "Not you?" of a completion page to the choice, and the button there to the sign-in form.
    private static func switchAccount(_ browser: Browser, on complete: Visit) async throws -> Visit {
        let link = try complete.page().link(containing: "prompt=select_account")
        let choice = try await browser.follow(browser.click(link, on: complete))
        #expect(choice.address.path == AccountChoice.path)
        return try await browser.follow(browser.submit(choice.page().form(to: AccountChoice.path), on: choice))
    }

    @Test(
        "the first account's token is void, the request keeps its state, and its next token is the other user's")
    func token() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let first = try await browser.get(deployment.authorize(deployment.client, state: "kept"))
            let form = try await Self.switchAccount(browser, on: first)
            #expect(form.address.path == "/sign-in" && form.text.contains(deployment.client.name))
            #expect(try await deployment.verify(first.token(), as: deployment.client).status == 401)

            let waiting = try await browser.ask(for: "ben@example.com", on: form)
            let second = try await browser.enter(deployment.mailbox.code(to: "ben@example.com"), on: waiting)
            #expect(try second.callback().query("state") == "kept")
            #expect(try second.page().refresh?.seconds == 2)
            #expect(try await deployment.verify(first.token(), as: deployment.client).status == 401)
            let reply = try await deployment.verify(second.token(), as: deployment.client)
            #expect(reply.status == 200 && reply.text.contains("ben@example.com"))
        }
    }

    @Test("the other user arrives at the client where the sign-in began")
    func journey() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = deployment.browser()
            let first = try await browser.signIn(at: deployment.clients[1], of: deployment, as: "ann@example.com")
            let form = try await Self.switchAccount(browser, on: first)
            let waiting = try await browser.ask(for: "ben@example.com", on: form)
            let second = try await browser.enter(deployment.mailbox.code(to: "ben@example.com"), on: waiting)
            let home = try await browser.follow(browser.get(second.callback()))
            #expect(home.address.absolute == deployment.clients[1].origin + "/")
            #expect(try await browser.get(deployment.clients[1].origin + "/api/session").text.contains("ben@example"))
        }
    }

    @Test("the flow of another tab is kept, and continues as the other user")
    func twoTabs() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = deployment.browser()
            let otherTab = try await browser.beginSignIn(at: deployment.clients[0])
            let first = try await browser.signIn(at: deployment.clients[1], of: deployment, as: "ann@example.com")
            let form = try await Self.switchAccount(browser, on: first)
            let waiting = try await browser.ask(for: "ben@example.com", on: form)
            _ = try await browser.enter(deployment.mailbox.code(to: "ben@example.com"), on: waiting)
            let late = try await browser.follow(browser.get(otherTab.address))
            #expect(try late.callback().absolute.hasPrefix(deployment.clients[0].callback + "?"))
            _ = try await browser.follow(browser.get(late.callback()))
            #expect(try await browser.get(deployment.clients[0].origin + "/api/session").text.contains("ben@example"))
        }
    }

    @Test("a user may keep the account: the page goes on after two seconds, without another email")
    func keep() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let choice = try await browser.follow(browser.get(Self.asking(deployment)))
            #expect(choice.text.contains("Continue as <bdi>ann</bdi>") && choice.text.contains("ann@example.com"))
            #expect(!choice.text.contains("sst_"))
            let complete = try await browser.follow(
                browser.click(choice.page().link(containing: SSOPath.complete), on: choice))
            #expect(try complete.page().refresh?.seconds == 2)
            #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1)
        }
    }

    @Test("asking alone issues no token and ends nothing")
    func asksOnly() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let tokens = try await deployment.rows(of: "sso_token")
            let asked = try await browser.get(Self.asking(deployment))
            #expect(asked.status == 303)
            for _ in 1...2 { #expect(try await browser.get(asked.location()).status == 200) }
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    /// ASVS 3.5.1.
    @Test("the form needs its token: another site cannot sign a user out with it")
    func forged() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let choice = try await browser.follow(browser.get(Self.asking(deployment)))
            let mallory = try await deployment.signedIn(as: "mallory@example.com")
            let theirs = try await mallory.get(deployment.origin + "/").formToken()
            for token in ["", "x", theirs] {
                let flow = choice.address.query("flow") ?? ""
                let refused = try await browser.post(
                    choice.address.resolving(AccountChoice.path), [("form_token", token), ("flow", flow)])
                #expect(refused.status == 403)
            }
            let crossSite = try await browser.post(
                choice.address.resolving(AccountChoice.path),
                [("form_token", choice.formToken()), ("flow", choice.address.query("flow") ?? "")],
                [("Origin", "https://evil.example")])
            #expect(crossSite.status == 403)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    /// ASVS 7.2.4.
    @Test("the session id is new, and the one before is dead")
    func fixation() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let holder = browser.twin()
            let before = browser.session
            let form = try await Self.switchAccount(
                browser, on: browser.get(deployment.authorize(deployment.client, state: "s")))
            #expect(form.address.path == "/sign-in" && browser.session != nil && browser.session != before)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await !holder.isSignedInOnHomePage(of: deployment))
            #expect(try await holder.get(deployment.authorize(deployment.client, state: "x")).status == 303)
        }
    }

    @Test("sent twice, the second one leads to the sign-in form too")
    func twice() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let choice = try await browser.follow(browser.get(Self.asking(deployment)))
            let form = try choice.page().form(to: AccountChoice.path)
            for _ in 1...2 {
                let sent = try await browser.submit(form, on: choice)
                #expect(sent.status == 303)
                #expect(try sent.location().target == "/sign-in?flow=\(choice.address.query("flow") ?? "")")
            }
        }
    }

    @Test("a visitor who is not signed in gets the sign-in form")
    func visitor() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(Self.asking(deployment))
            #expect(try form.status == 303 && form.location().path == "/sign-in")
            let flow = try #require(try form.location().query("flow"))
            let choice = try await browser.get("\(deployment.origin)\(AccountChoice.path)?flow=\(flow)")
            #expect(try choice.status == 303 && choice.location().target == "/sign-in?flow=\(flow)")
        }
    }

    @Test("a flow that has ended, and one of another browser, is refused as after a sign-in")
    func ended() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let choice = try await browser.follow(browser.get(Self.asking(deployment)))
            let other = try await deployment.signedIn(as: "ben@example.com")
            #expect(try await other.get(choice.address).status == 404)
            #expect(try await deployment.browser().get(choice.address).status == 404)
            _ = try await browser.click(choice.page().link(containing: SSOPath.complete), on: choice)
            let late = try await browser.get(choice.address)
            #expect(late.status == 410)
            #expect(late.text.contains("This sign-in to <bdi>Partner number 1</bdi> has expired"))
            let german = try await browser.get(choice.address, [("Accept-Language", "de")])
            #expect(german.text.contains("Diese Anmeldung bei <bdi>Partner number 1</bdi> ist abgelaufen"))
        }
    }

    @Test("the page is in the language of the browser")
    func german() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let choice = try await browser.follow(browser.get(Self.asking(deployment)))
            let german = try await browser.get(choice.address, [("Accept-Language", "de-AT,en;q=0.5")])
            for words in ["lang=\"de\"", "Konto auswählen", "Weiter als <bdi>ann</bdi>", "Anderes Konto verwenden"] {
                #expect(german.text.contains(words), "\(words)")
            }
        }
    }
}
