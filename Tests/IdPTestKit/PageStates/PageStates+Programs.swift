import SSOShared
import SSOWeb

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: The IdP

    static let idp =
        signIn + code + emailLink + invitations + completion + home + passkeys + admin + trial + errors

    private static let emailField = "form[action='/sign-in'] input[name=email]:not([type=hidden])"
    private static let codeField = "form[action='/sign-in/code'] input[name=code]"
    private static let noCodeField = "main:not(:has(input[name=code])) form[action='/sign-in']"

    private static let signIn: [PageState] = [
        PageState("sign-in", mark: emailField) { try await $0.open("/sign-in") },
        PageState("sign-in-client", mark: "main bdi, main strong") { studio in
            try await studio.browser().beginSignIn(at: studio.client)
        },
        PageState("sign-in-again", mark: emailField + "[value*='@']") { studio in
            let asked = studio.deployment.authorize(studio.client, state: "again") + "&prompt=login"
            let browser = try await studio.signedIn()
            return try await browser.follow(browser.get(asked))
        },
        PageState("sign-in-wrong-address", 422, mark: emailField + "[aria-invalid=true]") { studio in
            let browser = studio.browser()
            let form = try await browser.get(studio.origin + "/sign-in")
            return try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann@example"])
        },
        PageState("sign-in-stale", mark: "main .alert") { try await $0.open("/sign-in?stale=1") },
        PageState("sign-in-lost-code", mark: "main .notice") { try await $0.open("/sign-in?lost=1") },
        PageState("browser-link", mark: "form[action='/sign-in/browser']") { studio in
            for number in 1...3 {
                _ = try await studio.asking()
                if number < 3 { studio.deployment.clock.advance(by: .seconds(61)) }
            }
            let link = try await eventually("an email with a link") {
                studio.deployment.mailbox.browserLinks(to: studio.address).last
            }
            let browser = studio.browser()
            return try await browser.follow(browser.get(link))
        },
        PageState("device-expired", 410) { try await $0.open("/sign-in/browser") },
    ]

    private static let code: [PageState] = [
        PageState("code", mark: codeField) { try await $0.asking().waiting },
        PageState("code-client", mark: codeField) { studio in
            let browser = studio.browser()
            return try await browser.ask(for: studio.address, on: browser.beginSignIn(at: studio.client))
        },
        PageState("code-wrong-form", 422, mark: codeField + "[aria-invalid=true]") {
            try await $0.asking().guess("12")
        },
        PageState("code-remember", 422, mark: "input[name=remember][checked]") { studio in
            try await studio.asking().guess("12", remembering: true)
        },
        PageState("code-wrong", 422, mark: codeField + "[aria-invalid=true]") { studio in
            let asking = try await studio.asking()
            return try await asking.guess(asking.wrong)
        },
        PageState("code-wrong-third", 422, mark: codeField + "[aria-invalid=true]") { try await guess($0, times: 3) },
        PageState("code-used-up", 422, mark: noCodeField) { try await guess($0, times: 5) },
        PageState("code-expired", 422, mark: noCodeField) { studio in
            let asking = try await studio.asking()
            studio.deployment.clock.advance(by: .minutes(11))
            return try await asking.guess(asking.code)
        },
        PageState("code-resent", mark: "[role=status]") { studio in
            let asking = try await studio.asking()
            studio.deployment.clock.advance(by: .seconds(61))
            return try await asking.browser.ask(for: studio.address, on: asking.waiting)
        },
        PageState("code-waiting", mark: "[data-countdown]") { studio in
            _ = try await studio.asking()
            return try await studio.deployment.waiting(for: studio.address, by: studio.browser())
        },
        PageState("code-no-email", mark: noCodeField) { studio in
            for _ in 1...5 {
                _ = try await studio.deployment.waiting(for: studio.address, by: studio.browser())
                studio.deployment.clock.advance(by: .seconds(61))
            }
            return try await studio.deployment.waiting(for: studio.address, by: studio.browser())
        },
        PageState("code-paused", mark: "main:not(:has(input[name=code]))") { studio in
            try await studio.deployment.typeWrongCodes(20, for: studio.address)
            return try await studio.deployment.waiting(for: studio.address, by: studio.browser())
        },
    ]

    /// With a limit of one email in the hour.
    static let held = PageState("code-held", mark: codeField + ":not([autofocus])") { studio in
        let browser = studio.browser()
        let page = try await studio.deployment.waiting(for: studio.address, by: browser)
        return try await eventually("emails are held back") {
            let page = try await browser.get(page.address)
            return ["verzögert", "are delayed", "ont du retard", "con retraso"].contains { page.text.contains($0) }
                ? page : nil
        }
    }

    private static func guess(_ studio: PageStudio, times: Int) async throws -> Visit {
        let asking = try await studio.asking()
        for _ in 1..<times { try await asking.guess(asking.wrong) }
        return try await asking.guess(asking.wrong)
    }

    private static let completion: [PageState] = [
        PageState("completion", mark: "#continue[href*='token=']") { try await $0.complete($0.browser()) },
        PageState("completion-at-once", mark: "#continue[href*='token=']") { studio in
            try await studio.signedIn().get(studio.deployment.authorize(studio.deployment.clients[1], state: "second"))
        },
        PageState("completion-back", mark: "#continue[href*='token=']") { studio in
            let browser = studio.browser()
            let complete = try await studio.complete(browser)
            _ = try await browser.follow(browser.get(complete.callback()))
            return try await browser.get(complete.address)
        },
        PageState("account-switch", mark: "form[action='/sign-in/account']") { studio in
            let browser = studio.browser()
            let complete = try await studio.complete(browser)
            let link = try complete.page().link(containing: "prompt=select_account")
            return try await browser.follow(browser.get(complete.address.resolving(link ?? "/sign-in/account")))
        },
    ]

    private static let home: [PageState] = [
        PageState("home", mark: "form[action='/name']") { studio in
            let asking = try await studio.asking()
            return try await asking.browser.enter(asking.code, on: asking.waiting)
        },
        PageState("home-services", mark: ".tiles a[href]") { studio in
            try await studio.signedIn(named: "Ann Example").get(studio.origin + "/")
        },
        PageState("home-apps", mark: "form[action='/devices/end']") { studio in
            let app = try await studio.deployment.signedInApp(as: studio.address)
            let view = studio.deployment.webView(of: app, language: studio.language)
            return try await view.get(studio.origin + "/")
        },
        PageState("home-long-name", mark: "form[action='/name']") { studio in
            try await studio.signedIn(named: String(repeating: "Wolfeschlegel", count: 6)).get(studio.origin + "/")
        },
        PageState("home-name-error", 422, mark: "input[name=name][aria-invalid=true]") { studio in
            try await studio.rename(studio.signedIn(), to: "\u{2800}")
        },
        PageState("home-saved", mark: "[role=status]") { studio in
            try await studio.rename(studio.signedIn(), to: "Ann Example")
        },
        PageState("signed-out", mark: "a[href='/sign-in']") { studio in
            let asking = try await studio.asking()
            _ = try await asking.browser.enter(asking.code, on: asking.waiting)
            return try await studio.signOut(asking.browser, at: studio.origin)
        },
        PageState("signed-out-services", mark: "main li a[href]") { studio in
            try await studio.signOut(studio.signedIn(), at: studio.origin)
        },
    ]

    private static let trial: [PageState] = [
        PageState("mailbox", mark: "details[open] iframe[sandbox]") { studio in
            _ = try await studio.asking()
            return try await studio.open(studio.deployment.mailboxPage)
        },
        PageState("link-tester", mark: "input[name=url]") { try await $0.open($0.deployment.linkTester) },
        PageState("link-tester-link", mark: "article.message") { studio in
            try await studio.open("\(studio.deployment.linkTester)?url=\(studio.origin)/auth/sso/authorize")
        },
        PageState("link-tester-error", 422, mark: "input[name=url][aria-invalid=true]") { studio in
            try await studio.open("\(studio.deployment.linkTester)?url=ftp://x/")
        },
    ]

    private static let errors: [PageState] = [
        PageState("error-unknown-client", 400) { try await $0.open("/auth/sso/authorize?client_id=nobody") },
        PageState("error-sign-out-client", 400, mark: "main:not(:has(a))") { studio in
            try await studio.open("\(SSOPath.signOut)?client_id=nobody")
        },
        PageState("error-not-a-page", 400) { studio in
            try await studio.open(
                String(studio.deployment.authorize(studio.client, state: "x").dropFirst(studio.origin.count)),
                [("Purpose", "prefetch")])
        },
        PageState("error-flow-expired", 410) { try await flowExpired($0) },
        PageState("error-no-such-flow", 404) { try await $0.open("\(SSOPath.complete)?flow=x") },
        PageState("error-not-found", 404) { try await $0.open("/nowhere") },
        PageState("reset-app", mark: "main a.button[href='/']") { try await $0.open("/reset_app") },
        PageState("error-method", 405) { studio in
            try await studio.browser().post(WebAddress(studio.origin + "/"), [])
        },
        PageState("error-bad-request", 400) { studio in
            try await studio.open("/sign-in/cancel?flow=a&flow=b")
        },
        PageState("error-sign-in-required", 401, mark: "main a[href^='/sign-in?flow=']") { studio in
            let shell = studio.deployment.browser(language: studio.language, userAgent: Browser.shellUserAgent)
            return try await shell.get(studio.deployment.authorize(studio.client, state: "app"))
        },
        PageState("error-stale-form", 403) { studio in
            try await studio.staleForm(studio.origin + "/sign-in", "email", studio.browser())
        },
        PageState("error-no-cookie", 403) { try await noCookie($0) },
        PageState("error-other-site", 403) { studio in
            try await studio.browser().post(
                WebAddress(studio.origin + "/sign-in"), [], [("Sec-Fetch-Site", "cross-site")])
        },
    ]

    // MARK: The relying party

    static let relyingParty: [PageState] = [
        PageState("rp-signed-out", mark: "a[href*='/authorize']") { studio in
            try await studio.browser().get(studio.client.origin + "/")
        },
        PageState("rp-signed-in", mark: "form[action='/sign-out']") { studio in
            try await studio.signedIn().get(studio.client.origin + "/")
        },
        PageState("rp-account", mark: ".facts") { studio in
            try await studio.signedIn().get(studio.client.origin + "/account")
        },
        PageState("rp-reset-app", mark: "main a.button[href='/']") { studio in
            try await studio.browser().get(studio.client.origin + "/reset_app")
        },
        PageState("rp-sign-in-required", 401, mark: "main a[href^='/auth/sso/start']") { studio in
            let shell = studio.deployment.browser(language: studio.language, userAgent: Browser.shellUserAgent)
            return try await shell.get(studio.client.origin + "/account")
        },
        PageState("rp-after-sign-out", mark: "main a[href^='http://localhost:4000/']") { studio in
            try await studio.signOut(studio.signedIn(), at: studio.client.origin)
        },
        PageState("rp-unknown-state", 400) { studio in
            try await studio.browser().comeBack(to: studio.client, state: "unknown")
        },
        PageState("rp-unknown-state-signed-in", 400) { studio in
            try await studio.signedIn().comeBack(to: studio.client, state: "unknown")
        },
        answer("rp-refused", 400, [("error", "invalid_request")]),
        answer("rp-access-denied", 400, [("error", "access_denied")]),
        answer("rp-login-required", 400, [("error", "login_required")]),
        answer("rp-no-token", 400, []),
        answer("rp-invalid-token", 400),
        PageState("rp-not-found", 404) { studio in
            try await studio.browser().get(studio.client.origin + "/nowhere")
        },
        PageState("rp-no-cookie", 403) { studio in
            let browser = try await studio.signedIn()
            let home = try await browser.get(studio.client.origin + "/")
            let twin = studio.browser()
            for (name, value) in browser.cookies["127.0.0.2"] ?? [:] {
                twin.setCookie(name, to: value, at: "127.0.0.2")
            }
            return try await twin.submit(home.page().form(to: "/sign-out"), on: home, ["form_token": "stale"])
        },
    ]
}
