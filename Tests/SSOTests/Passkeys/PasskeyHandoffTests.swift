import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The web view of an app needs a passkey, which only the system browser can use.
@Suite("A passkey for the web view of an app", .program)
struct PasskeyHandoffTests {
    private static func open(_ body: (TestDeployment) async throws -> Void) async throws {
        try await TestDeployment.open(settings: HandoffApp.settings, clientKeys: "require: phr", body)
    }

    /// The web view at the client: what it shows, once it has been sent wherever it has to go.
    private static func enter(
        _ webView: Browser, _ deployment: TestDeployment, asking more: String = ""
    ) async throws -> Visit {
        let page = try await webView.follow(
            webView.get(deployment.authorize(deployment.client, state: "kept") + more))
        // A 401 is what the app goes by.
        guard page.status == 401 else { return page }
        return try await webView.click(page.page().link(containing: "/sign-in"), on: page)
    }

    /// Signs in by email, for no client.
    private static func signIn(_ browser: Browser, _ deployment: TestDeployment) async throws {
        _ = try await deployment.enterCode(deployment.signInPage(browser), in: browser, as: "ann@example.com")
        try await deployment.forgetEmails(to: "ann@example.com")
    }

    /// The app's part: the system browser has gone on to the app, which opens its web view.
    private static func goBack(_ done: Visit, _ app: HandoffApp, _ webView: Browser) async throws {
        #expect(done.address.path == "/auth/native/complete", "\(done.text)")
        let end = try await app.present(done.handoffCode(), in: webView)
        #expect(end.reply.all("location") == ["/reset_app"])
    }

    @Test("a visitor of the web view uses a passkey in the system browser, and the web view enters the client")
    func visitor() async throws {
        try await Self.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let (webView, browser, app) = (deployment.webView(), deployment.browser(), try deployment.app())
            let page = try await Self.enter(webView, deployment)
            #expect(try page.page().link(containing: "/auth/native/passkey") != nil, "\(page.text)")
            let signIn = try await app.begin(with: "passkey", in: browser)
            let done = try await browser.follow(browser.usePasskey(authenticator, on: signIn))
            try await Self.goBack(done, app, webView)
            let complete = try await Self.enter(webView, deployment)
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == ["passkey"])
        }
    }

    @Test("a system browser that is signed in by email hands nothing weaker over: it asks for the passkey")
    func weakBrowser() async throws {
        try await Self.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let (webView, browser, app) = (deployment.webView(), deployment.browser(), try deployment.app())
            try await Self.signIn(browser, deployment)
            // The web view itself is signed in by email, too.
            try await Self.signIn(webView, deployment)
            let asked = try await Self.enter(webView, deployment)
            #expect(asked.address.path == "/sign-in")
            #expect(try asked.page().form(with: "email") == nil, "an email would not do")
            #expect(try asked.page().link(containing: "/auth/native/passkey") != nil, "\(asked.text)")

            let signIn = try await app.begin(with: "passkey", in: browser)
            #expect(signIn.address.path == "/sign-in" && !signIn.text.contains("shc_"), "\(signIn.text)")
            let flow = try #require(signIn.address.query("flow"))
            let complete = "\(deployment.origin)/auth/native/complete"
            let early = try await browser.follow(browser.get("\(complete)?flow=\(flow)"))
            #expect(early.address.path == "/sign-in", "\(early.text)")
            let forged = try await browser.post(
                WebAddress(complete), [("form_token", signIn.formToken()), ("flow", flow)])
            #expect(!forged.text.contains("shc_"), "the press of the page that asks is no proof")
            #expect(try await deployment.stored.handoffs.withCode.count() == 0)

            let done = try await browser.follow(browser.usePasskey(authenticator, on: signIn))
            try await Self.goBack(done, app, webView)
            let entered = try await Self.enter(webView, deployment)
            #expect(try await deployment.redeem(entered, as: deployment.client).methods == ["passkey"])
        }
    }

    @Test(
        "a browser with a passkey of an hour ago proves it once more, so that a web view that needs a new one goes on")
    func oldSignIn() async throws {
        try await Self.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let (webView, browser, app) = (deployment.webView(), deployment.browser(), try deployment.app())
            _ = try await browser.usePasskey(authenticator, on: deployment.signInPage(browser))
            deployment.clock.advance(by: .minutes(60))
            #expect(try await Self.enter(webView, deployment, asking: "&max_age=60").address.path == "/sign-in")
            let signIn = try await app.begin(with: "passkey", in: browser)
            #expect(signIn.address.path == "/sign-in")
            let done = try await browser.follow(browser.usePasskey(authenticator, on: signIn))
            try await Self.goBack(done, app, webView)
            let entered = try await Self.enter(webView, deployment, asking: "&max_age=60")
            #expect(try entered.token().hasPrefix("sst_"), "\(entered.text)")
        }
    }

    @Test("a user without a passkey sets one up in the system browser, not in the web view, and goes on in the app")
    func setUp() async throws {
        try await Self.open { deployment in
            let (webView, browser, app) = (deployment.webView(), deployment.browser(), try deployment.app())
            try await Self.signIn(webView, deployment)
            let asked = try await Self.enter(webView, deployment)
            #expect(asked.text.contains("your account has none yet"), "\(asked.text)")
            #expect(try asked.page().link(containing: "/passkeys/add") == nil, "a web view may hide what sets one up")
            #expect(try asked.page().link(containing: "/auth/native/passkey") != nil, "\(asked.text)")

            let signIn = try await app.begin(with: "passkey", in: browser)
            let missing = try await deployment.enterCode(signIn, in: browser, as: "ann@example.com")
            #expect(missing.address.path == "/sign-in", "\(missing.text)")
            let add = try await browser.click(missing.page().link(containing: "/passkeys/add"), on: missing)
            let authenticator = SoftwareAuthenticator()
            let added = try await browser.follow(browser.addPasskey(authenticator, on: add))
            #expect(added.address.path == "/sign-in", "\(added.text)")
            let done = try await browser.follow(browser.usePasskey(authenticator, on: added))
            try await Self.goBack(done, app, webView)
            let entered = try await Self.enter(webView, deployment)
            #expect(try await deployment.redeem(entered, as: deployment.client).methods == ["passkey"])
        }
    }

    @Test("a handoff by email goes on to hand over what the browser has, after a press")
    func email() async throws {
        try await Self.open { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            try await Self.signIn(browser, deployment)
            let confirm = try await app.begin(in: browser)
            let done = try await browser.submit(confirm.page().form(to: "/auth/native/complete"), on: confirm)
            #expect(try done.handoffCode().hasPrefix("shc_"))
        }
    }
}
