import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// From a client to a provider and back, and what becomes of the identity.
@Suite("Signing in with a provider", .program, .alsoOnPostgres)
struct ProviderSignInTests {
    @Test(
        "leads from the client to the provider and back, and verify names the method", arguments: Provider.Kind.allCases
    )
    func journey(kind: Provider.Kind) async throws {
        try await ProviderDeployment.open([kind]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let standIn = try place.standIn(kind)
            let complete = try await place.signIn(kind, in: browser)
            #expect(standIn.problems.isEmpty)
            let redeemed = try await deployment.redeem(complete, as: place.client)
            #expect(redeemed.callback.query("state") == "the-state")
            #expect(redeemed.methods == [kind.testMethod])
            #expect(redeemed.email == "ann@example.com")
            #expect(redeemed.authenticatedAt == nil, "the provider did not say when")
            #expect(try await deployment.signedInSessions() == 1)
            #expect(!browser.setCookieLines.isEmpty)
            #expect(!browser.setCookieLines.contains { $0.lowercased().contains("samesite=none") })
            // Nothing usable is logged.
            for request in standIn.requests {
                for name in ["code", "code_verifier", "state", "nonce", "client_secret"] {
                    if let value = request.field(name) { #expect(!deployment.log.text.contains(value), "\(name)") }
                }
            }
        }
    }

    @Test("a second sign-in leads to the same account, whatever address the provider names then")
    func sameAccount() async throws {
        try await ProviderDeployment.open { place in
            let first = try await place.deployment.redeem(
                place.signIn(.oidc, in: place.deployment.browser()), as: place.client)
            let standIn = try place.standIn(.oidc)
            standIn.user.email = "ben@example.com"
            let second = try await place.deployment.redeem(
                place.signIn(.oidc, in: place.deployment.browser(), state: "another"), as: place.client)
            #expect(first.email == "ann@example.com")
            #expect(second.email == "ann@example.com")
            #expect(try await place.deployment.rows(of: "account") == 1)
            standIn.user.subject = "10022"
            let other = try await place.deployment.redeem(
                place.signIn(.oidc, in: place.deployment.browser(), state: "third"), as: place.client)
            #expect(other.email == "ben@example.com")
            #expect(try await place.deployment.rows(of: "account") == 2)
        }
    }

    @Test("verify says when the provider authenticated the user")
    func authTime() async throws {
        try await ProviderDeployment.open { place in
            let moment = place.deployment.clock.now - .hours(3)
            try place.standIn(.oidc).user.authTime = moment
            let redeemed = try await place.deployment.redeem(
                place.signIn(.oidc, in: place.deployment.browser()), as: place.client)
            #expect(redeemed.authenticatedAt == moment.seconds)
        }
    }

    @Test(
        "a client that asks for a new sign-in gets one only from a provider that says when it was",
        arguments: [0, 3, nil] as [Int?])
    func newSignIn(hours: Int?) async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            let moment = hours.map { deployment.clock.now - .hours($0) }
            standIn.claims { $0["auth_time"] = moment.map { .number(Double($0.seconds)) } }
            let browser = deployment.browser()
            let page = try await browser.follow(
                browser.get(deployment.authorize(place.client, state: "s") + "&max_age=3600"))
            let answer = try await standIn.visit(from: page, in: browser)
            let end = try await browser.follow(browser.bring(answer))
            #expect(end.status == (hours == 0 ? 200 : 403))
            #expect(place.refusals("not_fresh") == (hours == 0 ? 0 : 1))
            #expect(try await deployment.signedInSessions() == (hours == 0 ? 1 : 0))
        }
    }

    @Test("a provider that never says when it was is not offered where only a new sign-in will do")
    func notOffered() async throws {
        try await ProviderDeployment.open([.oidc, .google, .github]) { place in
            let authorize = place.deployment.authorize(place.client, state: "s")
            let (first, second) = (place.deployment.browser(), place.deployment.browser())
            let all = try await first.follow(first.get(authorize))
            let some = try await second.follow(second.get(authorize + "&prompt=login"))
            for (kind, isOffered) in [(Provider.Kind.oidc, true), (.google, false), (.github, false)] {
                let path = "/sign-in/with/\(kind.testID)"
                #expect(try all.page().form(to: path) != nil)
                #expect(try (some.page().form(to: path) != nil) == isOffered)
            }
        }
    }

    @Test("a verified address of an account that exists signs no user in until its owner has proven it by email")
    func knownAddress() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, owner) = (place.deployment, try await place.deployment.signedIn())
            try await owner.signOut(of: deployment)
            let browser = deployment.browser()
            let page = try await place.signIn(.oidc, in: browser)
            #expect(page.status == 200)
            #expect(page.address.path == "/sign-in/known-address")
            #expect(try await deployment.signedInSessions() == 0)
            #expect(try await deployment.rows(of: "account_identity") == 1)

            let earlier = deployment.mailbox.all(to: "ann@example.com")
            deployment.clock.advance(by: .minutes(1))
            let waiting = try await browser.follow(browser.submit(page.page().form(to: "/sign-in"), on: page))
            let code = try await deployment.mailbox.code(to: "ann@example.com", besides: earlier)
            let complete = try await browser.follow(browser.enter(code, on: waiting))
            let redeemed = try await deployment.redeem(complete, as: place.client)
            #expect(redeemed.methods == ["email_code"])
            #expect(try await deployment.rows(of: "account_identity") == 2)
            #expect(deployment.events("identity_linked") == 1)

            let next = try await deployment.redeem(
                place.signIn(.oidc, in: deployment.browser(), state: "next"), as: place.client)
            #expect(next.methods == ["oidc:work"])
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("a provider's form carries no cookie of ours: it is parked, and the GET after it needs the right browser")
    func formPost() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            let answer = try await place.standIn(.apple).visit(from: page, in: browser)
            let parked = try await browser.postFromOtherSite(answer)
            #expect(parked.status == 303)
            #expect(parked.reply.all("set-cookie").isEmpty)
            #expect(!parked.reply.text.contains(answer.code))
            #expect(try parked.location().path == "/auth/apple/callback")
            let stranger = try await deployment.browser().get(parked.location())
            #expect(stranger.status == 400)
            #expect(place.refusals("other_browser") == 1)
            let again = try await browser.postFromOtherSite(answer)
            #expect(again.status == 400, "the first answer stays")
            let complete = try await browser.follow(browser.get(parked.location()))
            #expect(try complete.token().hasPrefix("sst_"))
            #expect(!browser.setCookieLines.isEmpty)
            #expect(!browser.setCookieLines.contains { $0.lowercased().contains("samesite=none") })
        }
    }
}
