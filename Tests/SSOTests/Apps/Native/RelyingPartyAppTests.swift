import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The token arrives by a scheme that any app may claim (RFC 8252 8.1), in a browser that has none of the cookies.
@Suite("A relying party as a native app", .program)
struct RelyingPartyAppTests {
    typealias App = RelyingPartyApp

    private static func sessionCookies(_ visit: Visit) -> [String] {
        visit.reply.all("set-cookie").filter { $0.hasPrefix("rp_session=") }
    }

    @Test("signs in: web view, system browser, scheme, web view; then the session lasts 30 days from each use")
    func journey() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let refused = try await app.webView.get(app.client.origin + "/account")
            #expect(refused.status == 401)
            let start = try await app.webView.click(refused.page().link(containing: SSOPath.start), on: refused)
            let asked = try start.location()
            #expect(asked.origin == deployment.origin && asked.path == SSOPath.authorize)
            #expect(asked.query("redirect_uri") == App.redirectURI)
            #expect(asked.query("code_challenge") != nil)

            let system = deployment.browser()
            let result = try await app.signIn(at: asked, by: system)
            #expect(result.hasPrefix("com.example.partner:/callback?token=sst_"))
            #expect(app.webView.cookie("idp_session", at: "localhost") == nil, "two stores of cookies")
            #expect(system.pendingSignIns.isEmpty)

            let back = try await app.webView.get(app.callback(result))
            #expect(back.status == 303 && back.reply.header("location") == "/account")
            #expect(Self.sessionCookies(back).map { $0.hasSuffix("; Max-Age=2592000") } == [true])
            let account = try await app.webView.get(app.client.origin + "/account")
            #expect(account.status == 200 && account.text.contains("ann@example.com"))
            #expect(try await !app.isSignedIn(system), "the system browser has a session of the IdP alone")

