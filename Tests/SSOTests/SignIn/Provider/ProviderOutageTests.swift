import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A provider that is down costs its own button and nothing else.
@Suite("A provider that does not work", .program, .alsoOnPostgres)
struct ProviderOutageTests {
    @Test("costs one button: the sign-in page asks it nothing, its button leads to another way, and email works")
    func down() async throws {
        try await ProviderDeployment.open([.oidc, .google]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let dead = try place.standIn(.oidc)
            dead.stop()
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            #expect(page.status == 200)
            #expect(place.refusalReasons.isEmpty)
            #expect(try place.standIn(.google).requests.isEmpty, "the page asks no provider")
            let pressed = try await dead.press(on: page, in: browser)
            #expect(pressed.status == 503)
            #expect(place.refusalReasons == ["discovery_unreachable"])
            #expect(try await deployment.rows(of: "provider_attempt") == 0)

            let ways = try pressed.page().links.filter { $0 != "/" }
            #expect(ways.count == 1)
            let form = try await browser.click(ways.first, on: pressed)
            let complete = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            let redeemed = try await deployment.redeem(complete, as: place.client)
            #expect(redeemed.callback.query("state") == "s")
            #expect(redeemed.methods == ["email_code"])
            // The other provider works meanwhile, for another user.
            let healthy = try place.standIn(.google)
            healthy.user = .init(email: "ben@example.com")
            let other = try await deployment.redeem(
                place.signIn(.google, in: deployment.browser(), state: "other"), as: place.client)
            #expect(other.methods == ["google"])
        }
    }

    /// The button of an error page that begins at the provider again, and the label that it has.
    private static func again(_ page: Visit) throws -> (form: ScannedForm, isLabelled: Bool)? {
        try page.page().form(to: "/sign-in/with/").map {
            ($0, page.text.contains(">Try <bdi>Provider work</bdi> again</button>"))
        }
    }

    @Test("its error page tries it again with a button, before and after the provider, and the flow goes on")
    func tryAgain() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let standIn = try place.standIn(.oidc)
            deployment.clock.advance(by: .hours(25))
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            standIn.replace(.discovery) { _ in .json("{}", status: "503 Service Unavailable") }
            let down = try await standIn.press(on: page, in: browser)
            #expect(down.status == 503)
            standIn.replace(.discovery, nil)
            deployment.clock.advance(by: .seconds(10))
            let first = try #require(try Self.again(down))
            #expect(first.isLabelled && first.form.method == "post")
            let goingOn = try await browser.follow(browser.submit(first.form, on: down))
            #expect(goingOn.status == 200)

            standIn.replace(.token) { _ in .json("{}", status: "502 Bad Gateway") }
            let answer = try standIn.answer(to: standIn.authorizationURL(on: goingOn))
            let failed = try await browser.follow(browser.bring(answer))
            #expect(failed.status == 503)
            standIn.replace(.token, nil)
            let second = try #require(try Self.again(failed))
            let next = try await browser.follow(browser.submit(second.form, on: failed))
            let done = try standIn.answer(to: standIn.authorizationURL(on: next))
            let redeemed = try await deployment.redeem(browser.follow(browser.bring(done)), as: place.client)
            #expect(redeemed.callback.query("state") == "s")
        }
    }

    @Test("where another try changes nothing, or in a browser without the session, there is no such button")
    func noTryAgain() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            standIn.user = .init(email: "ann@elsewhere.example")
            let refused = try await place.signIn(.oidc, in: deployment.browser())
            #expect(refused.status == 403)
            #expect(try Self.again(refused)?.form.action == nil)
            let browser = deployment.browser()
            let page = try await browser.get(deployment.origin + "/sign-in")
            let elsewhere = try await deployment.browser().bring(standIn.visit(from: page, in: browser))
            #expect(elsewhere.status == 400)
            #expect(try Self.again(elsewhere)?.form.action == nil)
        }
    }

    @Test("is asked once in ten seconds, however many users press its button, and works again after them")
    func askedOnce() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            deployment.clock.advance(by: .hours(25))
            standIn.replace(.discovery) { _ in .json("{}", status: "503 Service Unavailable") }
            let before = standIn.requests(at: .discovery).count
            let browser = deployment.browser()
            let page = try await browser.get(deployment.origin + "/sign-in")
            for _ in 1...20 { #expect(try await standIn.press(on: page, in: browser).status == 503) }
            #expect(standIn.requests(at: .discovery).count == before + 1)
            #expect(place.refusalReasons == Array(repeating: "discovery_status", count: 20))
            standIn.replace(.discovery, nil)
            deployment.clock.advance(by: .seconds(10))
            #expect(try await standIn.press(on: page, in: browser).status == 200)
        }
    }

    @Test("after a sign-in began, its dead token endpoint leads to another way, and the flow still waits")
    func downMeanwhile() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await browser.follow(browser.get(deployment.authorize(place.client, state: "s")))
            let standIn = try place.standIn(.oidc)
            let answer = try await standIn.visit(from: page, in: browser)
            standIn.replace(.token) { _ in .json("{}", status: "502 Bad Gateway") }
            let failed = try await browser.follow(browser.bring(answer))
            #expect(failed.status == 503)
            #expect(place.refusalReasons == ["token_endpoint_status"])
            standIn.replace(.token, nil)
            let form = try await browser.click(failed.page().link(containing: "/sign-in"), on: failed)
            let again = try await standIn.visit(from: form, in: browser)
            let redeemed = try await deployment.redeem(browser.follow(browser.bring(again)), as: place.client)
            #expect(redeemed.callback.query("state") == "s")
        }
    }

    @Test("rotates its keys during a sign-in: the user gets in, and unknown keys are asked for once in five minutes")
    func rotation() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            func signIn(_ state: String) async throws -> Visit {
                try await place.signIn(.oidc, in: deployment.browser(), state: state)
            }
            #expect(try await signIn("1").token().hasPrefix("sst_"))
            try standIn.rotateKeys()
            #expect(try await signIn("2").token().hasPrefix("sst_"))
            #expect(standIn.requests(at: .keys).count == 2)

            try standIn.rotateKeys()
            #expect(try await signIn("3").status == 400)
            #expect(place.refusalReasons == ["id_token_key_unknown"])
            #expect(standIn.requests(at: .keys).count == 2)
            deployment.clock.advance(by: .minutes(5))
            #expect(try await signIn("4").token().hasPrefix("sst_"))
            #expect(standIn.requests(at: .keys).count == 3)
        }
    }

    @Test("is out of service while its documents are known: sign-ins work until its keys are a day old")
    func documentsDown() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            #expect(try await place.signIn(.oidc, in: deployment.browser()).token().hasPrefix("sst_"))
            for endpoint in [StandInProvider.Endpoint.discovery, .keys] {
                standIn.replace(endpoint) { _ in .json("{}", status: "503 Service Unavailable") }
            }
            deployment.clock.advance(by: .hours(23))
            #expect(try await place.signIn(.oidc, in: deployment.browser(), state: "2").token().hasPrefix("sst_"))
            deployment.clock.advance(by: .hours(2))
            let browser = deployment.browser()
            let page = try await browser.get(deployment.origin + "/sign-in")
            #expect(try await standIn.press(on: page, in: browser).status == 503)
        }
    }
}
