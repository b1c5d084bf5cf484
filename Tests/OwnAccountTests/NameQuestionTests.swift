import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A user is asked once what services should call them", .program)
struct NameQuestionTests {
    private static func isAsked(_ browser: Browser, at deployment: TestDeployment) async throws -> Bool {
        try await browser.get(deployment.origin + "/").text.contains("What should services call you?")
    }

    @Test("it stands on the home page after a sign-in by email, until it is answered or left: then never again")
    func leftForLater() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let signedIn = try await asking.guess(asking.code)
            #expect(
                try signedIn.status == 303 && signedIn.location().path == "/", "no page stands before the home page")
            let browser = asking.browser
            #expect(try await Self.isAsked(browser, at: deployment))
            #expect(try await Self.isAsked(browser, at: deployment), "a look answers nothing")
            let home = try await browser.get(deployment.origin + "/")
            let left = try await browser.submit(home.page().form(to: "/name/later"), on: home)
            #expect(try left.status == 303 && left.location().target == "/")
            #expect(try await !Self.isAsked(browser, at: deployment))
            try await deployment.forgetEmails(to: "ann@example.com")
            #expect(try await !Self.isAsked(deployment.signedIn(), at: deployment), "in no other browser either")
            #expect(try await deployment.listed("ann@example.com")?.account.name == "ann")
        }
    }

    @Test(
        "a name answers it, also the one that it has already, and can be changed later", arguments: ["Ann Lee", "ann"])
    func answered(name: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            #expect(try await browser.rename(at: deployment, to: name).status == 303)
            #expect(try await !Self.isAsked(browser, at: deployment))
            #expect(try await browser.rename(at: deployment, to: "Ann").status == 303)
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).text.contains("\"name\":\"Ann\""))
        }
    }

    @Test("a name without a visible character answers nothing, and its error stands at the question")
    func badName() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let refused = try await browser.rename(at: deployment, to: "\u{202e}")
            #expect(refused.status == 422 && refused.text.contains("What should services call you?"))
            #expect(try refused.page().tags.count { $0["id"] == "name" } == 1, "one field, whichever form it is in")
        }
    }

    @Test("a sign-in for a service goes from the code to the completion page, as ever")
    func service() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
            let entered = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try entered.status == 200 && entered.page().link(containing: "token=") != nil)
            #expect(!entered.text.contains("call you?") && !entered.text.contains("/name"))
            #expect(try await Self.isAsked(browser, at: deployment), "the home page asks when the user comes there")
        }
    }

    @Test("who was invited without a name is asked, who has one is not")
    func invited() async throws {
        try await TestDeployment.open { deployment in
            for (address, name) in [("ben@example.com", nil), ("cleo@example.com", "Cleo Lind")] {
                try await deployment.invite(address)
                if let name { try await deployment.change(RenameUser(address, to: name)) }
                let browser = deployment.browser()
                let waiting = try await browser.accept(deployment.invitationLink(to: address))
                _ = try await browser.enter(deployment.mailbox.code(to: address), on: waiting)
                #expect(try await Self.isAsked(browser, at: deployment) == (name == nil), "\(address)")
            }
        }
    }

    @Test("a user of a provider has the name that they have there")
    func provider() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            try place.standIn(.oidc).user = .init(subject: "1", email: "ann@example.com", name: "Ann Lee")
            let browser = place.deployment.browser()
            _ = try await place.signIn(.oidc, in: browser)
            #expect(try await browser.isSignedInOnHomePage(of: place.deployment))
            #expect(try await !Self.isAsked(browser, at: place.deployment))
        }
    }
}
