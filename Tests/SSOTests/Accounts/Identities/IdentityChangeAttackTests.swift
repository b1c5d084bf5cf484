import Storage
import Testing

@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Whatever an attacker's page, link or browser does, nothing about how the user signs in changes.
@Suite("A change that its user did not confirm", .program)
struct IdentityChangeAttackTests {
    /// A change that waits for a new sign-in: where it asks for it, and the confirm page's address.
    private struct Waiting {
        let browser: Browser
        let signIn: Visit
        let confirm: String
    }

    /// The removal of the provider, eleven minutes after the sign-in.
    private static func waiting(_ place: ProviderDeployment) async throws -> Waiting {
        let browser = try await place.owner(adding: .oidc)
        place.deployment.clock.advance(by: .minutes(11))
        let page = try await browser.follow(browser.pressRemove(on: browser.home(of: place.deployment)))
        let flow = try #require(page.address.query("flow"))
        return Waiting(
            browser: browser, signIn: page, confirm: "\(place.origin)/identities/confirm?flow=\(flow)")
    }

    @Test("a form without the token of this browser changes nothing", arguments: ["link", "unlink", "confirm"])
    func crossSite(path: String) async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            _ = try await place.signInAgain(waiting.browser, on: waiting.signIn)
            let name = try await IdentityListTests.name(of: "external", in: place.deployment)
            let flow = waiting.signIn.address.query("flow") ?? ""
            for token in ["", "stale"] {
                let sent = try await waiting.browser.post(
                    WebAddress("\(place.origin)/identities/\(path)"),
                    [("form_token", token), ("provider", "work"), ("identity", name), ("flow", flow)])
                #expect(sent.status == 403)
            }
            #expect(try await place.externalIdentities() == 1)
            #expect(place.deployment.events("provider_sign_in_started") == 1, "the one of the set-up")
        }
    }

    @Test("the new sign-in alone changes nothing, and neither does opening the page")
    func opening() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            let early = try await waiting.browser.get(waiting.confirm)
            #expect(try early.location().path == "/sign-in", "not before the sign-in")
            _ = try await place.signInAgain(waiting.browser, on: waiting.signIn)
            for _ in 1...2 {
                #expect(try await waiting.browser.get(waiting.confirm).status == 200)
            }
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("a form of the page that is sent before the new sign-in leads to it")
    func beforeSignIn() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            let home = try await waiting.browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await waiting.browser.post(
                WebAddress("\(place.origin)/identities/confirm"),
                [("form_token", token), ("flow", waiting.signIn.address.query("flow") ?? "")])
            #expect(sent.status == 303)
            #expect(try sent.location().path == "/sign-in")
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("after ten minutes the page says so")
    func expired() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            let confirm = try await place.signInAgain(waiting.browser, on: waiting.signIn)
            place.deployment.clock.advance(by: .minutes(10))
            #expect(try await waiting.browser.get(waiting.confirm).status == 410)
            #expect(try await waiting.browser.confirm(on: confirm).status == 410)
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("it is carried out once")
    func once() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            let confirm = try await place.signInAgain(waiting.browser, on: waiting.signIn)
            #expect(try await waiting.browser.confirm(on: confirm).status == 303)
            _ = try await place.add(.oidc, in: waiting.browser)
            #expect(try await waiting.browser.confirm(on: confirm).status == 410)
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("another user who signs in meanwhile sees it on the page, and neither account changes")
    func otherAccount() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            let page = try await place.signInAgain(waiting.browser, on: waiting.signIn, as: "ben@example.com")
            #expect(page.status == 409)
            #expect(page.text.contains("You are signed in to another account"))
            let home = try await waiting.browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await waiting.browser.post(
                WebAddress("\(place.origin)/identities/confirm"),
                [("form_token", token), ("flow", waiting.signIn.address.query("flow") ?? "")])
            #expect(sent.status == 409)
            #expect(try await place.externalIdentities() == 1)
            #expect(place.deployment.events("account_change_refused", reason: "other_account") == 2)
        }
    }

    @Test("another browser of the same user knows nothing of it")
    func otherBrowser() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let waiting = try await Self.waiting(place)
            place.deployment.clock.advance(by: .minutes(1))
            let other = try await place.deployment.signedIn()
            #expect(try await other.get(waiting.confirm).status == 410)
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("the name of another account's identity removes nothing")
    func otherIdentity() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.owner(adding: .oidc)
            let ben = try await place.deployment.signedIn(as: "ben@example.com")
            let name = try await IdentityListTests.name(of: "external", in: place.deployment)
            let home = try await ben.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await ben.post(
                home.address.resolving("/identities/unlink"), [("form_token", token), ("identity", name)])
            #expect(sent.status == 303)
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("the email identity cannot be removed, and an unknown provider cannot be added")
    func unknownNames() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner(adding: .oidc)
            let name = try await IdentityListTests.name(of: "email", in: place.deployment)
            let home = try await browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await browser.post(
                home.address.resolving("/identities/unlink"), [("form_token", token), ("identity", name)])
            #expect(sent.status == 303)
            #expect(try await place.deployment.rows(of: "account_identity") == 2)
            let unknown = try await browser.post(
                home.address.resolving("/identities/link"), [("form_token", token), ("provider", "nobody")])
            #expect(unknown.status == 404)
        }
    }

    @Test("a user who is not signed in is sent to the start page")
    func signedOut() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner(adding: .oidc)
            let home = try await browser.home(of: place.deployment)
            try await browser.signOut(of: place.deployment)
            let removed = try await browser.pressRemove(on: home)
            #expect(try removed.status == 303 && removed.location().target == "/")
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("of two removals that a browser sends at once, the second sees the sign-in that the first has left")
    func twoRemovals() async throws {
        try await ProviderDeployment.open([.oidc, .github]) { place in
            let browser = try await place.owner(adding: .oidc)
            _ = try await place.add(.github, in: browser)
            let home = try await browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let names = try await place.deployment.database.read { connection in
                try connection.query(
                    "SELECT \(AccountIdentity.columns) FROM account_identity WHERE kind = 'external'"
                ).map { try AccountIdentity($0).name }
            }
            let address = try home.address.resolving("/identities/unlink")
            await withTaskGroup(of: Void.self) { group in
                for name in names {
                    group.addTask {
                        _ = try? await browser.post(address, [("form_token", token), ("identity", name)])
                    }
                }
            }
            #expect(try await place.externalIdentities() == 0)
            #expect(try await browser.isSignedInOnHomePage(of: place.deployment))
        }
    }

    @Test(
        "a removal goes on with the sign-in that another one has left in its session, and not with one that has ended")
    func meanwhile() async throws {
        let interruption = Interruption()
        try await ProviderDeployment.open([.oidc], wrapping: { interruption.wrapping($0) }) { place in
            let (deployment, browser) = (place.deployment, try await place.owner(adding: .oidc))
            /// Presses the button. Other requests execute these statements after its session was read.
            func remove(during statements: [String]) async throws -> String {
                let home = try await browser.home(of: deployment)
                interruption.afterRead(of: "form_seed") {
                    for statement in statements { try await deployment.execute(statement) }
                }
                return try await browser.pressRemove(on: home).location().target
            }
            // The same statement again brings the session back.
            let expiry = "UPDATE session SET expires_at = -expires_at"
            #expect(try await remove(during: [expiry]) == "/")
            try await deployment.execute(expiry)
            #expect(try await place.externalIdentities() == 1)

            let signOut = "UPDATE account SET sign_outs = sign_outs + 1"
            let renewal = """
                UPDATE session SET slots = json_set(slots, '$.signIn.signOuts', (SELECT sign_outs FROM account))
                 WHERE slots LIKE '%accountID%'
                """
            #expect(try await remove(during: [signOut, renewal]) == "/?removed=work")
            #expect(try await place.externalIdentities() == 0)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))

            _ = try await place.add(.oidc, in: browser)
            #expect(try await remove(during: [signOut]) == "/")
            #expect(try await place.externalIdentities() == 1)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("at most eight changes wait in a browser; the oldest is forgotten")
    func manyChanges() throws {
        var flows = Flows()
        let now = TestClock().now
        let ids = (0..<9).map { FlowID.example($0) }
        for id in ids {
            try flows.begin(WaitingChange(.unlink(identity: "x"), accountID: "usr_1").flow(now: now), id: id, now: now)
        }
        func pending(_ id: FlowID, at moment: Timestamp) -> WaitingChange? {
            WaitingChange.pending(id, in: flows, now: moment)
        }
        #expect(pending(ids[0], at: now) == nil)
        #expect(ids.dropFirst().allSatisfy { pending($0, at: now) != nil })
        #expect(pending(ids[1], at: now + Flows.lifetime) == nil)
        #expect(pending(ids[1], at: now - .hours(1)) == nil, "begun while the clock was wrong")
        #expect(WaitingChange.take(ids[1], from: &flows, now: now)?.accountID == "usr_1")
        #expect(WaitingChange.take(ids[1], from: &flows, now: now) == nil)
    }
}
