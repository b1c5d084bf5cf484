import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Each proof works once, in the browser that asked, whatever browsers and attackers do with it.
@Suite("What no sign-in method allows", .program)
struct SignInMethodAttackTests {
    private static func nobody(_ deployment: TestDeployment, _ comment: Comment? = nil) async throws {
        #expect(try await deployment.signedInSessions() == 0, comment)
        // Who has a passkey has an account.
        #expect(try await deployment.rows(of: "account") == deployment.rows(of: "passkey"), comment)
    }

    @Test(
        "after success Back to its pages and its form sent again issue no token, change no session and lead to the client",
        arguments: TestedMethod.allCases)
    func back(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            let page = try await proof.prepare(in: browser)
            #expect(try await browser.follow(proof.decide(in: browser, on: page)).token().hasPrefix("sst_"))
            let (session, tokens) = (browser.session, try await deployment.rows(of: "sso_token"))

            let flow = try #require(proof.waiting.address.query("flow"))
            var addresses = [proof.waiting.address.absolute, "\(deployment.origin)/sign-in?flow=\(flow)"]
            switch method {
            case .emailLink: addresses.append("\(deployment.origin)/sign-in/link")
            case .emailReply: addresses.append("\(deployment.origin)/sign-in/reply?flow=\(flow)")
            case .openID, .apple, .gitHub: addresses += try #require(proof.visit).history
            case .emailCode, .oneClick, .passkey: break
            }
            var visits: [Visit] = []
            for address in addresses { visits.append(try await browser.follow(browser.get(address))) }
            if method != .emailLink && method != .oneClick {
                visits.append(try await browser.follow(proof.decide(in: browser, on: page)))
            }
            for visit in visits {
                #expect([200, 410].contains(visit.status), "\(visit.address.target)")
                #expect(!visit.text.contains("sst_"), "\(visit.address.target)")
                let links = try visit.page().links
                #expect(links.contains(deployment.client.origin + "/"), "\(visit.address.target): \(links)")
            }
            // The link says that it was used, and has one link on: to the client.
            if method == .emailLink {
                let used = try await browser.follow(browser.get(proof.link))
                #expect(used.status == 410)
                #expect(try used.page().form(to: "/sign-in/link") == nil)
                #expect(try used.page().links.contains(deployment.client.origin + "/"))
                let again = try await browser.follow(proof.decide(in: browser, on: page))
                #expect(again.status < 500 && !again.text.contains("sst_"))
            }
            #expect(browser.session == session)
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test(
        "the same proof sent twice signs in once, and the user ends at the client",
        arguments: TestedMethod.usedOnce)
    func twice(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            let page = try await proof.prepare(in: browser)
            let early = browser.twin()
            let first = try await proof.decide(in: browser, on: page)
            #expect(first.status == 303)
            let session = browser.session
            // The second click with the cookie of the first answer, and with the one before it.
            for clicking in [browser, early] {
                let second = try await proof.decide(in: clicking, on: page)
                #expect(second.status < 500)
                #expect(second.reply.all("set-cookie").allSatisfy { !$0.hasPrefix("idp_session=") })
            }
            #expect(browser.session == session)
            #expect(try await browser.follow(browser.get(first.location())).token().hasPrefix("sst_"))
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("sixteen of the same proof at the same instant sign in once", arguments: TestedMethod.allCases)
    func together(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            let page = try await proof.prepare(in: browser)
            let twins = (0..<16).map { _ in browser.twin() }
            let visits = try await atOnce(16) { try await proof.decide(in: twins[$0], on: page) }
            #expect(visits.allSatisfy { $0.status < 500 })
            var signedIn = 0
            for twin in twins where try await twin.isSignedInOnHomePage(of: deployment) { signedIn += 1 }
            #expect(signedIn == 1)
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test(
        "nobody signs in with a cookie of an earlier step, before and after the sign-in",
        arguments: TestedMethod.inTwoSteps)
    func earlierCookie(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let (token, firstStep) = (try form.formToken(), browser.twin())
            let proof = try await deployment.begin(method, on: form, in: browser)
            let secondStep = browser.twin()
            #expect(firstStep.session != secondStep.session)

            let page = try await proof.prepare(in: firstStep)
            for token in [nil, token] {
                #expect(try await proof.decide(in: firstStep, on: page, token: token).status < 500)
                try await Self.nobody(deployment)
            }
            #expect(try await browser.follow(proof.prove(in: browser)).token().hasPrefix("sst_"))
            for stale in [firstStep, secondStep] {
                #expect(try await stale.follow(proof.prove(in: stale)).status < 500)
                #expect(try await !stale.isSignedInOnHomePage(of: deployment))
            }
            #expect(try await deployment.signedInSessions() == 1)
        }
    }

    @Test(
        "in another browser its proof signs nobody in, and the browser that asked still can",
        arguments: TestedMethod.usedOnce)
    func otherBrowser(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            // One without a session, one with a session and a form token of its own, and one that waits for another address.
            let visitor = deployment.browser()
            let token = try await visitor.get(deployment.origin + "/sign-in").formToken()
            let waiting = deployment.browser()
            let own = try await deployment.waiting(for: "cem@example.com", by: waiting)
            for (other, token) in [(deployment.browser(), nil), (visitor, token), (waiting, try own.formToken())] {
                let page = try await proof.prepare(in: other)
                #expect(try await proof.decide(in: other, on: page, token: token).status < 500)
                #expect(try await !other.isSignedInOnHomePage(of: deployment))
                try await Self.nobody(deployment)
            }
            #expect(try await browser.follow(proof.prove(in: browser)).token().hasPrefix("sst_"))
            #expect(try await deployment.signedInSessions() == 1)
        }
    }

    /// The session of the second proof is put back after the first one has ended it, as by a database that was restored.
    /// So only the challenge itself can refuse.
    @Test("one used proof ends those of the other methods", arguments: TestedMethod.pairs)
    func oneEndsAll(first: TestedMethod, second: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(first, in: browser)
            let (late, other) = (browser.twin(), proof.with(second))
            let page = try await other.prepare(in: late)
            let bringBack = try await deployment.stored.sessions.copied()
            #expect(try await browser.follow(proof.prove(in: browser)).token().hasPrefix("sst_"))
            try await bringBack()
            #expect(
                try await late.get(proof.waiting.address).status == 200, "the session is there and knows the challenge")

            #expect(try await other.decide(in: late, on: page).status < 500)
            #expect(try await late.follow(other.prove(in: late)).status < 500)
            #expect(try await !late.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
            if second == .emailReply { #expect(try await other.answer() == "used") }
        }
    }
}
