import ProbeKit
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The five ways to open an account before its owner does (Sudhodanan and Paverd, "Pre-hijacked accounts", USENIX Security
/// 2022). The victim is the owner of ann@example.com. The attacker's identity has the subject 666.
@Suite("Pre-hijacking", .program, .alsoOnPostgres)
struct PreHijackingTests {
    /// The attacker signs in with an identity whose provider claims that the victim's address is verified.
    private static func attack(
        _ place: ProviderDeployment, by browser: Browser, _ kind: Provider.Kind = .oidc
    ) async throws -> Visit {
        let standIn = try place.standIn(kind)
        standIn.user = .init(
            subject: "666", email: "ann@example.com", name: "Mallory", authTime: place.deployment.clock.now)
        let visit = try await place.signIn(kind, in: browser)
        standIn.user = .init()
        return visit
    }

    private static func identities(_ place: ProviderDeployment, _ kind: String) async throws -> Int {
        try await place.deployment.stored.identities.ofKind(kind).count()
    }

    @Test("classic-federated merge: an address that the attacker types makes no account that the victim could join")
    func classicFederatedMerge() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, attacker) = (place.deployment, place.deployment.browser())
            let waiting = try await attacker.ask(
                for: "ann@example.com", on: attacker.get(deployment.origin + "/sign-in"))
            #expect(try await deployment.rows(of: "account") == 0)

            let complete = try await place.signIn(.oidc, in: deployment.browser())
            let redeemed = try await deployment.redeem(complete, as: place.client)
            #expect(redeemed.email == "ann@example.com")
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let wrong = code == "000000" ? "000001" : "000000"
            _ = try await attacker.submit(waiting.page().form(with: "code"), on: waiting, ["code": wrong])
            #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("classic-federated merge, reversed: the victim's proof of the mailbox ends the attacker's identity")
    func federatedClassicMerge() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, attacker) = (place.deployment, place.deployment.browser())
            let early = try await Self.attack(place, by: attacker)
            #expect(try await attacker.isSignedInOnHomePage(of: deployment), "the provider vouches for the address")
            #expect(try await Self.identities(place, "external") == 1)

            let victim = try await deployment.signedIn()
            #expect(try await victim.isSignedInOnHomePage(of: deployment))
            #expect(try await Self.identities(place, "external") == 0)
            #expect(try await Self.identities(place, "email") == 1)
            #expect(deployment.events("identity_revoked", reason: "address_proven") == 1)
            #expect(try await deployment.verify(early.token(), as: place.client).status == 401)

            // The attacker comes again: the same identity proves nothing any more.
            let again = try await Self.attack(place, by: deployment.browser())
            #expect(again.address.path == "/sign-in/known-address")
            #expect(try await Self.identities(place, "external") == 0)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test(
        "the browser that the provider has signed in may prove the address first: the identity and every sign-in stay")
    func ownProof() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, owner, tab) = (place.deployment, place.deployment.browser(), place.deployment.browser())
            _ = try await place.signIn(.oidc, in: owner)
            _ = try await place.signIn(.oidc, in: tab, state: "another-browser")
            let asked = try await owner.follow(
                owner.get(deployment.authorize(place.client, state: "again") + "&prompt=login"))
            let complete = try await place.signInAgain(owner, on: asked)
            #expect(try await deployment.redeem(complete, as: place.client).methods == ["email_code"])
            #expect(try await Self.identities(place, "external") == 1)
            #expect(try await Self.identities(place, "email") == 1)
            #expect(deployment.events("identity_revoked") == 0)
            #expect(try await owner.isSignedInOnHomePage(of: deployment))
            #expect(try await tab.isSignedInOnHomePage(of: deployment))

            // The address has been proven: a later proof in another browser is not the first one.
            deployment.clock.advance(by: .minutes(1))
            _ = try await deployment.signedIn()
            #expect(try await Self.identities(place, "external") == 1)
            #expect(deployment.events("identity_revoked") == 0)
        }
    }

    @Test(
        "a browser that has signed out, or in to another account, counts as another one: its proof ends the identity",
        arguments: [true, false])
    func proofAfterOtherSignIn(isSignedOut: Bool) async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            _ = try await place.signIn(.oidc, in: browser)
            if isSignedOut {
                try await browser.signOut(of: deployment)
            } else {
                try place.standIn(.oidc).user = .init(subject: "10022", email: "ben@example.com")
                let page = try await browser.follow(
                    browser.get(deployment.authorize(place.client, state: "ben") + "&prompt=login"))
                let answer = try await place.standIn(.oidc).visit(from: page, in: browser)
                #expect(try await browser.follow(browser.bring(answer)).token().hasPrefix("sst_"))
            }
            let asked = try await browser.follow(
                browser.get(deployment.authorize(place.client, state: "again") + "&prompt=login"))
            _ = try await place.signInAgain(browser, on: asked)
            #expect(deployment.events("identity_revoked", reason: "address_proven") == 1)
            let account = try #require(try await deployment.stored.accounts.of("ann@example.com").ids().first)
            #expect(try await deployment.stored.identities.external.ofAccount(account).count() == 0)
        }
    }

    @Test("unexpired session: the victim's proof of the mailbox ends the attacker's sessions in browsers and apps")
    func unexpiredSession() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { place in
            let (deployment, attacker) = (place.deployment, place.deployment.browser())
            _ = try await Self.attack(place, by: attacker)
            let second = deployment.browser()
            let (app, webView) = (try deployment.app(), deployment.webView())
            let standIn = try place.standIn(.oidc)
            standIn.user = .init(subject: "666", email: "ann@example.com", name: "Mallory")
            let answer = try await standIn.visit(from: app.begin(in: second), in: second)
            let handoff = try await second.follow(second.bring(answer))
            _ = try await app.present(handoff.handoffCode(), in: webView)
            standIn.user = .init()
            for browser in [attacker, second, webView] {
                #expect(try await browser.isSignedInOnHomePage(of: deployment))
            }

            let victim = try await deployment.signedIn()
            for browser in [attacker, second, webView] {
                #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            }
            #expect(try await victim.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("trojan identifier: an identity that the attacker has added to the account ends with the victim's proof")
    func trojanIdentifier() async throws {
        try await ProviderDeployment.open([.oidc, .google]) { place in
            let (deployment, attacker) = (place.deployment, place.deployment.browser())
            _ = try await Self.attack(place, by: attacker)
            try place.standIn(.google).user = .init(subject: "667", email: "mallory@example.com", name: "Mallory")
            _ = try await place.add(.google, in: attacker)
            #expect(try await Self.identities(place, "external") == 2)
            // The owner of the mailbox learns of it. So that no later step takes that email for a code.
            _ = try await place.notices(1)
            deployment.clock.advance(by: .minutes(1))
            // It opens nothing before the proof: the provider vouches for another address.
            let before = deployment.browser()
            let page = try await place.signIn(.google, in: before)
            #expect(page.address.path == "/sign-in/known-address" && page.text.contains("ann@example.com"))
            #expect(try await !before.isSignedInOnHomePage(of: deployment))

            _ = try await deployment.signedIn()
            #expect(try await Self.identities(place, "external") == 0)
            // It makes an account of its own now.
            let after = try await deployment.redeem(
                place.signIn(.google, in: deployment.browser(), state: "after"), as: place.client)
            #expect(after.email == "mallory@example.com")
        }
    }

    @Test(
        "unexpired email change: an identity that waits in the attacker's browser is not linked by what the victim does",
        arguments: TestedMethod.byEmail)
    func unexpiredEmailChange(method: TestedMethod) async throws {
        try await ProviderDeployment.open(settings: ReplySettings.all) { place in
            let (deployment, attacker) = (place.deployment, place.deployment.browser())
            try await deployment.signedIn().signOut(of: deployment)
            let page = try await Self.attack(place, by: attacker)
            #expect(page.address.path == "/sign-in/known-address")
            deployment.clock.advance(by: .minutes(1))
            let earlier = deployment.mailbox.all(to: "ann@example.com")
            let waiting = try await attacker.follow(attacker.submit(page.page().form(to: "/sign-in"), on: page))
            let unasked = PendingProof(
                method: method, address: "ann@example.com", waiting: waiting,
                email: try await deployment.mailbox.email(to: "ann@example.com", besides: earlier),
                deployment: deployment)

            // The victim tries the email that the attacker has asked for.
            let victim = deployment.browser()
            if method == .emailReply {
                #expect(try await unasked.answer(unasked.wrong(unasked.number)) != "accepted")
            } else {
                let token = try await victim.get(deployment.origin + "/sign-in").formToken()
                let opened = try await unasked.prepare(in: victim)
                #expect(try await unasked.decide(in: victim, on: opened, token: token).status < 500)
            }
            #expect(try await deployment.signedInSessions() == 0)

            // The victim signs in with an email of their own.
            deployment.clock.advance(by: .minutes(1))
            let own = try await deployment.begin(method, in: victim, as: "ann@example.com")
            #expect(try await victim.follow(own.prove(in: victim)).token().hasPrefix("sst_"))
            #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
            #expect(try await Self.identities(place, "external") == 0)
            #expect(deployment.events("identity_linked") == 0)
        }
    }

    @Test("non-verifying provider: an address that it has not verified leads to no account and makes none")
    func nonVerifyingProvider() async throws {
        try await ProviderDeployment.open { place in
            let deployment = place.deployment
            let standIn = try place.standIn(.oidc)
            standIn.user = .init(subject: "666", emailVerified: false)
            let before = try await place.signIn(.oidc, in: deployment.browser())
            #expect(before.status == 403)
            #expect(try await deployment.rows(of: "account") == 0)

            let victim = try await deployment.signedIn()
            let attacker = deployment.browser()
            let after = try await place.signIn(.oidc, in: attacker)
            #expect(after.status == 403)
            #expect(place.refusalReasons == ["no_verified_email", "no_verified_email"])
            #expect(try await Self.identities(place, "external") == 0)
            #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
            #expect(try await victim.isSignedInOnHomePage(of: deployment))
        }
    }
}
