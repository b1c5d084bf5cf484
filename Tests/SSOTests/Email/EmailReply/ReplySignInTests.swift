import ProbeKit
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPMail
@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// From the answer to the client.
@Suite("Sign-in by an answer to the email", .program, .alsoOnPostgres)
struct ReplySignInTests {
    private static let address = "ann@example.com"

    /// Follows the waiting page to the completion page and checks what the client learns.
    private static func complete(
        _ pending: PendingReply, at client: TestDeployment.Client, of deployment: TestDeployment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let complete = try await pending.browser.follow(pending.proceed())
        let callback = try complete.callback()
        #expect(callback.absolute.hasPrefix(client.callback + "?"), sourceLocation: sourceLocation)
        let answer = try await deployment.verify(
            complete.token(), as: client, redirectURI: client.callback)
        #expect(answer.status == 200, sourceLocation: sourceLocation)
        let body = try JSONDecoding.value(answer.body)
        #expect(body["user"]?["email"]?.text == pending.address, sourceLocation: sourceLocation)
        #expect(body["session"]?["methods"]?.items.map(\.text) == ["email_reply"], sourceLocation: sourceLocation)
        let now = deployment.clock.now.milliseconds / 1000
        #expect(body["session"]?["authenticated_at"]?.number.map { Int64($0) } == now, sourceLocation: sourceLocation)
    }

