import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    /// From a client to a provider and back to the client, in a real browser.
    @Suite("Sign-in with a provider", .journey, .dependsOnMachine)
    struct SignInWithProvider {
        static let button = "form[action='/sign-in/with/work'] button"

        @Test(
            "glewlwyd signs in at the client, the second time to the same account",
            .enabled(if: Glewlwyd.isUsable && WebDriver.isInstalled, "needs glewlwyd, chromium and chromium-driver"),
            arguments: Glewlwyd.Signing.allCases.prefix(TestLength.of(short: 1, nightly: 10)))
        func glewlwyd(signing: Glewlwyd.Signing) async throws {
            let glewlwyd = try await Glewlwyd()
            try await Self.running(glewlwyd.yaml(id: "work", name: "Work account", signing)) { pair in
                try await glewlwyd.register(redirectURIs: [pair.origin + "/auth/work/callback"])
                for _ in 1...2 {
                    try await Self.signIn(pair, email: Glewlwyd.email) { try await $0.signInAtGlewlwyd() }
                }
                let accounts = try await Self.accounts(pair, count: 2)
                #expect(accounts.count == 2 && Set(accounts).count == 1)
            }
            try await glewlwyd.stop()
        }

        @Test(
            "Canaille signs in at the client, with either kind of key",
            .nightly,
            .enabled(if: Canaille.isAvailable && WebDriver.isInstalled, "needs canaille, chromium and chromium-driver"),
            arguments: Canaille.Signing.allCases)
        func canaille(signing: Canaille.Signing) async throws {
            let canaille = try Canaille(signing)
            try await Self.running(canaille.yaml(id: "work", name: "Work account")) { pair in
                try await canaille.start(redirectURI: pair.origin + "/auth/work/callback")
                try await Self.signIn(pair, email: Canaille.email) { try await $0.signInAtCanaille() }
                #expect(try await Self.accounts(pair, count: 1).count == 1)
            }
            try await canaille.stop()
        }

        @Test(
            "Apple's form from another site signs in at the client, with and without JavaScript",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
        func apple(javaScript: Bool) async throws {
            let apple = try await StandInProvider.start(.apple, clock: .system())
            try await Self.running(apple.yaml(id: "work", name: "Apple")) { pair in
                apple.register(redirectURIs: [pair.origin + "/auth/work/callback"])
                try await Self.signIn(pair, email: "ann@example.com", javaScript: javaScript) { chromium in
                    try await chromium.press("#continue[name=decision]")
                    if !javaScript { try await chromium.press("#back") }
                }
                #expect(apple.problems.isEmpty)
                #expect(apple.requests(at: .token).count == 1)
                try await pair.idp.logs("method=apple")
            }
            apple.stop()
        }

        @Test(
            "Cancel and Back at the provider lead to the sign-in page, where the email still works",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func cancel() async throws {
            let standIn = try await StandInProvider.start(.oidc, clock: .system())
            try await Self.running(standIn.yaml(id: "work", name: "Work account")) { pair in
                let chromium = try await Chromium()
                try await Self.begin(chromium, pair)
                _ = try await chromium.element("#cancel")
                try await chromium.back()
                try await chromium.press(Self.button)
                try await chromium.press("#cancel")
                try await chromium.arrive("the sign-in page") { $0.hasPrefix(pair.origin + "/sign-in?flow=") }
                try await chromium.askForCode("ann@example.com")
                try await chromium.enterCode(pair.mailbox.code(to: "ann@example.com"))
                try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
                try await pair.idp.logs("reason=access_denied")
                #expect(standIn.problems.isEmpty)
                try await chromium.quit()
            }
            standIn.stop()
        }

        @Test(
            "a dead provider costs its button alone",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func dead() async throws {
            let standIn = try await StandInProvider.start(.oidc, clock: .system())
            standIn.stop()
            try await Self.running(standIn.yaml(id: "work", name: "Work account")) { pair in
                let chromium = try await Chromium()
                try await Self.begin(chromium, pair)
                let texts = try #require(try BuiltInPages.idp(Brand(name: "Main App"))).texts(in: .english)
                let title = texts.plain(Text("provider.unavailable.title", ["provider": "Work account"]))
                try await eventually("the page about it") {
                    try await chromium.text().contains(title) ? () : nil
                }
                try await pair.idp.logs(" provider_unavailable ")
                try await chromium.press("a[href^='/sign-in?flow=']")
                try await chromium.askForCode("ann@example.com")
                try await chromium.quit()
            }
        }

        /// A deployment whose `IDP_PROVIDERS_FILE` has one entry.
        private static func running(_ entry: String, _ body: (ProcessDeployment) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(StandInProvider.file([entry]), to: "providers.yaml")
            try await ProcessDeployment.running(ProcessDeployment(settings: ["IDP_PROVIDERS_FILE": file]), body)
        }

        /// From the client's page to the button of the provider.
        private static func begin(_ chromium: Chromium, _ pair: ProcessDeployment) async throws {
            try await chromium.visit(pair.client.origin + "/")
            try await chromium.press("a[href*='\(SSOPath.authorize)']")
            try await chromium.press(button)
        }

        /// Signs in with a fresh browser, from the client's page to the client's page.
        private static func signIn(
            _ pair: ProcessDeployment, email: String, javaScript: Bool = true,
            at provider: (Chromium) async throws -> Void
        ) async throws {
            let chromium = try await Chromium(javaScript: javaScript)
            try await begin(chromium, pair)
            try await provider(chromium)
            try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
            _ = try await chromium.element("form[action$='/sign-out']")
            #expect(try await chromium.text().contains(email))
            #expect(!pair.idp.log.contains("provider_answer_refused"), "\(pair.idp.log.suffix(2_000))")
            try await chromium.quit()
        }

        /// The accounts of all sign-ins, from the log.
        private static func accounts(_ pair: ProcessDeployment, count: Int) async throws -> [String] {
            try await pair.idp.logs(" signed_in ", count: count)
                .compactMap { $0.firstMatch(of: #/ account=(\S+) /#).map { String($0.1) } }
        }
    }
}
