import Foundation
import SSONative
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite(
        "The app of a relying party", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct PartnerApp {
        @Test(
            "signs in through the system browser: its web view gets the client's session, and a stolen result is worthless",
            .timeLimit(.minutes(5)))
        func signIn() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withPartnerApp { app, system in
                    let account = pair.client.origin + "/account"
                    try await app.launch()
                    try await app.open(account)
                    try await app.run(until: "the browser opens") { $0.session != nil }
                    try await system.page.signIn(as: "ann@example.com", of: pair)
                    let result = try await system.callback(app.configuration.callback.scheme)

                    // Another app that claims the scheme has neither the state's cookie nor the verifier.
                    let query = try #require(
                        URLComponents(url: result, resolvingAgainstBaseURL: false)?.percentEncodedQuery)
                    let other = Browser(userAgent: Browser.shellUserAgent)
                    #expect(try await other.get("\(pair.client.callback)?\(query)").status == 400)
                    #expect(try await !other.isSignedIn(at: pair.client))

                    try await app.comeBack(with: result)
                    try await app.view.arrive("the page that asked") { $0 == account }
                    #expect(try await app.view.text().contains("ann@example.com"))
                    #expect(try await app.sessionStatus() == 200)
                    #expect(try await app.sessionCookieLifetime("rp_session") > .seconds(29 * 86_400))

                    // Each of the two knows its own half.
                    #expect(app.record.navigations.allSatisfy { $0.hasPrefix(pair.client.origin + "/") })
                    #expect(try await app.view.allCookies().allSatisfy { $0.host == pair.client.host })
                    #expect(try await system.page.allCookies().allSatisfy { $0.host == "localhost" })

                    try await app.kill()
                    try await app.launch()
                    #expect(try await app.view.text().contains("ann"))
                    #expect(try await app.sessionStatus() == 200)

                    // Again, from the start page. The identity provider knows the browser and asks before it answers
                    // an app: one click, no email.
                    try await app.signOut()
                    try await app.view.visit(app.home)
                    try await app.view.press("a[href*='\(SSOPath.authorize)']")
                    try await app.run(until: "the browser opens") { $0.session != nil }
                    try await system.page.press("a[href*='\(SSOPath.complete)']")
                    try await app.comeBack()
                    try await app.run(until: "signed in") { _ in try await app.sessionStatus() == 200 }
                    #expect(pair.mailbox.all(to: "ann@example.com").count == 1)
                    #expect(app.record.problems.isEmpty && app.record.opened.isEmpty)
                }
            }
        }
    }
}
