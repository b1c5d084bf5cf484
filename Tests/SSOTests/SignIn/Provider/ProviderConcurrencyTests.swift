import ProbeKit
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Many answers at the same instant, and several tabs of one browser.
@Suite("Answers of providers at the same time", .program, .alsoOnPostgres)
struct ProviderConcurrencyTests {
    private static func begin(
        _ place: ProviderDeployment, _ kind: Provider.Kind = .oidc, client: Int = 0, in browser: Browser,
        state: String = "s"
    ) async throws -> StandInAnswer {
        let deployment = place.deployment
        let page = try await browser.follow(
            browser.get(deployment.authorize(deployment.clients[client], state: state)))
        return try await place.standIn(kind).visit(from: page, in: browser)
    }

    @Test(
        "of 100 callbacks of one answer at the same instant at two servers one signs in, with one call to the provider")
    func hundred() async throws {
        try await ProviderDeployment.open { place in
            try await place.deployment.withSecondIdP { second in
                let browser = place.deployment.browser()
                let answer = try await Self.begin(place, in: browser)
                let twins = (0..<100).map {
                    browser.twin(routes: $0 % 2 == 0 ? place.deployment.routes : second.routes)
                }
                let visits = try await atOnce(100) { try await twins[$0].bring(answer) }
                #expect(visits.allSatisfy { $0.status < 500 })
                #expect(try place.standIn(.oidc).requests(at: .token).count == 1)
                #expect(place.deployment.events("signed_in") == 1)
                #expect(try await place.deployment.signedInSessions() == 1)
                #expect(try await place.deployment.rows(of: "account") == 1)
                #expect(try await place.deployment.rows(of: "account_identity") == 1)
                var signedIn = 0
                for twin in twins where try await twin.isSignedInOnHomePage(of: place.deployment) { signedIn += 1 }
                #expect(signedIn == 1)
            }
        }
    }

