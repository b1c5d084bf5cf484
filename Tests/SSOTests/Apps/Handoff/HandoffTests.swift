import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPApps
@testable import IdPFlow
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// RFC 8252: the app opens the system browser, the user signs in there, and the app's web view gets the sign-in.
@Suite("A handoff from the system browser to an app", .program, .alsoOnPostgres)
struct HandoffTests {
    @Test(
        "the page sends itself on, the sign-in page names the app, and the code signs its web view in",
        arguments: [HandoffApp.redirect, HandoffApp.webRedirect])
    func journey(redirect: String) async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, webView, app) = (deployment.browser(), deployment.webView(), try deployment.app(redirect))
            let page = try await browser.get(app.start)
            #expect(page.status == 200 && page.text.contains("/assets/native-"))
            let form = try #require(try page.page().form(to: "/auth/native/email"))
            #expect(form.method == "post" && form["redirect"] == redirect)
            #expect(try await deployment.rows(of: "handoff") == 0, "a look begins nothing")

            let signIn = try await browser.follow(browser.submit(form, on: page))
            #expect(signIn.address.path == "/sign-in")
            #expect(signIn.text.contains(redirect == HandoffApp.redirect ? "com.example.app" : "app.example.com"))
            let done = try await deployment.enterCode(signIn, in: browser, as: "ann@example.com")
            #expect(done.address.path == "/auth/native/complete")
            let callback = try done.appCallback()
            #expect(callback.hasPrefix(redirect + (redirect.contains("?") ? "&" : "?") + "code=shc_"))
            #expect(callback.hasSuffix("&new_user=true"))

            let end = try await app.present(done.handoffCode(), in: webView)
            #expect(end.status == 303 && end.reply.all("location") == ["/reset_app"])
            #expect(try await webView.get(deployment.origin + "/").text.contains("ann@example.com"))
            for event in ["handoff_started", "handoff_code_issued", "handoff_signed_in"] {
                #expect(deployment.events(event) == 1, "\(event)")
            }
        }
    }

    @Test("new_user is true for the sign-in that makes the account, and for no later one")
    func newUser() async throws {
        try await TestDeployment.withApps { deployment in
            for isNew in [true, false] {
                let callback = try await deployment.handOff(deployment.app(), in: deployment.browser()).appCallback()
                #expect(callback.hasSuffix("&new_user=\(isNew)"))
                try await deployment.forgetEmails(to: "ann@example.com")
            }
        }
    }

    @Test(
        "the page that goes on to the app does so at once, with a refresh and with one link, and keeps the code to itself"
    )
    func lastPage() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = deployment.browser()
            let done = try await deployment.handOff(deployment.app(), in: browser)
            let callback = try done.appCallback()
            let refresh = try #require(try done.page().refresh)
            #expect(refresh.seconds == 0 && refresh.target == callback)
            #expect(try done.page().links.filter { $0.contains("code=") } == [callback])
            #expect(try done.page().forms.isEmpty)
            #expect(done.text.contains("ann@example.com") && done.text.contains("/assets/continue-"))
            #expect(done.reply.header("referrer-policy") == "no-referrer")
            #expect(done.reply.header("cache-control") == "no-store")
            #expect(done.reply.header("content-security-policy") == ContentPolicy.noForms)
            #expect(done.reply.headers.allSatisfy { !$0.1.contains("shc_") })
            #expect(!deployment.log.contains("shc_"))
            let digest = Hex.encode(SHA256.hash(Array(try done.handoffCode().utf8))).uppercased()
            #expect(try await deployment.stored.handoffs.code(digest: digest).count() == 1)
        }
    }

    @Test("a user who was signed in before is asked, and the code comes after the button only")
    func confirmation() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, webView, app) = (try await deployment.signedIn(), deployment.webView(), try deployment.app())
            let question = try await app.begin(in: browser)
            #expect(question.address.path == "/auth/native/complete" && question.status == 200)
            #expect(question.text.contains("com.example.app") && question.text.contains("Continue as"))
            #expect(!question.text.contains("shc_") && deployment.events("handoff_code_issued") == 0)
            #expect(question.reply.header("referrer-policy") == "same-origin", "else the form has no Origin")

            let form = try question.page().form(to: "/auth/native/complete")
            let done = try await browser.submit(form, on: question)
            #expect(try done.status == 200 && done.appCallback().hasSuffix("&new_user=false"))
            #expect(try await app.present(done.handoffCode(), in: webView).status == 303)
            #expect(try await webView.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a sign-in for a client does not answer the question for an app")
    func otherFlow() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let waiting = try await app.begin(in: browser)
            _ = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            let back = try await browser.follow(browser.get(waiting.address))
            #expect(back.address.path == "/auth/native/complete" && !back.text.contains("shc_"))
            #expect(try back.page().form(to: "/auth/native/complete") != nil)
        }
    }

    @Test("another account: the sign-in ends, and that of the other user is for the same app")
    func otherAccount() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, webView, app) = (try await deployment.signedIn(), deployment.webView(), try deployment.app())
            let question = try await app.begin(in: browser)
            let form = try await browser.follow(
                browser.submit(question.page().form(to: "/sign-in/account"), on: question))
            #expect(form.address.path == "/sign-in" && form.text.contains("com.example.app"))
            let done = try await deployment.enterCode(form, in: browser, as: "ben@example.com")
            #expect(try await app.present(done.handoffCode(), in: webView).status == 303)
            #expect(try await webView.get(deployment.origin + "/").text.contains("ben@example.com"))
        }
    }

    @Test("Cancel takes the user back to the app with access_denied, from every page, and ends the handoff")
    func cancel() async throws {
        try await TestDeployment.withApps { deployment in
            for (number, isSignedIn) in [false, false, true].enumerated() {
                let browser =
                    try await isSignedIn
                    ? deployment.signedIn(as: "ben@example.com") : deployment.browser()
                let app = try deployment.app(number == 0 ? HandoffApp.webRedirect : HandoffApp.redirect)
                var page = try await app.begin(in: browser)
                if number == 1 { page = try await browser.ask(for: "ann@example.com", on: page) }
                let link = try page.page().link(containing: FlowID.cancelPath)
                let back = try await browser.click(link, on: page)
                let separator = number == 0 ? "&" : "?"
                #expect(back.status == 302)
                #expect(back.reply.all("location") == ["\(app.redirect)\(separator)error=access_denied"])
                #expect(deployment.events("handoff_cancelled") == number + 1)
                #expect(try await browser.click(link, on: page).status == 410, "no second time")
                let late = try await browser.get(
                    "\(deployment.origin)/auth/native/complete?flow=\(page.address.query("flow") ?? "")")
                #expect(late.status == 410 && late.text.contains("This sign\u{2011}in has expired"))
            }
        }
    }

    @Test("the web view's session is an app's: a new id, 30 days, the user's methods and time, its pending flows kept")
    func appSession() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, webView, app) = (deployment.browser(), deployment.webView(), try deployment.app())
            let pending = try await webView.get(deployment.authorize(deployment.client, state: "in-the-app"))
            #expect(pending.status == 401)
            let before = try #require(webView.session)
            let signedInAt = deployment.clock.now
            let done = try await deployment.handOff(app, in: browser)
            deployment.clock.advance(by: .seconds(30))
            let end = try await app.present(done.handoffCode(), in: webView)
            #expect(end.reply.all("set-cookie").contains { $0.contains("Max-Age=2592000") })
            #expect(webView.session != before)
            #expect(try await deployment.stored.sessions.ofApps.device("iphone").count() == 1)

            let flow = try #require(pending.page().link(containing: "/sign-in?flow="))
            let complete = try await webView.follow(webView.click(flow, on: pending))
            let redeemed = try await deployment.redeem(complete, as: deployment.client)
            #expect(redeemed.callback.query("state") == "in-the-app" && redeemed.methods == ["email_code"])
            #expect(redeemed.authenticatedAt == Int(signedInAt.milliseconds / 1000))

            deployment.clock.advance(by: .days(29))
            #expect(try await webView.isSignedInOnHomePage(of: deployment))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment), "the system browser's session has ended")
        }
    }

    @Test("a second proof in the browser counts in the app and for its clients, and so does that it is missing")
    func strength() async throws {
        for (features, methods, strength) in [
            (AddedFeatures(), ["email_code"], "any"), (PinFactor.added, ["email_code", "test_pin"], "mfa"),
        ] {
            try await TestDeployment.open(settings: HandoffApp.settings, adding: features) { deployment in
                let (browser, webView, app) = (deployment.browser(), deployment.webView(), try deployment.app())
                var done = try await deployment.handOff(app, in: browser)
                if strength == "mfa" { done = try await browser.follow(browser.typePin(on: done)) }
                _ = try await app.present(done.handoffCode(), in: webView)
                let asking = TestedProtocol.sso
                let complete = try await webView.get(asking.ask(deployment.client, mark: "app", of: deployment))
                let redeemed = try await asking.redeem(
                    asking.callback(complete), as: deployment.client, of: deployment)
                #expect(redeemed?.methods == methods && redeemed?.strength == strength)
            }
        }
    }

    @Test("code and verifier as a form sign in as well, as a web view sends it for its app")
    func post() async throws {
        try await TestDeployment.withApps { deployment in
            let app = try deployment.app()
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let body = FormCoding.encode([("code", code), ("verifier", app.verifier)])
            let reply = try await deployment.probe().post(
                HandoffApp.signInPath,
                [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("User-Agent", Browser.shellUserAgent),
                    ("Origin", "null"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate"),
                    ("Sec-Fetch-Dest", "document"),
                ], body: Array(body.utf8))
            #expect(reply.status == 303 && reply.all("set-cookie").contains { $0.hasPrefix("idp_session=") })
        }
    }

    /// No link reaches such a program, so a code and a verifier in it are not another user's.
    @Test("a program that is no browser may take its own code")
    func program() async throws {
        try await TestDeployment.withApps { deployment in
            let app = try deployment.app()
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let address = try WebAddress(HandoffApp.signIn(deployment.origin, code: code, verifier: app.verifier))
            let reply = try await deployment.probe().get(
                address.target, [("User-Agent", "curl/8.5.0"), ("Accept", "*/*")])
            #expect(reply.status == 303 && reply.all("location") == ["/reset_app"])
            #expect(reply.all("set-cookie").contains { $0.hasPrefix("idp_session=") })
            #expect(deployment.events("handoff_signed_in") == 1)
        }
    }

    @Test("reloading the last page gives another code, and the one before is void")
    func reload() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let first = try await deployment.handOff(app, in: browser)
            let second = try await browser.get(first.address)
            #expect(try first.handoffCode() != second.handoffCode())
            #expect(try await app.present(first.handoffCode(), in: deployment.webView()).status == 400)
            #expect(deployment.events("handoff_code_rejected", reason: "unknown") == 1)
            #expect(try await app.present(second.handoffCode(), in: deployment.webView()).status == 303)
            let third = try await browser.get(first.address)
            #expect(third.status == 410 && !third.text.contains("shc_"))
        }
    }

    @Test("a handoff lasts ten minutes, and belongs to the browser that began it")
    func life() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let early = try await app.begin(in: browser)
            let path = "\(deployment.origin)/auth/native/complete?flow=\(early.address.query("flow") ?? "")"
            #expect(try await browser.get(path).location().path == "/sign-in", "not signed in yet")
            let other = try await deployment.signedIn(as: "eve@example.com")
            #expect(try await other.get(path).status == 404)
            #expect(deployment.events("handoff_refused", reason: "not_of_this_browser") == 1)
            deployment.clock.advance(by: .minutes(10))
            let late = try await deployment.enterCode(early, in: browser, as: "ann@example.com")
            #expect(late.status == 410 && late.text.contains("Start again in the app"))
            #expect(deployment.events("handoff_refused", reason: "ended") == 1)
        }
    }

    @Test("a browser keeps eight handoffs, and the ninth ends the oldest")
    func eight() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = deployment.browser()
            var pages: [Visit] = []
            for _ in 0...8 { pages.append(try await deployment.app().begin(in: browser)) }
            #expect(try await deployment.rows(of: "handoff") == 8, "no row of the first is left")
            let flows = pages.compactMap { $0.address.query("flow") }
            let statuses = try await [flows[0], flows[8]].asyncMap {
                try await browser.get("\(deployment.origin)/auth/native/complete?flow=\($0)").status
            }
            #expect(statuses == [410, 303])
        }
    }

    @Test("rows go: without a code or with an unused one soon after they expire, with a used one a day later")
    func purge() async throws {
        try await TestDeployment.withApps { deployment in
            let app = try deployment.app()
            let used = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            #expect(try await app.present(used, in: deployment.webView()).status == 303)
            _ = try await deployment.handOff(deployment.app(), in: deployment.browser(), as: "ben@example.com")
            _ = try await app.begin(in: deployment.browser())
            let database = RecordingDatabase(deployment.database)
            let store = HandoffStore(
                database: database, clock: deployment.clock.clock,
                sessions: SessionStore(
                    database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                    lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2))),
                eligibility: SignInEligibility(
                    allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock))
            var left: [Int] = []
            for wait in [Duration.minutes(11), .minutes(2), .days(1)] {
                deployment.clock.advance(by: wait)
                _ = try await store.purge(limit: 100)
                left.append(try await deployment.rows(of: "handoff"))
            }
            #expect(left == [3, 1, 0])
            // The writer does not search: a reader finds the ids.
            let deletions = database.takeStatements().filter { $0.hasPrefix("DELETE") }
            #expect(!deletions.isEmpty && deletions.allSatisfy { $0.contains("WHERE id = :id") }, "\(deletions)")
        }
    }

    @Test("a browser that makes codes in a loop leaves a bounded number of rows and sessions, and each code works")
    func loops() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = try await deployment.signedIn()
            func question(_ app: HandoffApp) async throws -> Visit {
                // A session begins at most 30 a minute.
                deployment.clock.advance(by: .seconds(3))
                return try await app.begin(in: browser)
            }
            func code(on question: Visit) async throws -> String {
                let form = try question.page().form(to: "/auth/native/complete")
                return try await browser.submit(form, on: question).handoffCode()
            }
            for _ in 1...20 { _ = try await code(on: question(deployment.app())) }
            #expect(try await deployment.rows(of: "handoff") == Flows.maximumPerPurpose, "never used")
            for _ in 1...20 {
                let question = try await question(deployment.app())
                _ = try await code(on: question)
                let cancel = try question.page().link(containing: FlowID.cancelPath)
                #expect(try await browser.click(cancel, on: question).status == 302)
            }
            #expect(try await deployment.rows(of: "handoff") <= Flows.maximumPerPurpose, "cancelled")
            let most = HandoffStore.maximumPerAccount
            #expect(AppSession.maximumPerOwner == most)
            var first: Browser?
            for _ in 1...(most + 10) {
                let (app, webView) = (try deployment.app(), deployment.webView())
                let code = try await code(on: question(app))
                #expect(try await app.present(code, in: webView).status == 303)
                first = first ?? webView
                deployment.clock.advance(by: .seconds(1))
            }
            #expect(try await deployment.rows(of: "handoff") == most, "used")
            #expect(try await deployment.stored.sessions.ofApps.count() == most)
            #expect(try await first?.get(deployment.origin + "/").reply.header("location") == "/sign-in")
        }
    }

    @Test("German pages name the app too, and no page lacks a text", arguments: ["en", "de"])
    func languages(language: String) async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(language: language), try deployment.app())
            let page = try await browser.get(app.start)
            let signIn = try await app.begin(in: browser)
            let done = try await deployment.enterCode(signIn, in: browser, as: "ann@example.com")
            let question = try await deployment.app().begin(in: browser)
            for visit in [page, signIn, done, question] {
                #expect(visit.text.contains("<html lang=\"\(language)\""))
                #expect(visit.text.contains("<bdi>com.example.app</bdi>"))
                #expect(!visit.text.contains("[["))
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
        var results: [T] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
