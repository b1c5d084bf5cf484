import SSOShared
import Testing

@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit

/// RFC 8252 8.6: another app that claims the scheme can begin a request of its own. A user who is signed in must notice it.
@Suite("An SSO request that leads to an app's own scheme", .program)
struct PrivateSchemeTests {
    private static let redirectURI = RelyingPartyApp.redirectURI

    private static func open(_ body: (TestDeployment) async throws -> Void) async throws {
        try await TestDeployment.open(clientSettings: RelyingPartyApp.settings, body)
    }

    private static func asking(_ deployment: TestDeployment, state: String = "s", challenge: String? = nil) -> String {
        let query =
            [("client_id", deployment.client.id), ("redirect_uri", redirectURI), ("state", state)]
            + (challenge.map { [("code_challenge", $0), ("code_challenge_method", "S256")] } ?? [])
        return "\(deployment.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))"
    }

    /// The page that asks a user who is signed in.
    private static func question(_ browser: Browser, _ deployment: TestDeployment, state: String = "s") async throws
        -> Visit
    {
        let asked = try await browser.get(asking(deployment, state: state))
        #expect(asked.status == 303 && !asked.text.contains("sst_"))
        let location = try asked.location()
        #expect(location.path == AccountChoice.path && location.query("flow") != nil)
        return try await browser.follow(asked)
    }

    private static func agree(_ browser: Browser, on question: Visit) async throws -> Visit {
        try await browser.follow(browser.click(question.page().link(containing: SSOPath.complete), on: question))
    }

    private static func token(_ complete: Visit) throws -> String {
        let result = try RelyingPartyApp.result(of: complete)
        guard let token = try WebAddress("http://app.example/" + result.drop { $0 != "?" }).query("token") else {
            throw ProbeFailure(result)
        }
        return token
    }