    @Test("of 100 forms with one answer at the same instant one is kept, and one browser signs in with it")
    func hundredForms() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let browser = place.deployment.browser()
            let answer = try await Self.begin(place, .apple, in: browser)
            let visits = try await atOnce(100) { _ in try await browser.postFromOtherSite(answer) }
            let kept = visits.filter { $0.status == 303 }
            #expect(kept.count == 1)
            #expect(visits.allSatisfy { $0.status == 303 || $0.status == 400 })
            let handle = try #require(kept.first).location()
            let twins = (0..<20).map { _ in browser.twin() }
            let arrivals = try await atOnce(20) { try await twins[$0].get(handle) }
            #expect(arrivals.allSatisfy { $0.status < 500 })
            #expect(try place.standIn(.apple).requests(at: .token).count == 1)
            #expect(try await place.deployment.signedInSessions() == 1)
        }
    }

    @Test("a code that comes again with another attempt is refused and logged as a warning")
    func codeTwice() async throws {
        try await ProviderDeployment.open { place in
            let (browser, standIn) = (place.deployment.browser(), try place.standIn(.oidc))
            let first = try await Self.begin(place, in: browser)
            let second = try await Self.begin(place, in: browser, state: "second")
            standIn.claims { $0["nonce"] = "another" }
            #expect(try await browser.bring(first).status == 400)
            standIn.idToken(nil)
            #expect(try await browser.bring(second.with(["code": first.code])).status == 400)
            #expect(place.refusalReasons == ["nonce_mismatch", "code_reused"])
            #expect(place.warnings("code_reused") == 1)
            #expect(standIn.requests(at: .token).count == 1, "the provider is not asked a second time")
            try await place.expectNobody("a code twice")
        }
    }

    @Test("an ID token that comes again under a new code is refused and logged as a warning")
    func tokenTwice() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            // A user who may not sign in, so that the first use leaves nobody signed in.
            standIn.user.emailVerified = false
            let browser = deployment.browser()
            let answer = try await Self.begin(place, in: browser)
            let token = TokenCopy()
            standIn.replace(.token) { request in
                let honest = try standIn.honest(request)
                return token.keep(honest)
            }
            #expect(try await browser.bring(answer).status == 403)
            // Only a database that was restored has the attempt once more: nonce and state are the same.
            try await deployment.stored.providerAttempts.setUnused()
            #expect(try await browser.bring(answer.with(["code": "another-code"])).status == 400)
            #expect(place.refusalReasons == ["no_verified_email", "id_token_reused"])
            #expect(place.warnings("id_token_reused") == 1)
            try await place.expectNobody("a token twice")
        }
    }

    @Test("two tabs with two clients and two providers finish in reverse order, each at its own client")
    func twoTabs() async throws {
        try await ProviderDeployment.open([.oidc, .google], clients: 2) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let first = try await Self.begin(place, .oidc, client: 0, in: browser, state: "first")
            let second = try await Self.begin(place, .google, client: 1, in: browser, state: "second")
            let late = try await browser.follow(browser.bring(second))
            let redeemed = try await deployment.redeem(late, as: deployment.clients[1])
            #expect(redeemed.callback.query("state") == "second")
            let early = try await browser.follow(browser.bring(first))
            let other = try await deployment.redeem(early, as: deployment.clients[0])
            #expect(other.callback.query("state") == "first")
            #expect(other.email == redeemed.email)
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("a user who signs in by email in another tab meanwhile is led to the client of the first one")
    func replacedSession() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let answer = try await Self.begin(place, in: browser, state: "first")
            let session = browser.session
            let form = try await browser.get(deployment.origin + "/sign-in")
            _ = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            #expect(browser.session != session)
            let complete = try await browser.follow(browser.bring(answer))
            let redeemed = try await deployment.redeem(complete, as: place.client)
            #expect(redeemed.callback.query("state") == "first")
            #expect(redeemed.methods == ["email_code"])
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account_identity") == 1)
        }
    }

    @Test("the ninth attempt of a browser ends the first one, whose answer is then refused, and the others work")
    func ninth() async throws {
        try await ProviderDeployment.open { place in
            let browser = place.deployment.browser()
            var answers: [StandInAnswer] = []
            for number in 1...9 {
                answers.append(try await Self.begin(place, in: browser, state: "tab-\(number)"))
            }
            #expect(try await place.deployment.rows(of: "provider_attempt") == 8)
            let first = try await browser.bring(answers[0])
            #expect(first.status == 400)
            #expect(try first.page().link(containing: "/sign-in") != nil)
            try await place.expectNobody("the first of nine")
            #expect(try await browser.follow(browser.bring(answers[1])).token().hasPrefix("sst_"))
        }
    }

    @Test("Back after success issues no second token and asks the provider nothing")
    func back() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser, standIn) = (
                place.deployment, place.deployment.browser(), try place.standIn(.oidc)
            )
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            let going = try await standIn.press(on: page, in: browser)
            let answer = try standIn.answer(to: standIn.authorizationURL(on: going))
            #expect(try await browser.follow(browser.bring(answer)).token().hasPrefix("sst_"))
            let (session, tokens) = (browser.session, try await deployment.rows(of: "sso_token"))
            for address in [going.address.absolute, page.address.absolute, answer.address] {
                let visit = try await browser.follow(browser.get(address))
                #expect(visit.status == 200 || visit.status == 410, "\(address)")
                #expect(!visit.text.contains("sst_"))
            }
            #expect(browser.session == session)
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(standIn.requests(at: .token).count == 1)
            #expect(place.refusalReasons == ["attempt_used"])
        }
    }
}

extension ProviderDeployment {
    /// How many lines of the log are a warning about an answer that was refused for this reason.
    func warnings(_ reason: String) -> Int {
        deployment.log.text.split(separator: "\n").count {
            $0.hasPrefix("warning provider_answer_refused ") && $0.contains("\"reason\": \(reason)")
        }
    }
}

/// The first answer of a token endpoint, given again to every later call.
private final class TokenCopy: Sendable {
    private let first = Mutex<StandInProvider.Answer?>(nil)

    func keep(_ answer: StandInProvider.Answer) -> StandInProvider.Answer {
        first.withLock { first in
            let kept = first ?? answer
            first = kept
            return kept
        }
    }
}
