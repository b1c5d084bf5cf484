import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The forms of the sign-in page where a browser or a limit is in the way.
@Suite("The first step of a sign-in", .program)
struct FirstStepTests {
    @Test("an address form sent twice leads to the page of the code: one email, no error page")
    func doubleAddress() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let early = browser.twin()
            func send(_ tab: Browser) async throws -> Visit {
                try await tab.submit(form.page().form(with: "email"), on: form, ["email": "ann@example.com"])
            }
            let first = try await send(browser)
            // The second click was sent before the first answer arrived: it has the old cookie.
            let late = try await send(early)
            #expect(late.status == 307 && late.reply.all("set-cookie") == [])
            // The browser sends the form once more, with the cookie of the first answer.
            let again = try await browser.post(
                late.location(), #require(form.page().form(with: "email")).filled(["email": "ann@example.com"]))
            #expect(again.status == 303 && again.reply.header("location") == first.reply.header("location"))
            #expect(try await browser.get(again.location()).page().form(with: "code") != nil)
            #expect(try await deployment.rows(of: "mail_queue") == 1)
            // A form of another site gets no redirect, and neither does one without a cookie of ours.
            let fields = [("email", "ann@example.com")]
            let other = try await early.post(form.address, fields, [("Sec-Fetch-Site", "cross-site")])
            let none = try await deployment.browser().post(form.address, fields)
            #expect(other.status == 403 && none.status == 403)
        }
    }

    @Test("a form that was open for too long shows what was typed, and why; only its new token sends an email")
    func openForTooLong() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in")
            deployment.clock.advance(by: .hours(2))
            let typed = "\"ann\"@example.com"
            let fields = try #require(form.page().form(with: "email")).filled(["email": typed, "remember": "1"])
            let first = try await browser.post(form.address, fields)
            #expect(first.status == 307 && first.reply.all("set-cookie") == [])
            let again = try first.location()
            // Another site is not answered so.
            let twin = browser.twin()
            let other = try await twin.post(again, fields, [("Sec-Fetch-Site", "cross-site")])
            #expect(other.status == 403 && !other.text.contains("example.com\"") && twin.session == browser.session)

            let shown = try await browser.post(again, fields)
            #expect(shown.status == 403 && shown.text.contains("This page has expired"))
            let fresh = try #require(try shown.page().form(with: "email"))
            #expect(try fresh["email"] == typed && fresh["form_token"] != form.formToken())
            #expect(try shown.page().form(with: "remember")?.fields.first { $0.name == "remember" }?.isSent == true)
            #expect(deployment.log.contains("stale_form"))
            // The old token sends nothing in the new session either.
            for path in ["/sign-in", "/sign-in?stale=1"] {
                #expect(try await browser.post(form.address.resolving(path), fields).status == 403)
            }
            #expect(try await deployment.rows(of: "mail_queue") == 0)
            let asked = try await browser.submit(fresh, on: shown, ["email": "ann@example.com"])
            #expect(try asked.status == 303 && asked.location().path == "/sign-in/code")
            #expect(try await deployment.rows(of: "mail_queue") == 1)
        }
    }

    @Test("a user's form that was open for too long leads to a sign-in page that says so")
    func formOfUser() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let home = try await browser.get(deployment.origin + "/")
            deployment.clock.advance(by: .hours(2))
            let late = try await browser.submit(home.page().form(to: "/name"), on: home, ["name": "Ann"])
            #expect(try late.status == 303 && late.location().target == "/sign-in?stale=1")
            let form = try await browser.get(late.location())
            #expect(form.status == 200 && form.text.contains("This page has expired"))
            let asking = try await deployment.asking("ann@example.com", by: browser)
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await browser.get(late.location()).location().path == "/")
        }
    }

    @Test("the button pressed twice begins one attempt, and no press is an error page")
    func pressedTwice() async throws {
        try await ProviderDeployment.open { place in
            let browser = place.deployment.browser()
            let form = try await browser.beginSignIn(at: place.client)
            let early = browser.twin()
            let button = try form.page().form(to: "/sign-in/with/\(Provider.Kind.oidc.testID)")
            #expect(try await browser.submit(button, on: form).status == 303)
            let late = try await early.submit(button, on: form)
            #expect(late.status == 303 && late.reply.all("set-cookie") == [])
            #expect(try late.location() == form.address)
            #expect(try await browser.get(late.location()).status == 200)
            #expect(try await place.deployment.rows(of: "provider_attempt") == 1)
        }
    }

    @Test(
        "a user on the way to a client comes back to the form from the page of a limit, and any other one to the start page"
    )
    func wayBack() async throws {
        let limits = [
            "IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_EMAIL_POSTS": "1", "IDP_LIMIT_CODE_POSTS": "1",
        ]
        try await TestDeployment.open(settings: limits) { deployment in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let flow = try #require(form.address.query("flow"))
            func post(_ path: String, _ token: String, _ fields: [(String, String)]) async throws -> Visit {
                try await browser.post(form.address.resolving(path), [("form_token", token)] + fields, from)
            }
            let (address, code) = (("email", "ann@example.com"), ("code", "000000"))
            let asked = try await post("/sign-in", form.formToken(), [address, ("flow", flow)])
            let page = try await browser.get(asked.location())
            #expect(try await post("/sign-in/code", page.formToken(), [code, ("flow", flow)]).status == 422)
            for (path, field) in [("/sign-in", address), ("/sign-in/code", code)] {
                for (fields, link) in [([field, ("flow", flow)], "\(path)?flow=\(flow)"), ([field], "/")] {
                    let refused = try await post(path, page.formToken(), fields)
                    #expect(refused.status == 429)
                    #expect(try refused.page().links.contains(link), "\(path) \(link)")
                }
            }
        }
    }

    @Test("a browser that comes from a client and keeps no cookie is told to allow them")
    func withoutCookies() async throws {
        try await TestDeployment.open { deployment in
            for (language, words) in [("en", "Allow cookies for"), ("de", "Cookies für")] {
                let blocked = deployment.browser(language: language).withoutCookies()
                let asked = try await blocked.get(deployment.authorize(deployment.client, state: "s"))
                let page = try await blocked.withoutCookies().get(asked.location())
                #expect(try page.status == 404 && page.page().form(with: "email") == nil)
                #expect(try page.page().links.contains(deployment.client.origin + "/"))
                #expect(page.text.contains(words))
                let other = deployment.browser(language: language)
                _ = try await other.get(deployment.origin + "/sign-in")
                #expect(try await !other.get(asked.location()).text.contains(words), "another browser keeps them")
            }
        }
    }
}
