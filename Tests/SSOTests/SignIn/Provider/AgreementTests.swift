import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What waits in a browser is linked only by the challenge that its user has begun, and every page that would link names the
/// provider.
@Suite("The agreement to add a provider", .program, .alsoOnPostgres)
struct AgreementTests {
    private static let provider = "Provider work"

    /// The attacker signs in with an account elsewhere that has the owner's address, agrees, and leaves the browser.
    private static func leaveBehind(
        in shared: Browser, _ place: ProviderDeployment
    ) async throws -> (waiting: Visit, email: Mailbox.Email) {
        let deployment = place.deployment
        let earlier = deployment.mailbox.all(to: "ann@example.com")
        try place.standIn(.oidc).user = .init(subject: "666", email: "ann@example.com", name: "Mallory")
        let page = try await place.signIn(.oidc, in: shared, state: "left-behind")
        #expect(page.address.path == "/sign-in/known-address")
        let waiting = try await shared.follow(shared.submit(page.page().form(to: "/sign-in"), on: page))
        return (waiting, try await deployment.mailbox.email(to: "ann@example.com", besides: earlier))
    }

    @Test("the owner's own email, whenever it was asked for, adds nothing that was left in a shared browser")
    func ownEmail() async throws {
        try await ProviderDeployment.open(settings: ReplySettings.all) { place in
            let deployment = place.deployment
            // The browser knows the owner.
            let shared = try await deployment.signedIn()
            try await shared.signOut(of: deployment)
            deployment.clock.advance(by: .hours(1))

            // Asked for elsewhere, opened in the shared browser.
            _ = try await Self.leaveBehind(in: shared, place)
            deployment.clock.advance(by: .minutes(2))
            let owner = deployment.browser()
            let elsewhere = try await deployment.begin(.emailLink, in: owner, as: "ann@example.com")
            let page = try await elsewhere.prepare(in: shared)
            #expect(try page.page().form(to: "/sign-in/link") != nil && !page.text.contains(Self.provider))
            #expect(try await elsewhere.decide(in: shared, on: page).status == 303)
            #expect(try await shared.isSignedInOnHomePage(of: deployment))
            #expect(try await place.externalIdentities() == 0)
            try await shared.signOut(of: deployment)
            deployment.clock.advance(by: .hours(1))

            // Asked for in the shared browser, before the attacker came.
            let before = try await deployment.begin(.emailLink, in: shared, as: "ann@example.com")
            deployment.clock.advance(by: .minutes(2))
            let left = try await Self.leaveBehind(in: shared, place)
            #expect(left.email.code != before.email?.code, "a challenge of its own")
            let early = try await before.prepare(in: shared)
            #expect(!early.text.contains(Self.provider))
            #expect(try await before.decide(in: shared, on: early).status == 303)
            #expect(try await shared.isSignedInOnHomePage(of: deployment))
            #expect(try await place.externalIdentities() == 0)
            try await shared.signOut(of: deployment)
            deployment.clock.advance(by: .hours(1))

            // Asked for in the shared browser afterwards, without a word about the provider.
            for method in TestedMethod.byEmail {
                _ = try await Self.leaveBehind(in: shared, place)
                deployment.clock.advance(by: .minutes(2))
                let after = try await deployment.begin(method, in: shared, as: "ann@example.com")
                #expect(!after.waiting.text.contains(Self.provider))
                #expect(try await after.prove(in: shared).status == 303)
                #expect(try await place.externalIdentities() == 0)
                try await shared.signOut(of: deployment)
                deployment.clock.advance(by: .hours(3))
            }
            #expect(deployment.events("identity_linked") == 0)
        }
    }

    @Test(
        "the pages of the challenge that was begun with the agreement name the provider, and its proof adds it",
        arguments: TestedMethod.byEmail)
    func agreed(method: TestedMethod) async throws {
        try await ProviderDeployment.open(settings: ReplySettings.all) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            try await deployment.signedIn().signOut(of: deployment)
            deployment.clock.advance(by: .hours(1))
            let left = try await Self.leaveBehind(in: browser, place)
            #expect(left.waiting.text.contains(Self.provider), "the page that waits")
            let proof = PendingProof(
                method: method, address: "ann@example.com", waiting: left.waiting, email: left.email,
                deployment: deployment)
            let page = try await proof.prepare(in: browser)
            #expect(page.text.contains(Self.provider), "the page that decides")
            let end = try await browser.follow(proof.decide(in: browser, on: page))
            #expect(try await deployment.redeem(end, as: place.client).methods == [method.rawValue])
            #expect(try await place.externalIdentities() == 1)
            #expect(deployment.events("identity_linked") == 1)
        }
    }

    @Test("another email for the same agreement still adds the provider")
    func sentAgain() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let left = try await Self.leaveBehind(in: browser, place)
            deployment.clock.advance(by: .minutes(2))
            let again = try await browser.follow(
                browser.submit(left.waiting.page().form(with: "known"), on: left.waiting))
            #expect(again.text.contains(Self.provider))
            let code = try #require(left.email.code)
            _ = try await browser.follow(browser.enter(code, on: again))
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("a provider that was removed from the file meanwhile adds nothing", arguments: [true, false])
    func removedProvider(isNew: Bool) async throws {
        try await ProviderDeployment.open(owning: []) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            if !isNew {
                try await deployment.signedIn().signOut(of: deployment)
                deployment.clock.advance(by: .hours(1))
            }
            let left = try await Self.leaveBehind(in: browser, place)
            // The same id stands for another provider.
            let other = try deployment.folder.write(
                StandInProvider.file([UnvisitedProviders.entry(.oidc, in: deployment.folder)]), to: "other.yaml")
            try await deployment.withSecondIdP(settings: ["IDP_PROVIDERS_FILE": other]) { second in
                let same = browser.twin(routes: second.routes)
                let end = try await same.follow(same.enter(#require(left.email.code), on: left.waiting))
                #expect(try end.token().hasPrefix("sst_"), "the sign-in itself goes on")
                #expect(try await same.isSignedInOnHomePage(of: second))
            }
            #expect(try await place.externalIdentities() == 0)
            #expect(deployment.events("identity_linked") == 0)
            #expect(deployment.events("identity_link_refused", reason: "provider_removed") == 1)
        }
    }
}
