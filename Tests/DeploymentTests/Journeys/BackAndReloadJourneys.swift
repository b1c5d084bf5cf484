import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("Back, reload, double click", .journey, .dependsOnMachine)
    struct BackAndReload {
        @Test("a reload of the callback after success leads to the page and not to an error")
        func reloadedCallback() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                for _ in 1...3 {
                    let home = try await browser.follow(browser.get(complete.callback()))
                    #expect(home.status == 200)
                    #expect(home.address.absolute == pair.client.origin + "/")
                }
                #expect(try await browser.isSignedIn(at: pair.client))
            }
        }

        @Test("a reload of the completion page leaves at most one live token")
        func reloadedCompletion() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                let again = try await browser.follow(browser.get(complete.address))
                #expect(again.status < 500)
                var wins = try await pair.verify(complete.token(), as: pair.client).status == 200 ? 1 : 0
                if let token = try? again.token(), try token != complete.token() {
                    wins += try await pair.verify(token, as: pair.client).status == 200 ? 1 : 0
                }
                #expect(wins <= 1)
            }
        }

        @Test("a code sent twice at once signs in once, and neither answer says that it was wrong")
        func doubleClick() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let form = try waiting.page().form(with: "code")
                let twin = browser.twin()
                async let one = browser.submit(form, on: waiting, ["code": code])
                async let two = twin.submit(form, on: waiting, ["code": code])
                let (first, second) = try await (one, two)
                #expect(first.status == 303 && second.status == 303)
                let signedIn = try await [browser.isSignedIn(at: pair), twin.isSignedIn(at: pair)]
                #expect(signedIn.filter { $0 }.count == 1)
            }
        }

        @Test(
            "in a real browser: a double click on the code's button, then Back, then reload",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
        func inChromium(javaScript: Bool) async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium(javaScript: javaScript)
                let home = pair.client.origin + "/"
                try await chromium.visit(home)
                try await chromium.press("a[href*='/auth/sso/authorize']")
                try await chromium.askForCode("ann@example.com")
                let code = try await pair.mailbox.code(to: "ann@example.com")
                // Not typed: the page would send it at the sixth digit.
                _ = try await chromium.run("document.querySelector('input[name=code]').value = '\(code)'")
                try await chromium.pressTwice("form:has(input[name=code]) \(Chromium.submit)")
                let end = try await chromium.arrive("an end") {
                    $0 == home || $0.contains("/sign-in?flow=") || $0.contains("\(SSOPath.complete)?flow=")
                }
                if end.contains(SSOPath.complete) {
                    // The second answer that signs in was shown, and the flow had gone on with the first. The page has the
                    // way to the client.
                    #expect(!javaScript)
                    try await chromium.press("main a[href='\(home)']")
                    try await chromium.press("a[href*='/auth/sso/authorize']")
                    try await chromium.arrive("the client's page") { $0 == home }
                } else if end != home {
                    // Without JavaScript nothing prevents the second click, and the browser may drop the very answer
                    // that signs in (docs/decisions/0007). The code is used; the sign-in is started again.
                    #expect(!javaScript)
                    try await chromium.visit(home)
                    try await chromium.press("a[href*='/auth/sso/authorize']")
                    try await chromium.askForCode("ben@example.com")
                    try await chromium.enterCode(pair.mailbox.code(to: "ben@example.com"))
                    try await chromium.arrive("the client's page") { $0 == home }
                }
                try await chromium.reload()
                _ = try await chromium.element("form[action$='/sign-out']")

                try await chromium.back()
                try await chromium.arrive("the IdP again") { $0.hasPrefix(pair.origin) }
                // Depends on the browser's own clock: waits longer than the two seconds after which the page
                // continued the first time. No event reports that nothing happens. The page may be the old one from
                // the browser's cache, with its timer expired, so its content does not show it either.
                try await Task.sleep(for: .milliseconds(3_500))
                #expect(try await chromium.address().hasPrefix(pair.origin))
                #expect(try await chromium.elements("a[href]").isEmpty == false)

                try await chromium.visit(home)
                _ = try await chromium.element("form[action$='/sign-out']")
                try await chromium.quit()
            }
        }
    }
}
