import Foundation
import SSONative
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite(
        "Sign-in in the system browser for an app", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct NativeHandoff {
        @Test(
            "cancelled, as a new user, and confirmed in a signed-in browser: each ends in the app as the user decided",
            .timeLimit(.minutes(5)))
        func decisions() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withApp { app, system in
                    try await app.launch()
                    try await app.signInInBrowser()
                    try await system.page.press("a[href*='/sign-in/cancel']")
                    #expect(try await app.comeBack().query("error") == "access_denied")
                    #expect(try await app.sessionStatus() == 401)
                    #expect(app.record.problems.isEmpty)

                    try await app.signInInBrowser()
                    try await system.page.signIn(as: "ann@example.com", of: pair)
                    try await app.runUntilSignedIn {
                        let newUser = try await app.comeBack().query("new_user")
                        #expect(newUser == "true")
                    }
                    #expect(try await app.isSignedIn(as: "ann@example.com"))
                    #expect(try await app.sessionCookieLifetime("idp_session") > .seconds(29 * 86_400))

                    // The browser has a session of its own, which stays.
                    try await app.signOut()
                    try await app.signInInBrowser()
                    _ = try await system.page.element(Self.confirm)
                    #expect(try await !system.leads(to: app.configuration.callback.scheme))
                    #expect(try await system.page.text().contains("com.example.app"))
                    try await system.page.press(Self.confirm)
                    try await app.runUntilSignedIn {
                        let newUser = try await app.comeBack().query("new_user")
                        #expect(newUser == "false")
                    }
                    #expect(try await app.isSignedIn(as: "ann@example.com"))
                    #expect(app.record.problems.isEmpty)
                }
            }
        }

        @Test(
            "an app killed meanwhile signs in with what it has stored; without it, the user reads why, and the code is worthless",
            .timeLimit(.minutes(5)))
        func killed() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withApp { app, system in
                    try await app.launch()
                    try await app.signInInBrowser()
                    try await app.kill()
                    try await system.page.signIn(as: "ann@example.com", of: pair)
                    let first = try await system.callback(app.configuration.callback.scheme)
                    try await app.launch(opening: first)
                    try await app.run(until: "the app resets its web view") { $0.resets == 1 }
                    #expect(try await app.isSignedIn(as: "ann@example.com"))

                    try await app.signOut()
                    try await app.signInInBrowser()
                    try await app.kill()
                    try app.forgetSecrets()
                    try await system.page.press(Self.confirm)
                    let second = try await system.callback(app.configuration.callback.scheme)
                    try await app.launch(opening: second)
                    #expect(app.record.problems == [.notStartedHere])
                    #expect(try await app.sessionStatus() == 401)
                    #expect(try await second.isWorthless(with: CodeVerifier(), to: app, at: pair))
                }
            }
        }

        @Test(
            "another app that claims the scheme gets a code that is worthless, and none of its own without the user",
            .timeLimit(.minutes(5)))
        func sameScheme() async throws {
            try await ProcessDeployment.runningWithApps { pair in
                try await pair.withApp { app, system in
                    try await app.launch()
                    try await app.signInInBrowser()
                    try await system.page.signIn(as: "ann@example.com", of: pair)

                    // The system gives the address to the other app.
                    let stolen = try await system.callback(app.configuration.callback.scheme)
                    let verifier = CodeVerifier()
                    #expect(try await stolen.isWorthless(with: verifier, to: app, at: pair))
                    #expect(try await pair.idp.logs("handoff_code_rejected").first?.contains("wrong_verifier") == true)
                    let code = try #require(stolen.query("code"))
                    #expect(!pair.idp.log.contains(code))

                    // The same address in the right app: the attempt has used the code up.
                    try await app.comeBack(with: stolen)
                    try await app.run(until: "the user reads why") { $0.problems == [.refused] }
                    #expect(try await app.sessionStatus() == 401)
                    try await app.open(stolen.absoluteString)
                    #expect(try await app.sessionStatus() == 401)

                    // The other app starts a sign-in of its own. The browser is signed in and still asks the user.
                    let request = HandoffRequest(app.configuration, verifier: verifier)
                    let start = try #require(request.startURL(method: "email"))
                    try await system.page.visit(start.absoluteString)
                    _ = try await system.page.element(Self.confirm)
                    #expect(try await !system.leads(to: app.configuration.callback.scheme))
                    try await system.page.press("a[href*='/sign-in/cancel']")
                    let refused = try await system.callback(app.configuration.callback.scheme)
                    #expect(refused.query("code") == nil && refused.query("error") == "access_denied")
                }
            }
        }

        /// The button of the page that asks a signed-in user.
        private static let confirm = "form[action$='/auth/native/complete'] button"
    }
}

extension URL {
    /// The value of a query item.
    fileprivate func query(_ name: String) -> String? {
        URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }

    /// Presents the code of this callback in the web view of another app that has the same address.
    ///
    /// - Returns: whether it is refused and no user is signed in there.
    fileprivate func isWorthless(
        with verifier: CodeVerifier, to app: ScriptedApp, at pair: ProcessDeployment
    ) async throws -> Bool {
        let request = HandoffRequest(app.configuration, verifier: verifier)
        guard let code = query("code"), let address = request.signInURL(code: code) else {
            throw ProbeFailure("no code in \(self)")
        }
        let other = Browser(userAgent: Browser.shellUserAgent)
        guard try await other.get(address.absoluteString).status == 400 else { return false }
        return try await !other.twin(userAgent: Browser.browserUserAgent).isSignedIn(at: pair)
    }
}
