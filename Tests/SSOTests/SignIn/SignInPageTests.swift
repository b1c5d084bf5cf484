import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The sign-in page", .program)
struct SignInPageTests {
    @Test("says what happens and which service asks, in the language of the browser")
    func texts() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let english = try await browser.beginSignIn(at: deployment.client)
            #expect(english.text.contains("to continue to <bdi>Partner number 1</bdi>"))
            #expect(english.text.contains("email you a code and a link. No password needed."))
            #expect(english.text.contains(">Email me a code</button>"))
            let german = try await browser.get(english.address, [("Accept-Language", "de-CH")])
            #expect(german.text.contains("<html lang=\"de\">"))
            #expect(german.text.contains("Weiter zu <bdi>Partner number 1</bdi>"))
            #expect(german.text.contains(">Code per E\u{2011}Mail senden</button>"))
            #expect(german.reply.header("content-language") == "de")
        }
    }

    @Test("the error is read before the hint, and says what an address looks like")
    func error() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in")
            let again = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann"])
            #expect(again.text.contains("Enter an email address like name@example.com"))
            #expect(again.text.contains("<title>Error: Sign in"))
            let field = try #require(try again.page().tags.first { $0["id"] == "email" })
            #expect(field["aria-describedby"] == "email-error email-hint")
            #expect(field["enterkeyhint"] == "go")
        }
    }

    @Test("a browser that keeps no cookie is told so, with the way back to its sign-in, and no email is sent")
    func blockedCookies() async throws {
        try await TestDeployment.open { deployment in
            let visitor = deployment.browser()
            let form = try await visitor.beginSignIn(at: deployment.client)
            let flow = try #require(form.address.query("flow"))
            let fields = try #require(try form.page().form(with: "email")).filled(["email": "ann@example.com"])
            for (language, words) in [
                ("en", "Your browser did not keep our cookie"), ("de", "Cookie nicht gespeichert"),
            ] {
                // Without a cookie every request is the first one of a new browser.
                let blocked = try await deployment.browser().post(
                    form.address, fields, [("Accept-Language", language)])
                #expect(blocked.status == 403)
                #expect(blocked.text.contains(words))
                #expect(try blocked.page().links.contains("/sign-in?flow=\(flow)"))
            }
            #expect(try await deployment.rows(of: "mail_queue") == 0)

            // With another cookie of this host the page is only too old.
            let stale = deployment.browser()
            stale.setCookie("other", to: "1", at: "localhost")
            #expect(try await stale.post(form.address, fields).text.contains("This page has expired"))
        }
    }
}
