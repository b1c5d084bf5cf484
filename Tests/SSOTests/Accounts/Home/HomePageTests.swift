import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The IdP's home page", .program)
struct HomePageTests {
    @Test("a visitor is sent to the sign-in page, and gets no cookie for that")
    func visitor() async throws {
        try await TestDeployment.open { deployment in
            let home = try await deployment.browser().get(deployment.origin + "/")
            #expect(home.status == 303 && home.reply.header("location") == "/sign-in")
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
            let saved = try await browser.rename(at: deployment, to: "  Ann \t Lee ")
            #expect(saved.status == 303)
            #expect(saved.reply.header("location") == "/?saved")
            let home = try await browser.follow(saved)
            #expect(home.text.contains("<p><bdi>Ann Lee</bdi></p>") && home.text.contains("Your name has been saved."))
            #expect(try await !browser.get(deployment.origin + "/").text.contains("has been saved"))
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
            let refused = try await browser.rename(at: deployment, to: typed)
            #expect(refused.status == 422)
            #expect(refused.text.contains("<title>Error: ") && refused.text.contains("of 1 to 80 visible characters."))
            let alert = try #require(try refused.page().tags.first { $0["role"] == "alert" })
            let field = try #require(try refused.page().tags.first { $0["id"] == "name" })
            #expect(field["autofocus"] != nil && field["aria-invalid"] == "true")
            #expect(field["aria-describedby"] == alert["id"])
            let home = try await browser.get(deployment.origin + "/")
            #expect(try home.page().form(to: "/name")?["name"] == "ann")
            #expect(try home.page().tags.allSatisfy { $0["autofocus"] == nil })
        }
    }

    @Test("it shows who is signed in, since when, and at which clients")
    func facts() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.clients[0], of: deployment, as: "ann@example.com")
            var home = try await browser.get(deployment.origin + "/")
            #expect(home.text.contains("ann@example.com"))
            #expect(
                home.text.contains("<time datetime=\"2026-11-21T12:00:00.000Z\">21 November 2026 at 12:00 UTC</time>"))
            #expect(
                !home.text.contains("<span class=\"about\">signed in <"), "the client has not redeemed the token yet")
            _ = try await browser.follow(browser.get(complete.callback()))
            home = try await browser.get(deployment.origin + "/")
            #expect(home.text.contains("<bdi>Partner number 1</bdi><span class=\"about\">signed in <time"))
            #expect(home.text.contains("<bdi>Partner number 2</bdi><span class=\"about\">Open</span>"))
            #expect(try home.page().links.contains(deployment.clients[0].origin + "/"))
        }
    }

    @Test("it has one headline for all, in the language of the browser, and the name on the card")
    func headline() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            #expect(try await browser.get(deployment.origin + "/").text.contains("<h1>Your account</h1>"))
            _ = try await browser.rename(at: deployment, to: "Ann")
            let german = try await browser.get(deployment.origin + "/?saved", [("Accept-Language", "de")])
            #expect(german.text.contains("<h1>Ihr Konto</h1>") && german.text.contains("<p><bdi>Ann</bdi></p>"))
            #expect(german.text.contains("Ihr Name wurde gespeichert."))
            #expect(german.text.contains("21. November 2026 um 12:00 UTC"))
        }
    }

    @Test("Save is the strong button; Sign out is quiet")
    func buttons() async throws {
        try await TestDeployment.open { deployment in
            let home = try await deployment.signedIn().get(deployment.origin + "/")
            #expect(home.text.contains("<button type=\"submit\">Save</button>"))
            #expect(home.text.contains("<button class=\"quiet\" type=\"submit\">Sign out</button>"))
            #expect(home.text.components(separatedBy: "Display name").count == 2)
        }
    }
}