    @Test("after an answer over HTTP the waiting page goes on to its client, and verify says email_reply")
    func overHTTP() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let (browser, client) = (deployment.browser(), deployment.client)
            // Without the client's code_challenge, so that the test can verify the token itself.
            let form = try await browser.follow(browser.get(deployment.authorize(client, state: "a-state")))
            let pending = try await deployment.awaitingReply(by: browser, on: form)
            #expect(try await pending.proceed().location().path == "/sign-in/code", "not answered yet")
            let session = browser.session
            let result = try await deployment.deliver(pending.message())
            #expect(result == "accepted")
            #expect(try await !browser.isSignedInOnHomePage(of: deployment), "an answer alone signs in nobody")
            try await Self.complete(pending, at: client, of: deployment)
            #expect(browser.session != session && browser.device != nil)
            #expect(try await deployment.failures() == 0, "the right number was not a guess")
        }
    }

    @Test("an answer that another process took is as good")
    func otherProcess() async throws {
        let key = TestSecret.new()
        try await TestDeployment.receivingReplies(settings: ["IDP_SECRET_KEY": key]) { deployment in
            let (browser, client) = (deployment.browser(), deployment.client)
            // Without the client's code_challenge, so that the test can verify the token itself.
            let form = try await browser.follow(browser.get(deployment.authorize(client, state: "a-state")))
            let pending = try await deployment.awaitingReply(by: browser, on: form)
            let receiver = try await ReplyReceiver.beside(deployment, key: key)
            let outcome = try await receiver.receive(
                pending.message().bytes, recipient: pending.recipient.uppercased(),
                logger: deployment.log.logger("idp"))
            #expect(outcome == .accepted)
            try await Self.complete(pending, at: client, of: deployment)
        }
    }

    @Test("no other browser signs in with the answer, and an address of another flow goes on without one")
    func otherBrowser() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let (browser, other) = (deployment.browser(), deployment.browser())
            let pending = try await deployment.awaitingReply(
                by: browser, on: browser.beginSignIn(at: deployment.client))
            _ = try await deployment.deliver(pending.message())
            #expect(try await pending.proceed(in: other).location().path == "/sign-in")
            // Another browser that waits for the same address.
            deployment.clock.advance(by: .seconds(61))
            let second = try await deployment.awaitingReply(by: other)
            #expect(try await second.proceed().location().path == "/sign-in/code")
            #expect(try await !other.isSignedInOnHomePage(of: deployment))
            let foreign = try await browser.get(deployment.origin + "/sign-in/reply?flow=AAAAAAAAAAAAAAAAAAAAAA")
            #expect(try foreign.location().path == "/")
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a prefetch, a frame, a HEAD and a POST without the page's token change nothing")
    func passive() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = deployment.browser()
            let pending = try await deployment.awaitingReply(
                by: browser, on: browser.beginSignIn(at: deployment.client))
            _ = try await deployment.deliver(pending.message())
            let next = try pending.waiting.address.resolving(pending.waiting.replyPaths().next)
            #expect(try await browser.get(next, [("Sec-Purpose", "prefetch")]).status == 400)
            #expect(try await browser.get(next, [("Sec-Fetch-Dest", "iframe")]).status == 400)
            #expect(try await browser.send("HEAD", next).status == 405)
            // The form of the page goes there, and counts with its token only.
            #expect(try await browser.post(next, [("form_token", "stale"), ("remember", "1")]).status == 403)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await pending.proceed().location().path == SSOPath.complete)
        }
    }

    @Test("a second tab of another client goes on by itself, one of the same flow says that it can be closed")
    func tabs() async throws {
        try await TestDeployment.receivingReplies(clients: 2) { deployment in
            let (browser, clients) = (deployment.browser(), deployment.clients)
            let other = try await browser.beginSignIn(at: clients[1])
            let pending = try await deployment.awaitingReply(by: browser, on: browser.beginSignIn(at: clients[0]))
            let second = try await browser.get(
                deployment.origin + "/sign-in/code?flow=" + (other.address.query("flow") ?? ""))
            _ = try await deployment.deliver(pending.message())
            let signedIn = try await pending.proceed()
            #expect(try signedIn.location().path == SSOPath.complete)

            // Before the first tab has gone on, and after it.
            let waiting = try await pending.proceed()
            #expect(waiting.status == 200)
            #expect(try waiting.page().link(containing: SSOPath.complete) != nil)
            let done = try await browser.follow(signedIn)
            #expect(try done.callback().absolute.hasPrefix(clients[0].callback))
            let elsewhere = try await pending.proceed()
            #expect(elsewhere.status == 200)
            #expect(try elsewhere.page().link(containing: clients[0].origin + "/") != nil)
            #expect(elsewhere.text.contains(clients[0].name))

            let next = try second.address.resolving(second.replyPaths().next)
            let late = try await browser.follow(browser.get(next))
            #expect(try late.callback().absolute.hasPrefix(clients[1].callback))
        }
    }

    @Test("of ten tabs that go on at the same instant one signs in, and there is one session")
    func atOnceInOneBrowser() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = deployment.browser()
            let pending = try await deployment.awaitingReply(
                by: browser, on: browser.beginSignIn(at: deployment.client))
            _ = try await deployment.deliver(pending.message())
            let twins = (0..<10).map { _ in browser.twin() }
            let visits = try await atOnce(10) { try await pending.proceed(in: twins[$0]) }
            #expect(visits.allSatisfy { $0.status == 303 })
            #expect(visits.count { !$0.reply.all("set-cookie").isEmpty } == 1)
            #expect(try await deployment.stored.sessions.signedIn.count() == 1)
        }
    }

    @Test("one success ends the other ways: a used code makes the answer void, and a used answer the code")
    func oneSuccess() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let first = try await deployment.awaitingReply(by: deployment.browser())
            let code = try #require(first.email.code)
            let home = try await first.browser.enter(code, on: first.waiting)
            #expect(try home.page().form(to: "/sign-out") != nil)
            let result = try await deployment.deliver(first.message())
            #expect(result == "used")

            deployment.clock.advance(by: .seconds(61))
            let browser = deployment.browser()
            let second = try await deployment.awaitingReply(by: browser)
            let twin = browser.twin()
            #expect(try await deployment.deliver(second.message()) == "accepted")
            #expect(try await second.proceed().status == 303)
            let late = try await twin.submit(
                second.waiting.page().form(with: "code"), on: second.waiting,
                ["code": try #require(second.email.code)])
            #expect(late.reply.all("set-cookie").isEmpty)
            #expect(try await !twin.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.deliver(second.message()) == "used")
        }
    }

    @Test("an accepted answer signs in within the ten minutes of its email, and not later")
    func expiry() async throws {
        try await TestDeployment.receivingReplies { deployment in
            for (age, path) in [(Duration.seconds(599), "/"), (.seconds(600), "/sign-in/code")] {
                deployment.clock.advance(by: .hours(25))
                let pending = try await deployment.awaitingReply(by: deployment.browser())
                #expect(try await deployment.deliver(pending.message()) == "accepted")
                deployment.clock.advance(by: age)
                #expect(try await pending.proceed().location().path == path)
            }
        }
    }

    @Test("a new email for the same challenge has the same address and number, and an answer to the first one counts")
    func resend() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            deployment.clock.advance(by: .seconds(61))
            let again = try await deployment.awaitingReply(by: pending.browser)
            #expect(again.recipient == pending.recipient && again.number == pending.number)
            #expect(try await deployment.deliver(pending.message()) == "accepted")
            #expect(try await again.proceed().location().path == "/")
        }
    }

    @Test("the sign-in gives back what it was counted for, and no code that nobody posted")
    func limits() async throws {
        let settings = [
            "IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_LIMIT_EMAIL_POSTS": "1", "IDP_LIMIT_CODE_POSTS": "1",
        ]
        try await TestDeployment.receivingReplies(settings: settings) { deployment in
            let wrong = try await deployment.awaitingReply("bob@example.com", by: deployment.browser())
            let typed = try await wrong.browser.submit(
                wrong.waiting.page().form(with: "code"), on: wrong.waiting, ["code": "000000"])
            #expect(typed.status == 422)
            #expect(try await deployment.deliver(wrong.message()) == "accepted")
            #expect(try await wrong.proceed().status == 303)
            let next = try await deployment.awaitingReply("eve@example.com", by: deployment.browser())
            let second = try await next.browser.submit(
                next.waiting.page().form(with: "code"), on: next.waiting, ["code": "000000"])
            #expect(second.status == 429)
        }
    }
}

extension ReplyReceiver {
    /// A receiver of its own on the database of a deployment, as in another process.
    static func beside(_ deployment: TestDeployment, key: String) async throws -> ReplyReceiver {
        let keys = try DerivedKeys.parse(key, setting: "IDP_SECRET_KEY")
        let database = try await deployment.databases.openIdP()
        let clock = deployment.clock.clock
        let randomness = SystemRandomness()
        let challenges = ChallengeStore(
            database: database, clock: clock, randomness: randomness, codeMAC: { _ in [] },
            mailKind: EmailCodeMail.kind,
            eligibility: SignInEligibility(allowed: try AllowedEmails(""), clock: clock),
            mail: MailQueue(database: database, clock: clock, capacity: MailCapacity(limit: 1)))
        return ReplyReceiver(
            InboundMailSettings(domain: ReplySettings.domain, authservID: ReplySettings.authservID), keys: keys,
            challenges: challenges, guesses: GuessStore(database: database, clock: clock, randomness: randomness))
    }
}
