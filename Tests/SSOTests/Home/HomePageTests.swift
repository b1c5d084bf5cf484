import SSOShared
import Testing

@testable import TestSupport

@Suite("The IdP's home page")
struct HomePageTests {
    @Test("a visitor sees one sign-in link and no user's data")
    func visitor() async throws {
        try await TestDeployment.open { deployment in
            let home = try await deployment.browser().get(deployment.origin + "/")
            #expect(home.status == 200)
            #expect(try home.page().links.filter { $0 != "/" } == ["/sign-in"])
            #expect(try home.page().forms.isEmpty)
            #expect(home.reply.all("set-cookie").isEmpty)
        }
    }

    @Test("clients get the name set here; the first one is the part before the @")
    func name() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let first = try await deployment.verify(
                browser.token(for: deployment.client, of: deployment), as: deployment.client)
            #expect(first.text.contains("\"name\":\"ann\""))
            let saved = try await Self.rename(browser, of: deployment, to: "  Ann \t Lee ")
            #expect(saved.status == 303)
            #expect(saved.reply.header("location") == "/")
            #expect(try await browser.get(deployment.origin + "/").text.contains("Hello Ann Lee"))
            let second = try await deployment.verify(
                browser.token(for: deployment.client, of: deployment, state: "second"), as: deployment.client)
            #expect(second.text.contains("\"name\":\"Ann Lee\""))
        }
    }

    @Test(
        "an invalid name is refused with a message, and the old one stays", arguments: ["", "\u{202e}evil", "\u{3164}"])
    func badName(typed: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let refused = try await Self.rename(browser, of: deployment, to: typed)
            #expect(refused.status == 422)
            #expect(try refused.page().tags.contains { $0["role"] == "alert" })
            #expect(try await browser.get(deployment.origin + "/").text.contains("Hello ann<"))
        }
    }

    @Test("it shows who is signed in, since when, and at which clients")
    func facts() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.clients[0], of: deployment, as: "ann@example.com")
            var home = try await browser.get(deployment.origin + "/")
            #expect(home.text.contains("ann@example.com"))
            #expect(home.text.contains("21 November 2026, 12:00 UTC"))
            #expect(!home.text.contains("Partner number 1"), "the client has not redeemed the token yet")
            _ = try await browser.follow(browser.get(complete.callback()))
            home = try await browser.get(deployment.origin + "/")
            #expect(home.text.contains("Partner number 1"))
            #expect(!home.text.contains("Partner number 2"))
            #expect(try home.page().links.contains(deployment.clients[0].origin + "/"))
        }
    }

    static func rename(_ browser: Browser, of deployment: TestDeployment, to name: String) async throws -> Visit {
        let home = try await browser.get(deployment.origin + "/")
        return try await browser.submit(home.page().form(to: "/name"), on: home, ["name": name])
    }
}
