import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPApps
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("An app links a provider", .program)
struct AppIdentityTests {
    @Test(
        "from the ticket to the list, with each kind of provider; the sign-in of the browser is neither used nor changed",
        arguments: Provider.Kind.allCases, [false, true])
    func journey(kind: Provider.Kind, isBrowserSignedIn: Bool) async throws {
        try await ProviderDeployment.open([kind], settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let app = try await providers.linkingApp()
            let browser =
                try await isBrowserSignedIn ? deployment.signedIn(as: "ben@example.com") : deployment.browser()
            let session = browser.session
            let ticket = try await app.ticket(kind.testID)
            let page = try await browser.get(app.start(ticket, kind.testID))
            #expect(page.status == 200 && page.text.contains("com.example.app"))
            #expect(page.text.contains("Provider \(kind.testID)"))
            #expect(!page.text.contains("ann@example.com"), "the address is masked")
            #expect(!page.text.contains("/assets/native-"), "the page does not send itself")

            let next = try await app.begin(ticket, kind.testID, in: browser)
            #expect(next.address.path == "/sign-in/with/\(kind.testID)")
            let end = try await providers.arrive(next, kind, in: browser)
            let callback = try end.appCallback()
            #expect(callback.hasPrefix("\(HandoffApp.redirect)?code=shc_") && !callback.contains("new_user"))
            #expect(try await app.providers() == ["email"], "nothing is linked yet")

            let linked = try await app.finish(end.handoffCode())
            #expect(linked.status == 201, "\(linked.text)")
            #expect(try OpenAPIDocument().problems(linked, "POST", "/api/v1/identities").isEmpty)
            let identity = try linked.json()
            #expect(identity["provider"]?.text == kind.testID && identity["email"] == "ann@example.com")
            #expect(try await app.providers() == ["email", kind.testID])
            #expect(deployment.events("identity_linked") == 1)
            if isBrowserSignedIn {
                #expect(browser.session == session)
                #expect(try await browser.get(deployment.origin + "/").text.contains("ben@example.com"))
            } else {
                #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            }
            for secret in [ticket, try end.handoffCode(), app.handoff.verifier] {
                #expect(!deployment.log.contains(secret))
            }

            // The linked identity signs in.
            let done = try await providers.signIn(kind, in: deployment.browser())
            #expect(done.text.contains("ann@example.com"))
        }
    }

    @Test("a ticket needs a sign-in of the last ten minutes, an access token, and a provider that exists")
    func tickets() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let app = try await providers.linkingApp()
            let unknown = try await app.askForTicket("google")
            #expect(unknown.status == 400 && unknown.apiError == "invalid_request")
            let body: JSONValue = .object(["provider": "work"])
            let none = try await deployment.jsonApp().send("POST", "/identities/tickets", body)
            #expect(none.status == 401)
            let byCookie = try await app.native.send("POST", "/identities/tickets", body)
            #expect(byCookie.status == 401, "the cookies of the web view are not enough")
            deployment.clock.advance(by: .minutes(10))
            let issued = try await app.askForTicket("work")
            let document = try OpenAPIDocument()
            #expect(try issued.status == 201 && document.problems(issued, "POST", "/api/v1/identities/tickets").isEmpty)
            deployment.clock.advance(by: .seconds(1))
            let old = try await app.askForTicket("work")
            #expect(try document.problems(old, "POST", "/api/v1/identities/tickets").isEmpty)
            #expect(old.status == 403 && old.apiError == "fresh_sign_in_required")
            // The same app after a new sign-in.
            let again = try await providers.linkingApp(by: app.native)
            #expect(try await again.askForTicket("work").status == 201)
            #expect(try await deployment.rows(of: "app_link") == 1 + 1)
            let ticket = try await again.ticket("work")
            let digest = Hex.encode(SHA256.hash(Array(ticket.utf8))).uppercased()
            #expect(try await deployment.stored.appLinks.ticket(digest: digest).count() == 1)
        }
    }

    @Test("an account with a passkey asks for it: an app that was signed in by email adds no provider")
    func strength() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let app = try await providers.linkingApp()
            _ = try await providers.deployment.givePasskey(to: "ann@example.com")
            let weak = try await app.askForTicket("work")
            #expect(weak.status == 403 && weak.apiError == "fresh_sign_in_required")
            try await providers.deployment.stored.accessTokens.set(strength: "phr")
            #expect(try await app.askForTicket("work").status == 201)
        }
    }

    @Test("Cancel comes back as access_denied: on the page of ours, and at the provider; the code of neither works")
    func cancelled() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let app = try await providers.linkingApp()
            let browser = providers.deployment.browser()
            let page = try await browser.get(app.start(app.ticket("work"), "work"))
            #expect(try page.page().link(containing: "error=") == "\(HandoffApp.redirect)?error=access_denied")
            let end = try await providers.park(app, in: browser, isAllowed: false)
            #expect(try end.page().link(containing: "error=") == "\(HandoffApp.redirect)?error=access_denied")
            #expect(end.status == 200 && !end.text.contains("shc_"))
            #expect(providers.refusals("access_denied") == 1)
            #expect(try await app.providers() == ["email"])
        }
    }

    @Test("an answer that is refused, and a provider that is down, lead back to the app with an error")
    func failed() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let (app, standIn) = (try await providers.linkingApp(), try providers.standIn(.oidc))
            let browser = providers.deployment.browser()
            standIn.claims { $0["nonce"] = "other" }
            let refused = try await providers.park(app, in: browser)
            #expect(refused.status == 400)
            #expect(try refused.page().link(containing: "error=server_error") != nil)
            #expect(providers.refusals("nonce_mismatch") == 1)
            standIn.claims(nil)
            standIn.replace(.token) { _ in .page("Error", "", status: "503 Service Unavailable") }
            let down = try await providers.park(app, in: browser)
            #expect(down.status == 503)
            #expect(try down.page().link(containing: "error=temporarily_unavailable") != nil)
        }
    }

    @Test("reloading the last page gives another code, and the one before is void")
    func reload() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let app = try await providers.linkingApp()
            let browser = providers.deployment.browser()
            let first = try await providers.park(app, in: browser)
            let second = try await browser.get(first.address)
            #expect(try first.handoffCode() != second.handoffCode())
            #expect(try await app.finish(first.handoffCode()).status == 400)
            #expect(try await app.finish(second.handoffCode()).status == 201)
            #expect(try await browser.get(first.address).status == 410, "there is nothing left to link")
        }
    }

    @Test("an identity that the account has already is no error, and changes nothing")
    func twice() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let app = try await providers.linkingApp()
            for expected in [201, 200] {
                let page = try await providers.park(app, in: providers.deployment.browser())
                #expect(try await app.finish(page.handoffCode()).status == expected)
            }
            #expect(providers.deployment.events("identity_linked") == 1)
            #expect(try await app.providers() == ["email", "work"])
        }
    }

    @Test("the list names each identity with its times; rows of links go when nothing can come for them")
    func list() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let app = try await providers.linkingApp()
            let code = try await providers.park(app, in: deployment.browser()).handoffCode()
            #expect(try await app.finish(code).status == 201)
            let items = try await app.native.authorized("GET", "/identities").json()["identities"]?.items ?? []
            #expect(items.map { $0["name"] } == ["Email", "Provider work"])
            #expect(items.map { $0["email"] } == ["ann@example.com", "ann@example.com"])
            #expect(items.allSatisfy { $0["created_at"]?.number == Double(deployment.clock.now.seconds) })
            #expect(items.allSatisfy { $0["last_used_at"] == nil })
            deployment.clock.advance(by: .seconds(30))
            _ = try await providers.signIn(.oidc, in: deployment.browser())
            let used = try await app.native.authorized("GET", "/identities").json()["identities"]?.items ?? []
            #expect(used.last?["last_used_at"]?.number == Double(deployment.clock.now.seconds))
            #expect(try await deployment.stored.appLinks.withIdentity.count() == 0)
            _ = try await app.ticket("work")
            deployment.clock.advance(by: .minutes(12))
            let store = AppIdentityStore(
                database: deployment.database, clock: deployment.clock.clock,
                tokens: AccessTokenStore(
                    database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                    eligibility: SignInEligibility(
                        allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock)),
                keys: try DerivedKeys.parse(TestSecret.new(), setting: "keys"), randomness: SystemRandomness()
            )
            _ = try await store.purge(limit: 100)
            #expect(try await deployment.rows(of: "app_link") == 0)
        }
    }
}
