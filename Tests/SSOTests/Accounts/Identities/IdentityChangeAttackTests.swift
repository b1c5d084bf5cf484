import ProbeKit
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

/// Whatever an attacker's form does, nothing about how another user signs in changes. `WaitingChangeAttackTests` attack the
/// confirmation.
@Suite("A forged change of the ways to sign in", .program)
struct IdentityChangeAttackTests {
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

    @Test("an account with a passkey asks for it: a code by email neither adds nor removes a provider")
    func strength() async throws {
        try await ProviderDeployment.open([.oidc, .github]) { place in
            let browser = try await place.owner(adding: .oidc)
            let authenticator = try await place.deployment.givePasskey(to: "ann@example.com")
            let home = try await browser.home(of: place.deployment)
            for asked in [try await browser.pressAdd("github", on: home), try await browser.pressRemove(on: home)] {
                #expect(try asked.status == 303 && asked.location().path == "/sign-in")
                let page = try await browser.follow(asked)
                #expect(try page.page().form(with: "email") == nil, "an email would not do")
            }
            #expect(try await place.externalIdentities() == 1)
            let signIn = try await browser.follow(browser.pressRemove(on: home))
            let page = try await browser.follow(browser.usePasskey(authenticator, on: signIn))
            _ = try await browser.submit(page.page().forms.first { $0.action == page.address.path }, on: page)
            #expect(try await place.externalIdentities() == 0)
        }
    }

    @Test("nor does a code that proves the address of a provider's user: it signs in, and adds no way in that stays")
    func strengthOfWaiting() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            let deployment = place.deployment
            try await deployment.signedIn(as: "ann@example.com").signOut(of: deployment)
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            for round in 1...2 {
                deployment.clock.advance(by: .minutes(2))
                let attacker = deployment.browser()
                let page = try await place.signIn(.oidc, in: attacker, state: "\(round)")
                #expect(page.address.path == "/sign-in/known-address", "the provider alone opens nothing")
                let earlier = deployment.mailbox.all(to: "ann@example.com")
                let waiting = try await attacker.follow(attacker.submit(page.page().form(to: "/sign-in"), on: page))
                let code = try await deployment.mailbox.code(to: "ann@example.com", besides: earlier)
                _ = try await attacker.follow(attacker.enter(code, on: waiting))
                #expect(try await attacker.isSignedInOnHomePage(of: deployment))
                #expect(try await place.externalIdentities() == 0)
                #expect(deployment.events("identity_link_refused", reason: "passkey_needed") == round)
            }
            // With the passkey its owner may.
            let owner = deployment.browser()
            let signIn = try await owner.get(deployment.origin + "/sign-in")
            _ = try await owner.follow(owner.usePasskey(authenticator, on: signIn))
            _ = try await place.add(.oidc, in: owner)
            #expect(try await place.externalIdentities() == 1)
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
            let names = try await place.deployment.stored.identities.external
                .read(AccountIdentity.columns) { try AccountIdentity($0).name }
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
            /// Presses the button. Other requests make these changes after its session was read.
            func remove(during changes: [@Sendable () async throws -> Void]) async throws -> String {
                let home = try await browser.home(of: deployment)
                interruption.afterRead(of: "form_seed") {
                    for change in changes { try await change() }
                }
                return try await browser.pressRemove(on: home).location().target
            }
            // The same again brings the session back.
            let expiry = { @Sendable in try await deployment.stored.sessions.invertExpiry() }
            #expect(try await remove(during: [expiry]) == "/")
            try await expiry()
            #expect(try await place.externalIdentities() == 1)

            let signOut = { @Sendable in try await deployment.stored.accounts.endSignIns() }
            let renewal = { @Sendable in try await deployment.stored.sessions.signedIn.renewSignIns() }
            #expect(try await remove(during: [signOut, renewal]) == "/?removed=work")
            #expect(try await place.externalIdentities() == 0)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))

            _ = try await place.add(.oidc, in: browser)
            #expect(try await remove(during: [signOut]) == "/")
            #expect(try await place.externalIdentities() == 1)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }
}