            // Again: the state is used up, and a signed-in user is led on.
            #expect(try await app.webView.get(app.callback(result)).status == 303)
            for _ in 1...3 {
                deployment.clock.advance(by: .days(29))
                let used = try await app.webView.get(app.client.origin + "/account")
                #expect(used.status == 200)
                #expect(Self.sessionCookies(used).map { $0.hasSuffix("; Max-Age=2592000") } == [true])
            }
            deployment.clock.advance(by: .days(31))
            #expect(try await app.webView.get(app.client.origin + "/account").status == 401)
        }
    }

    @Test("its session ends 90 days after the sign-in, also when the app is in use")
    func absoluteLimit() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let result = try await app.signIn(at: app.start(), by: deployment.browser())
            #expect(try await app.webView.get(app.callback(result)).status == 303)
            for span in [Duration.days(29), .days(29), .days(29), .days(3) - .seconds(1)] {
                deployment.clock.advance(by: span)
                #expect(try await app.webView.get(app.client.origin + "/account").status == 200)
            }
            deployment.clock.advance(by: .seconds(1))
            #expect(try await app.webView.get(app.client.origin + "/account").status == 401)
        }
    }

    @Test("the link of the start page names the app in its web view, and the https callback in any browser")
    func links() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            for (browser, expected) in [(app.webView, App.redirectURI), (deployment.browser(), app.client.callback)] {
                let home = try await browser.get(app.client.origin + "/")
                let link = try WebAddress(try #require(try home.page().link(containing: SSOPath.authorize)))
                #expect(link.query("redirect_uri") == expected)
                let start = try await browser.get(app.client.origin + SSOPath.start).location()
                #expect(start.query("redirect_uri") == expected)
            }
            // The offer of the start page works as well.
            let home = try await app.webView.get(app.client.origin + "/")
            let link = try WebAddress(try #require(try home.page().link(containing: SSOPath.authorize)))
            let result = try await app.signIn(at: link, by: deployment.browser())
            #expect(try await app.webView.get(app.callback(result)).status == 303)
            #expect(try await app.isSignedIn(app.webView))
        }
    }

    @Test("without the setting a web view gets the https callback")
    func notConfigured() async throws {
        try await TestDeployment.open { deployment in
            let app = App(deployment)
            let asked = try await app.start()
            #expect(asked.query("redirect_uri") == app.client.callback)
        }
    }

    @Test("a result that another app intercepts is worthless without the web view's cookie, and the app still gets in")
    func stolen() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let result = try await app.signIn(at: app.start(), by: deployment.browser())
            let address = try WebAddress("http://app.example/?" + result.drop { $0 != "?" }.dropFirst())
            let token = try #require(address.query("token"))

            // A browser without cookies, with and without the user agent of an app.
            for userAgent in [Browser.browserUserAgent, Browser.shellUserAgent] {
                let thief = deployment.browser(userAgent: userAgent)
                #expect(try await thief.get(app.callback(result)).status == 400)
                #expect(thief.cookies.isEmpty)
            }
            // The same app on another phone, with a sign-in of its own.
            let other = App(deployment)
            let otherState = try #require(try await other.start().query("state"))
            #expect(try await other.webView.get(app.callback(result)).status == 400, "the state of another app")
            let mixed = FormCoding.encode([("token", token), ("state", otherState)])
            #expect(try await other.webView.get("\(app.client.callback)?\(mixed)").status == 400, "another verifier")
            #expect(try await !app.isSignedIn(other.webView))
            // The server's secret and the redirect URI, without the verifier.
            let bare = try await deployment.verify(token, as: app.client, redirectURI: App.redirectURI)
            #expect(bare.error == "invalid_token")

            #expect(try await app.webView.get(app.callback(result)).status == 303)
            #expect(try await app.isSignedIn(app.webView))
        }
    }

    @Test(
        "a token for the one redirect URI does not count in a sign-in that began with the other",
        arguments: [true, false])
    func mixed(beginsInBrowser: Bool) async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let browser = beginsInBrowser ? deployment.browser() : app.webView
            let asked = try await browser.get(app.client.origin + SSOPath.start).location()
            let uris = [App.redirectURI, app.client.callback].map(FormCoding.encode)
            let (from, to) = beginsInBrowser ? (uris[1], uris[0]) : (uris[0], uris[1])
            let forged = asked.absolute.replacing("redirect_uri=\(from)", with: "redirect_uri=\(to)")
            #expect(forged != asked.absolute)
            let result = try await app.signIn(at: try WebAddress(forged), by: deployment.browser())
            let visit = try await browser.get(app.callback(result))
            #expect(visit.status == 400)
            #expect(try await !app.isSignedIn(browser))
            #expect(deployment.log.contains("redirect_uri_differs"), "the log says why")
        }
    }

    @Test("the user agent of the callback decides about the session, not that of the start")
    func callbackInBrowser() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let result = try await app.signIn(at: app.start(), by: deployment.browser())
            let browser = app.webView.twin(userAgent: Browser.browserUserAgent)
            let back = try await browser.get(app.callback(result))
            #expect(Self.sessionCookies(back).map { $0.contains("Max-Age") } == [false])
            // Its cookie does not live longer in a web view afterwards.
            let later = browser.twin(userAgent: Browser.shellUserAgent)
            deployment.clock.advance(by: .minutes(59))
            #expect(Self.sessionCookies(try await later.get(app.client.origin + "/account")) == [])
            deployment.clock.advance(by: .hours(1))
            #expect(try await later.get(app.client.origin + "/account").status == 401)
        }
    }

    @Test("an error comes back by the scheme as well, and the app shows the page of the callback")
    func refused() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let asked = try await app.start(returnTo: "/account")
            let system = deployment.browser()
            let form = try await system.follow(system.get(asked))
            let cancelled = try await system.click(form.page().link(containing: "/sign-in/cancel"), on: form)
            let location = try #require(cancelled.reply.header("location"))
            #expect(location.hasPrefix("com.example.partner:/callback?error=access_denied&state="))
            let page = try await app.webView.get(app.callback(location))
            #expect(page.status == 400)
            #expect(try page.page().link(containing: "return_to=/account") != nil)
        }
    }

    // MARK: - Whether the web view is signed in

    @Test(
        "/api/v1/session/check is 401 for a visitor and 200 for a user, without a cookie, a page or a line in the log")
    func check() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let address = app.client.origin + "/api/v1/session/check"
            let visitor = try await app.webView.get(address)
            #expect(visitor.status == 401)
            let error = try JSONDecoding.value(visitor.reply.body)
            #expect(error["error"] == "unauthenticated" && error["error_description"]?.text?.isEmpty == false)
            #expect(visitor.reply.all("set-cookie") == [])
            #expect(!deployment.log.contains("request_refused"))

            let result = try await app.signIn(at: app.start(), by: deployment.browser())
            _ = try await app.webView.get(app.callback(result))
            let user = try await app.webView.get(address)
            #expect(user.status == 200 && user.text == "{}")
            for visit in [visitor, user] {
                #expect(visit.reply.header("content-type") == "application/json")
                #expect(visit.reply.header("cache-control") == "no-store")
                #expect(visit.reply.header("location") == nil)
            }
            #expect(try await app.webView.send("HEAD", WebAddress(address)).status == 200)

            let session = try await app.webView.get(app.client.origin + "/api/session").reply
            let value = try JSONDecoding.value(session.body)
            guard case .object(let members) = value else { throw ProbeFailure(session.text) }
            #expect(Set(members.keys) == ["authenticated_at", "methods", "signed_in_at", "user"])
            let none = try await deployment.clientProbe().get("/api/session")
            #expect(none.status == 401 && none.text == #"{"error":"unauthenticated"}"#)
        }
    }

    @Test("signing out in the web view ends the session")
    func signOut() async throws {
        try await TestDeployment.open(clientSettings: App.settings) { deployment in
            let app = App(deployment)
            let result = try await app.signIn(at: app.start(), by: deployment.browser())
            _ = try await app.webView.get(app.callback(result))
            let stolen = app.webView.twin()
            deployment.clock.advance(by: .days(3))
            let home = try await app.webView.get(app.client.origin + "/")
            deployment.clock.advance(by: .minutes(2))
            let out = try await app.webView.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(Self.sessionCookies(out).map { $0.hasSuffix("; Max-Age=0") } == [true])
            #expect(try await !app.isSignedIn(app.webView))
            #expect(try await !app.isSignedIn(stolen))
        }
    }
}
