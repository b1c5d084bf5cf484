import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A request that has ended, a sign-out, a disabled account: what a proof is worth then, whatever the method.
@Suite("Where every sign-in method ends", .program)
struct SignInMethodEndTests {
    @Test(
        "a request that the user cancelled gets no token from a proof that comes later",
        arguments: TestedMethod.allCases)
    func cancelled(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            let flow = try #require(proof.waiting.address.query("flow"))
            let back = try await browser.get("\(deployment.origin)\(FlowID.cancelPath)?flow=\(flow)")
            #expect(back.status == 302)
            #expect(try back.location().query("error") == "access_denied")
            #expect(try back.location().query("state") == "the-state")

            let end = try await browser.follow(proof.prove(in: browser))
            #expect(end.status < 500)
            #expect(!end.text.contains("sst_"))
            #expect(try await deployment.rows(of: "sso_token") == 0)
            // A passkey is asked for on the sign-in page, which is over with its request.
            #expect(try await deployment.signedInSessions() == (method == .passkey ? 0 : 1))
        }
    }

    @Test(
        "a request of more than ten minutes gets no token, and the page leads back to its client",
        arguments: TestedMethod.allCases)
    func expiredFlow(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            deployment.clock.advance(by: .minutes(6))
            let proof = try await deployment.begin(method, on: page, in: browser)
            deployment.clock.advance(by: .minutes(5))
            let end = try await browser.follow(proof.prove(in: browser))
            #expect(end.status == 410)
            #expect(try end.page().links.contains(deployment.client.origin + "/"))
            #expect(try await deployment.rows(of: "sso_token") == 0)
            // A passkey is asked for on the sign-in page, which is over with its request.
            #expect(try await deployment.signedInSessions() == (method == .passkey ? 0 : 1))
        }
    }

    @Test("a proof of more than ten minutes signs nobody in, and the next one does", arguments: TestedMethod.usedOnce)
    func expiredProof(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            deployment.clock.advance(by: .minutes(10) + .seconds(1))
            #expect(try await browser.follow(proof.prove(in: browser)).status < 500)
            #expect(try await deployment.signedInSessions() == 0)
            #expect(try await deployment.rows(of: "account") == deployment.rows(of: "passkey"))
            let next = try await deployment.begin(method, in: browser)
            #expect(try await browser.follow(next.prove(in: browser)).token().hasPrefix("sst_"))
        }
    }

    @Test("after a sign-out its used proof signs nobody in", arguments: TestedMethod.usedOnce)
    func signOut(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            let page = try await proof.prepare(in: browser)
            #expect(try await browser.follow(proof.decide(in: browser, on: page)).token().hasPrefix("sst_"))
            let before = browser.twin()
            try await browser.signOut(of: deployment)
            for late in [browser, before] {
                #expect(try await late.follow(proof.decide(in: late, on: page)).status < 500)
                #expect(try await !late.isSignedInOnHomePage(of: deployment))
            }
            #expect(try await deployment.signedInSessions() == 0)
        }
    }

    @Test(
        "an account that is disabled between the request and its proof is not signed in",
        arguments: TestedMethod.allCases)
    func disabled(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let first = deployment.browser()
            #expect(try await deployment.begin(method, in: first).prove(in: first).status == 303)
            try await first.signOut(of: deployment)
            deployment.clock.advance(by: .seconds(61))

            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            try await deployment.stored.accounts.disable()
            #expect(try await browser.follow(proof.prove(in: browser)).status < 500)
            #expect(try await deployment.signedInSessions() == 0)

            try await deployment.stored.accounts.enable()
            deployment.clock.advance(by: .seconds(61))
            let next = deployment.browser()
            let allowed = try await deployment.begin(method, in: next)
            #expect(try await next.follow(allowed.prove(in: next)).token().hasPrefix("sst_"))
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    /// GitHub is not in the list: it never says when it asked the user, so its button is not there then.
    @Test(
        "a request for a fresh sign-in is met by it, and verify has the new moment",
        arguments: TestedMethod.allCases.filter { $0 != .gitHub }, ["&prompt=login", "&max_age=0"])
    func fresh(method: TestedMethod, query: String) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let first = try await deployment.begin(method, in: browser)
            #expect(try await browser.follow(first.prove(in: browser)).token().hasPrefix("sst_"))
            deployment.clock.advance(by: .minutes(5))
            // Apple cannot be asked to sign the user in again. It only says when it did.
            if method == .apple { try deployment.standIn(.apple).user.authTime = deployment.clock.now }

            let page = try await browser.follow(
                browser.get(deployment.authorize(deployment.client, state: "again") + query))
            #expect(page.address.path == "/sign-in")
            let proof = try await deployment.begin(method, on: page, in: browser)
            let end = try await deployment.redeem(
                browser.follow(proof.prove(in: browser)), as: deployment.client)
            #expect(end.callback.query("state") == "again")
            #expect(end.methods == [method.rawValue])
            #expect(end.authenticatedAt == deployment.clock.now.seconds)
        }
    }

    /// GitHub is not in the list either. The next test sends its form by hand.
    @Test(
        "a provider that asked the user before meets no such request: its page offers the other ways",
        arguments: [TestedMethod.openID, .apple])
    func notFresh(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let first = try await deployment.begin(method, in: browser)
            #expect(try await browser.follow(first.prove(in: browser)).token().hasPrefix("sst_"))
            let kind = try #require(method.provider)
            let before = deployment.clock.now.seconds
            try deployment.standIn(kind).claims { $0["auth_time"] = .number(Double(before)) }
            deployment.clock.advance(by: .minutes(5))

            let asking = deployment.authorize(deployment.client, state: "again") + "&prompt=login"
            let page = try await browser.follow(browser.get(asking))
            let proof = try await deployment.begin(method, on: page, in: browser)
            let tokens = try await deployment.rows(of: "sso_token")
            let refused = try await browser.follow(proof.prove(in: browser))
            #expect(refused.status == 403)
            #expect(deployment.events("provider_answer_refused", reason: "not_fresh") == 1)
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(try await browser.isSignedInOnHomePage(of: deployment), "the earlier sign-in stays")

            let flow = try #require(page.address.query("flow"))
            let other = try await browser.click(refused.page().link(containing: "/sign-in?flow=\(flow)"), on: refused)
            let email = try await deployment.begin(.emailCode, on: other, in: browser)
            let end = try await deployment.redeem(
                browser.follow(email.prove(in: browser)), as: deployment.client)
            #expect(end.callback.query("state") == "again")
            #expect(end.methods == ["email_code"])
            #expect(end.authenticatedAt == deployment.clock.now.seconds)
        }
    }

    @Test("a provider without a button on the page is refused too when its form is sent by hand")
    func notOffered() async throws {
        try await TestDeployment.withEveryMethod(.gitHub) { deployment in
            let (browser, standIn) = (deployment.browser(), try deployment.standIn(.github))
            let page = try await browser.follow(
                browser.get(deployment.authorize(deployment.client, state: "s") + "&prompt=login"))
            let (path, flow) = (
                "/sign-in/with/\(Provider.Kind.github.testID)", try #require(page.address.query("flow"))
            )
            #expect(try page.page().form(to: path) == nil)
            let leaving = try await browser.follow(
                browser.post(
                    page.address.resolving(path), [("form_token", try page.formToken()), ("flow", flow)]))
            let answer = try standIn.answer(to: standIn.authorizationURL(on: leaving))
            #expect(try await browser.follow(browser.bring(answer)).status == 403)
            #expect(deployment.events("provider_answer_refused", reason: "not_fresh") == 1)
            #expect(try await deployment.signedInSessions() == 0)
            #expect(try await deployment.rows(of: "account") == 0)
        }
    }

    @Test(
        "a user who cancels at the provider comes back to the sign-in page of the same request, and any method goes on",
        arguments: TestedMethod.byProvider)
    func cancelledAtProvider(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "kept")))
            let standIn = try deployment.standIn(#require(method.provider))
            let answer = try await standIn.visit(from: form, in: browser, isAllowed: false)
            let page = try await browser.follow(browser.bring(answer))
            #expect(page.status == 200)
            #expect(page.address.path == form.address.path && page.address.query("flow") == form.address.query("flow"))
            #expect(try await deployment.signedInSessions() == 0)
            let proof = try await deployment.begin(.emailCode, on: page, in: browser)
            let complete = try await browser.follow(proof.prove(in: browser))
            #expect(try complete.callback().query("state") == "kept")
        }
    }
}
