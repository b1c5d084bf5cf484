import SSONative
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite(
        "The app of the identity provider", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct NativeApp {
        @Test(
            "in the web view: signed in by code, by link, and by the code of a link opened elsewhere; a restart keeps it",
            .timeLimit(.minutes(5)))
        func inWebView() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withApp { app, system in
                    try await app.launch()
                    try await app.enterForeground()
                    #expect(app.record.isSignInShown)
                    try await app.runUntilSignedIn { try await app.view.signIn(as: "ann@example.com", of: pair) }
                    #expect(try await app.isSignedIn(as: "ann@example.com"))
                    #expect(try await app.sessionCookieLifetime("idp_session") > .seconds(29 * 86_400))

                    try await app.kill()
                    try await app.launch()
                    #expect(try await app.isSignedIn(as: "ann@example.com"))
                    try await app.enterForeground()
                    #expect(!app.record.isSignInShown)
                    try await app.signOut()
                    #expect(try await app.sessionStatus() == 401)

                    // The link from the email opens the app.
                    try await app.enterForeground()
                    let link = try await app.view.askForLink("ben@example.com", of: pair)
                    try await app.open(link)
                    try await app.runUntilSignedIn {
                        try await app.view.press("form[action='/sign-in/link'] button")
                    }
                    #expect(try await app.isSignedIn(as: "ben@example.com"))
                    try await app.signOut()

                    // The same, but the mail program opens it in the browser, which has not asked for it.
                    try await app.enterForeground()
                    let other = try await app.view.askForLink("cleo@example.com", of: pair)
                    try await system.page.visit(other)
                    let code = try await system.page.text(of: system.page.element("code.whole"))
                    try await app.runUntilSignedIn { try await app.view.enterCode(code) }
                    #expect(try await app.isSignedIn(as: "cleo@example.com"))
                    #expect(try await system.page.allCookies().allSatisfy { !$0.name.hasPrefix("idp_session") })
                    #expect(app.record.problems.isEmpty && app.record.opened.isEmpty)
                }
            }
        }

        @Test(
            "an authorize link starts the app and waits for its web view; the client is signed in in the system browser only",
            .timeLimit(.minutes(5)))
        func coldStart() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withApp { app, system in
                    try await system.page.visit(pair.client.origin + "/")
                    let link = try #require(
                        try await system.page.attribute("href", of: "a[href*='\(SSOPath.authorize)']"))
                    // The system opens the app instead of the page.
                    try await app.launch(opening: link.asURL())
                    try await app.run(until: "a 401 asks to sign in") { $0.isSignInShown }
                    #expect(app.record.navigations.first == app.home)
                    #expect(app.record.navigations.filter { $0 == link }.count == 1)

                    try await app.view.signIn(as: "dora@example.com", of: pair)
                    try await app.run(until: "the callback leaves the app") { !$0.opened.isEmpty }
                    #expect(app.record.navigations.filter { $0 == link }.count == 2)
                    #expect(app.record.opened.count == 1)
                    #expect(app.record.opened.first?.hasPrefix(pair.client.callback + "?") == true)
                    try await system.page.arrive("the client's page") { $0 == pair.client.origin + "/" }
                    _ = try await system.page.element("form[action$='/sign-out']")
                    #expect(try await system.page.text().contains("dora"))

                    // Each of the two knows its own half.
                    #expect(app.record.navigations.allSatisfy { $0.hasPrefix(pair.origin + "/") })
                    #expect(try await app.view.allCookies().allSatisfy { $0.host == "localhost" })
                    #expect(try await system.page.allCookies().allSatisfy { $0.host == pair.client.host })
                    #expect(try await app.isSignedIn(as: "dora@example.com"))
                    #expect(app.record.problems.isEmpty)
                }
            }
        }

        @Test(
            "native screens sign in by JSON and give the web view its session; each way of signing out ends both",
            .timeLimit(.minutes(5)))
        func nativeScreens() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withApp { app, _ in
                    try await app.launch()
                    let ann = pair.jsonApp()
                    try await pair.signIn(ann, as: "ann@example.com", device: "Red phone")
                    try await app.view.setCookie(#require(ann.setCookieLine("idp_session")), at: pair.origin)
                    #expect(try await app.isSignedIn(as: "ann@example.com"))
                    let me = try await ann.authorized("GET", "/me")
                    #expect(try me.json()["email"]?.text == "ann@example.com")
                    try await app.signOut()
                    let afterSignOut = try await ann.authorized("GET", "/me")
                    #expect(afterSignOut.status == 401)

                    let ben = pair.jsonApp()
                    try await pair.signIn(ben, as: "ben@example.com", device: "Blue phone")
                    try await app.view.setCookie(#require(ben.setCookieLine("idp_session")), at: pair.origin)
                    #expect(try await app.isSignedIn(as: "ben@example.com"))
                    let signedIn = try await ben.authorized("GET", "/me")
                    #expect(signedIn.status == 200)

                    // At a computer.
                    try await pair.forgetEmails(to: "ben@example.com")
                    let browser = Browser()
                    let asking = try await browser.askForLink(
                        "ben@example.com", of: pair, on: browser.get(pair.origin + "/sign-in"))
                    let home = try await browser.enter(asking.code, on: asking.waiting)
                    #expect(home.text.contains("Blue phone"))
                    let ended = try await browser.submit(home.page().form(to: "/devices/end"), on: home)
                    #expect(ended.status == 303)
                    let afterTheEnd = try await ben.authorized("GET", "/me")
                    #expect(afterTheEnd.status == 401)
                    #expect(try await browser.isSignedIn(at: pair))
                    try await app.enterForeground()
                    #expect(app.record.isSignInShown)
                }
            }
        }
    }
}

extension ScriptedApp {
    /// Whether the start page in the web view shows this user.
    func isSignedIn(as address: String) async throws -> Bool {
        try await view.visit(home)
        guard try await view.text().contains(address) else { return false }
        return try await sessionStatus() == 200
    }
}

extension Chromium {
    /// From a sign-in page through the code in the email.
    func signIn(as address: String, of pair: some Deployment) async throws {
        let earlier = pair.mailbox.all(to: address)
        try await askForCode(address)
        try await enterCode(pair.mailbox.code(to: address, besides: earlier))
    }

    /// From a sign-in page to the link in the email.
    func askForLink(_ address: String, of pair: some Deployment) async throws -> String {
        let earlier = pair.mailbox.all(to: address)
        try await askForCode(address)
        let email = try await pair.mailbox.email(to: address, besides: earlier)
        guard let link = email.signInLink else { throw ProbeFailure("no link in:\n\(email.text)") }
        return link
    }
}