    @Test("asks a user who is signed in, and answers after the button only, without another email")
    func asked() async throws {
        try await Self.open { deployment in
            let browser = try await deployment.signedIn()
            let tokens = try await deployment.rows(of: "sso_token")
            let question = try await Self.question(browser, deployment)
            #expect(question.status == 200 && question.text.contains("Continue as <bdi>ann</bdi>"))
            #expect(!question.text.contains("sst_"))
            #expect(try question.page().refresh == nil, "nothing goes on by itself")
            #expect(try await deployment.rows(of: "sso_token") == tokens)

            let complete = try await Self.agree(browser, on: question)
            #expect(complete.status == 200)
            let result = try RelyingPartyApp.result(of: complete)
            #expect(result.hasPrefix("com.example.partner:/callback?token=sst_") && result.hasSuffix("&state=s"))
            let reply = try await deployment.verify(
                Self.token(complete), as: deployment.client, redirectURI: Self.redirectURI)
            #expect(reply.status == 200 && reply.text.contains("ann@example.com"))
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1)
        }
    }

    @Test("asks for each request: an answer is not kept for the next one")
    func eachTime() async throws {
        try await Self.open { deployment in
            let browser = try await deployment.signedIn()
            for state in ["first", "second"] {
                let question = try await Self.question(browser, deployment, state: state)
                let complete = try await Self.agree(browser, on: question)
                #expect(try RelyingPartyApp.result(of: complete).hasSuffix("&state=\(state)"))
                #expect(try await browser.get(question.address).status == 410, "the flow is answered once")
            }
        }
    }

    @Test(
        "asks again for a state that another program has seen: with another challenge, after a reload, and without a question"
    )
    func repeatedState() async throws {
        try await Self.open { deployment in
            let (own, foreign) = (CodeChallenge.s256("own"), CodeChallenge.s256("foreign"))
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(Self.asking(deployment, challenge: own)))
            let complete = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            #expect(try RelyingPartyApp.result(of: complete).hasSuffix("&state=s"))
            let tokens = try await deployment.rows(of: "sso_token")
            for challenge in [foreign, own, nil] {
                let asked = try await browser.get(Self.asking(deployment, challenge: challenge))
                #expect(asked.status == 303 && !asked.text.contains("sst_"))
                #expect(try asked.location().path == AccountChoice.path)
                let silent = try await browser.get(Self.asking(deployment, challenge: challenge) + "&prompt=none")
                #expect(silent.reply.all("location") == ["\(Self.redirectURI)?error=login_required&state=s"])
            }
            #expect(try await deployment.rows(of: "sso_token") == tokens)
        }
    }

    @Test("a completed flow leads on with the challenge that it was begun with, and with no other")
    func betweenCompletionAndAnswer() async throws {
        try await Self.open { deployment in
            let browser = try await deployment.signedIn()
            let (own, foreign) = (CodeChallenge.s256("own"), CodeChallenge.s256("foreign"))
            let question = try await browser.follow(browser.get(Self.asking(deployment, challenge: own)))
            let agreed = try await browser.click(question.page().link(containing: SSOPath.complete), on: question)
            #expect(agreed.status == 303, "the flow is completed, and its answer not fetched yet")
            let asked = try await browser.get(Self.asking(deployment, challenge: foreign))
            #expect(try asked.status == 303 && asked.location().path == AccountChoice.path)
            #expect(try await RelyingPartyApp.result(of: browser.follow(agreed)).hasSuffix("&state=s"))
        }
    }

    @Test("is login_required when the client asks for no question, and the user stays signed in")
    func silent() async throws {
        try await Self.open { deployment in
            for browser in [try await deployment.signedIn(), deployment.browser()] {
                let tokens = try await deployment.rows(of: "sso_token")
                let visit = try await browser.get(Self.asking(deployment) + "&prompt=none")
                #expect(visit.status == 302)
                #expect(visit.reply.all("location") == ["\(Self.redirectURI)?error=login_required&state=s"])
                #expect(try await deployment.rows(of: "sso_token") == tokens)
            }
            #expect(deployment.events("login_required") == 2)
        }
    }

    @Test("a request of the same client that leads to its web address is answered at once, as before")
    func web() async throws {
        try await Self.open { deployment in
            let browser = try await deployment.signedIn()
            let question = try await Self.question(browser, deployment)
            for (state, wish) in [("web", ""), ("silent", "&prompt=none")] {
                let complete = try await browser.get(deployment.authorize(deployment.client, state: state) + wish)
                #expect(complete.status == 200)
                #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
            }
            #expect(try await browser.get(question.address).status == 200, "the app's request is pending still")
        }
    }

    @Test("a user who signs in for the app is not asked again, nor one who chooses another account")
    func freshSignIn() async throws {
        try await Self.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(Self.asking(deployment)))
            #expect(form.address.path == "/sign-in" && form.text.contains(deployment.client.name))
            let first = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            #expect(first.address.path == SSOPath.authorize)
            #expect(try RelyingPartyApp.result(of: first).hasPrefix("com.example.partner:/callback?token=sst_"))

            let question = try await Self.question(browser, deployment, state: "other")
            let again = try await browser.follow(
                browser.submit(question.page().form(to: AccountChoice.path), on: question))
            #expect(again.address.path == "/sign-in")
            let second = try await deployment.enterCode(again, in: browser, as: "ben@example.com")
            #expect(second.address.path == SSOPath.authorize)
            let reply = try await deployment.verify(
                Self.token(second), as: deployment.client, redirectURI: Self.redirectURI)
            #expect(reply.status == 200 && reply.text.contains("ben@example.com"))
        }
    }

    @Test("asks about a request that was waiting when its user signed in for another one in another tab")
    func waitingMeanwhile() async throws {
        try await Self.open { deployment in
            let browser = deployment.browser()
            let waiting = try await browser.get(Self.asking(deployment))
            #expect(try waiting.location().path == "/sign-in")
            let web = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "web")))
            let complete = try await deployment.enterCode(web, in: browser, as: "ann@example.com")
            #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
            let (flow, tokens) = (
                try waiting.location().query("flow") ?? "", try await deployment.rows(of: "sso_token")
            )
            for path in ["/sign-in", "/sign-in/code"] {
                let question = try await browser.follow(browser.get("\(deployment.origin)\(path)?flow=\(flow)"))
                #expect(question.address.path == AccountChoice.path && !question.text.contains("sst_"), "\(path)")
                #expect(try question.page().refresh == nil)
            }
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            let question = try await browser.follow(browser.get(waiting.location()))
            #expect(try await RelyingPartyApp.result(of: Self.agree(browser, on: question)).hasSuffix("&state=s"))
        }
    }

    @Test("Cancel takes the user back to the app with access_denied and no token")
    func cancel() async throws {
        try await Self.open { deployment in
            let browser = try await deployment.signedIn()
            let tokens = try await deployment.rows(of: "sso_token")
            let question = try await Self.question(browser, deployment)
            let back = try await browser.click(question.page().link(containing: FlowID.cancelPath), on: question)
            #expect(back.status == 302)
            #expect(back.reply.all("location") == ["\(Self.redirectURI)?error=access_denied&state=s"])
            #expect(try await browser.get(question.address).status == 410)
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }
}
