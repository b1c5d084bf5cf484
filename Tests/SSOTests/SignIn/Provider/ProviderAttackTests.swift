import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit

/// What other sites, other browsers and other providers can do with an answer.
@Suite("Attacks on a sign-in with a provider", .program, .alsoOnPostgres)
struct ProviderAttackTests {
    private static func begin(_ place: ProviderDeployment, in browser: Browser, state: String = "s") async throws
        -> StandInAnswer
    {
        let page = try await browser.follow(browser.get(place.deployment.authorize(place.client, state: state)))
        return try await place.standIns[0].visit(from: page, in: browser)
    }

    @Test("login CSRF: the attacker's answer signs nobody in in the victim's browser, and stays the attacker's")
    func loginCSRF() async throws {
        try await ProviderDeployment.open { place in
            let (attacker, victim) = (place.deployment.browser(), place.deployment.browser())
            let answer = try await Self.begin(place, in: attacker)
            _ = try await Self.begin(place, in: victim)
            let brought = try await victim.bring(answer)
            #expect(brought.status == 400)
            #expect(place.refusalReasons == ["other_browser"])
            #expect(place.warnings("other_browser") > 0)
            #expect(try place.standIn(.oidc).requests(at: .token).isEmpty, "the code was not sent")
            try await place.expectNobody("login CSRF")
            #expect(try await attacker.follow(attacker.bring(answer)).token().hasPrefix("sst_"))
        }
    }

    @Test("a session that was planted in the victim's browser before is not signed in with the victim's")
    func plantedSession() async throws {
        try await ProviderDeployment.open { place in
            let attacker = place.deployment.browser()
            let page = try await attacker.follow(
                attacker.get(place.deployment.authorize(place.client, state: "s")))
            let victim = attacker.twin()
            let answer = try await place.standIn(.oidc).visit(from: page, in: victim)
            let late = victim.twin()
            #expect(victim.session != attacker.session)
            #expect(try await victim.follow(victim.bring(answer)).token().hasPrefix("sst_"))
            for planted in [attacker, late] {
                #expect(try await !planted.isSignedInOnHomePage(of: place.deployment))
                #expect(try await planted.follow(planted.bring(answer)).status < 500)
                #expect(try await !planted.isSignedInOnHomePage(of: place.deployment))
            }
            #expect(try await place.deployment.signedInSessions() == 1)
        }
    }

    @Test("no other site begins a sign-in with a provider")
    func start() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await browser.get(deployment.origin + "/sign-in")
            let form = try #require(try page.page().form(to: "/sign-in/with/work"))
            let address = try page.address.resolving(form.action)
            let body = Array(FormCoding.encode(form.filled([:])).utf8)
            let type = ("Content-Type", "application/x-www-form-urlencoded")

            let withoutToken = try await browser.post(address, [("flow", "")])
            let otherSite = try await browser.send(
                "POST", address, [type, ("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")],
                body: body)
            let otherBrowser = try await deployment.browser().send(
                "POST", address, [type, ("Origin", address.origin)], body: body)
            for visit in [withoutToken, otherSite, otherBrowser] { #expect(visit.status == 403) }
            let get = try await browser.get(address)
            #expect(try get.status == 303 && get.location().path == "/sign-in")
            #expect(try await deployment.rows(of: "provider_attempt") == 0)
            #expect(try await place.standIn(.oidc).press(on: page, in: browser).status == 200)
            #expect(try await deployment.rows(of: "provider_attempt") == 1)
        }
    }

    @Test("an answer in a frame, by fetch, by a prefetch or by HEAD consumes nothing: the user's own visit works")
    func notAPage() async throws {
        try await ProviderDeployment.open { place in
            let browser = place.deployment.browser()
            let answer = try await Self.begin(place, in: browser)
            let requests: [HTTPProbe.Headers] = [
                [("Sec-Fetch-Dest", "iframe")], [("Sec-Fetch-Dest", "empty"), ("Sec-Fetch-Mode", "cors")],
                [("Sec-Fetch-Dest", "image"), ("Sec-Fetch-Mode", "no-cors")], [("Sec-Purpose", "prefetch;prerender")],
                [("Purpose", "prefetch")],
            ]
            for headers in requests { #expect(try await browser.get(answer.address, headers).status == 400) }
            #expect(try await browser.send("HEAD", WebAddress(answer.address)).status == 405)
            #expect(place.refusalReasons == requests.map { _ in "not_a_page" })
            try await place.expectNobody("not a page")
            #expect(try place.standIn(.oidc).requests(at: .token).isEmpty)
            #expect(try await browser.follow(browser.bring(answer)).token().hasPrefix("sst_"))
        }
    }

    @Test("the pages on the way to a provider and back are in no frame and in no cache")
    func headers() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            try await deployment.signedIn().signOut(of: deployment)
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            let standIn = try place.standIn(.oidc)
            let going = try await standIn.press(on: page, in: browser)
            let answer = try standIn.answer(to: standIn.authorizationURL(on: going))
            let refused = try await deployment.browser().bring(answer)
            let known = try await browser.follow(browser.bring(answer))
            #expect(known.address.path == "/sign-in/known-address")
            for visit in [going, refused, known] {
                let reply = visit.reply
                #expect(reply.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
                #expect(reply.header("x-frame-options")?.lowercased() == "deny")
                #expect(reply.header("cache-control")?.contains("no-store") == true, "\(visit.address.path)")
                #expect(reply.header("x-content-type-options") == "nosniff")
            }
            // It has `state` and `nonce` in a link.
            #expect(going.reply.header("referrer-policy") == "no-referrer")
            #expect(going.reply.header("content-security-policy")?.contains("form-action 'none'") == true)
        }
    }

    @Test("mix-up: the code of one provider that arrives with the state of another is sent to neither")
    func mixUp() async throws {
        try await ProviderDeployment.open([.google, .oidc]) { place in
            let (browser, honest) = (place.deployment.browser(), try place.standIn(.oidc))
            let attacker = try place.standIn(.google)
            // The attacker's provider sends the browser on to the honest one, with its own state.
            let begun = try await Self.begin(place, in: browser)
            let code = try honest.answer(
                to: StandInRequest(
                    redirectURI: begun.redirectURI, state: begun.state, nonce: nil, challenge: nil, isFormPost: false,
                    scopes: ["openid"], prompt: nil, maxAge: nil, loginHint: nil))
            #expect(code.iss == honest.issuer)
            #expect(try await browser.follow(browser.bring(code)).status == 400)
            #expect(place.refusalReasons == ["answer_issuer_mismatch"])
            #expect(attacker.requests(at: .token).isEmpty)
            #expect(honest.requests(at: .token).isEmpty)
            try await place.expectNobody("mix-up")
        }
    }
}
