import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Who has just signed in adds and removes at once. Any other user signs in again first.
@Suite("Adding and removing a way to sign in", .program)
struct IdentityChangeTests {
    @Test("within ten minutes of the sign-in a provider is added at once", arguments: Provider.Kind.allCases)
    func addAtOnce(kind: Provider.Kind) async throws {
        try await ProviderDeployment.open([kind]) { place in
            let browser = try await place.deployment.signedIn()
            place.deployment.clock.advance(by: .minutes(10))
            let home = try await place.add(kind, in: browser)
            #expect(home.address.target == "/?added=\(kind.testID)")
            #expect(try await place.externalIdentities() == 1)
            #expect(place.deployment.events("identity_linked") == 1)

            let other = place.deployment.browser()
            let signedIn = try await place.deployment.redeem(place.signIn(kind, in: other), as: place.client)
            #expect(signedIn.email == "ann@example.com")
            #expect(try await place.deployment.rows(of: "account") == 1)
        }
    }

    @Test(
        "later the user signs in again, in any way by email, and then presses one button",
        arguments: TestedMethod.byEmail)
    func addLater(method: TestedMethod) async throws {
        try await ProviderDeployment.open([.oidc], settings: ReplySettings.all) { place in
            let (deployment, browser) = (place.deployment, try await place.deployment.signedIn())
            deployment.clock.advance(by: .minutes(10) + .milliseconds(1))
            let page = try await browser.follow(browser.pressAdd("work", on: browser.home(of: deployment)))
            #expect(page.address.path == "/sign-in")
            #expect(
                page.text.contains(
                    "You are signed in as <span class=\"unit\"><bdi translate=\"no\">ann@example.com</bdi>.</span> Sign in again"
                ))
            let proof = try await deployment.begin(method, on: page, in: browser)
            let confirm = try await browser.follow(proof.prove(in: browser))
            #expect(confirm.address.path == "/identities/confirm")
            #expect(confirm.text.contains("<h1>Add <bdi>Provider work</bdi></h1>"))
            #expect(try place.standIn(.oidc).requests(at: .token).isEmpty)
            let home = try await place.goOn(.oidc, from: browser.confirm(on: confirm), in: browser)
            #expect(home.address.target == "/?added=work")
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("signing in again with a provider counts from when it authenticated the user")
    func againWithProvider() async throws {
        try await ProviderDeployment.open([.oidc, .google]) { place in
            let (deployment, browser) = (place.deployment, try await place.owner(adding: .oidc))
            deployment.clock.advance(by: .minutes(30))
            let page = try await browser.follow(browser.pressAdd("google", on: browser.home(of: deployment)))
            let standIn = try place.standIn(.oidc)
            let answer = try await standIn.visit(from: page, in: browser)
            #expect(standIn.requests(at: .token).count == 1)
            let confirm = try await browser.follow(browser.bring(answer))
            #expect(confirm.address.path == "/identities/confirm")
            let home = try await place.goOn(.google, from: browser.confirm(on: confirm), in: browser)
            #expect(home.address.target == "/?added=google")
            #expect(try await place.externalIdentities() == 2)
        }
    }

    @Test("a provider that does not say when it authenticated the user is not enough")
    func providerWithoutTime() async throws {
        try await ProviderDeployment.open([.apple, .oidc]) { place in
            let (deployment, browser) = (place.deployment, try await place.owner(adding: .apple))
            deployment.clock.advance(by: .minutes(30))
            let page = try await browser.follow(browser.pressAdd("work", on: browser.home(of: deployment)))
            let answer = try await place.standIn(.apple).visit(from: page, in: browser)
            let refused = try await browser.follow(browser.bring(answer))
            #expect(refused.status == 403)
            #expect(place.refusals("not_fresh") == 1)
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("an identity is removed at once, the email stays, and every other sign-in of the account ends")
    func remove() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let (deployment, browser) = (place.deployment, try await place.owner(adding: .oidc))
            let other = deployment.browser()
            _ = try await place.signIn(.oidc, in: other)
            #expect(try await other.isSignedInOnHomePage(of: deployment))

            let home = try await browser.follow(browser.pressRemove(on: browser.home(of: deployment)))
            #expect(home.address.target == "/?removed=work")
            #expect(home.text.contains("<bdi>Provider work</bdi> was removed."))
            #expect(try await place.externalIdentities() == 0)
            #expect(deployment.events("identity_unlinked") == 1)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            #expect(try await !other.isSignedInOnHomePage(of: deployment))

            let again = try await place.signIn(.oidc, in: deployment.browser(), state: "again")
            #expect(again.address.path == "/sign-in/known-address", "it leads to no account any more")
        }
    }

    @Test("a later removal waits for a new sign-in and one button")
    func removeLater() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let (deployment, browser) = (place.deployment, try await place.owner(adding: .oidc))
            deployment.clock.advance(by: .minutes(11))
            let page = try await browser.follow(browser.pressRemove(on: browser.home(of: deployment)))
            let confirm = try await place.signInAgain(browser, on: page)
            #expect(confirm.text.contains("<h1>Remove <bdi>Provider work</bdi></h1>"))
            #expect(try await place.externalIdentities() == 1)
            let home = try await browser.follow(browser.confirm(on: confirm))
            #expect(home.address.target == "/?removed=work")
            #expect(try await place.externalIdentities() == 0)
        }
    }

    @Test("of two removals at the same instant one identity stays")
    func twoRemovals() async throws {
        try await ProviderDeployment.open([.oidc, .google]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            try place.standIn(.oidc).user.authTime = deployment.clock.now
            _ = try await place.signIn(.oidc, in: browser)
            _ = try await place.add(.google, in: browser)
            #expect(try await deployment.rows(of: "account_identity") == 2)
            let home = try await browser.home(of: deployment)
            let forms = try home.removeForms()
            #expect(forms.count == 2)
            async let first = browser.submit(forms[0], on: home)
            async let second = browser.submit(forms[1], on: home)
            let statuses = try await [first.status, second.status]
            #expect(statuses.contains(303))
            #expect(try await deployment.rows(of: "account_identity") == 1)
            #expect(deployment.events("identity_unlinked") == 1)
            // Neither does a further one remove it.
            let name = try await IdentityListTests.name(of: "external", in: deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let last = try await browser.post(
                home.address.resolving("/identities/unlink"), [("form_token", token), ("identity", name)])
            #expect(last.status == 409)
            #expect(try await deployment.rows(of: "account_identity") == 1)
        }
    }

    @Test("when the user removes Apple, the token there is revoked")
    func revocation() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let browser = try await place.owner(adding: .apple)
            let standIn = try place.standIn(.apple)
            _ = try await browser.pressRemove(on: browser.home(of: place.deployment))
            #expect(standIn.state.withLock { $0.revoked } == standIn.state.withLock { $0.refreshTokens })
            #expect(standIn.state.withLock { $0.revoked.count } == 1)
            #expect(standIn.problems.isEmpty)
            #expect(!place.deployment.log.contains("provider_revocation_failed"))
        }
    }

    @Test("a revocation that fails is logged, and the identity is removed all the same")
    func failedRevocation() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let browser = try await place.owner(adding: .apple)
            let standIn = try place.standIn(.apple)
            standIn.state.withLock { $0.replaced[.revoke] = { _ in .json("{}", status: "500 Internal Server Error") } }
            let removed = try await browser.pressRemove(on: browser.home(of: place.deployment))
            #expect(removed.status == 303)
            #expect(try await place.externalIdentities() == 0)
            #expect(place.deployment.events("provider_revocation_failed", reason: "revocation_endpoint_status") == 1)
            let token = try #require(standIn.state.withLock { $0.refreshTokens.first })
            #expect(!place.deployment.log.text.contains(token))
        }
    }

    @Test("a press of the same button after the change is harmless")
    func twice() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner(adding: .oidc)
            let home = try await browser.home(of: place.deployment)
            _ = try await browser.pressRemove(on: home)
            let again = try await browser.pressRemove(on: home)
            #expect(again.status == 303)
            #expect(try again.location().target == "/")
            #expect(place.deployment.events("identity_unlinked") == 1)
        }
    }
}
