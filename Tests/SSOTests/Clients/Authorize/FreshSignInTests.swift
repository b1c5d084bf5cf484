import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPAccounts
@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A client asks a user who is signed in to sign in again, or nothing at all. `authenticated_at` is always the truth.
@Suite("Fresh sign-in", .program)
struct FreshSignInTests {
    private static let asksAgain = "asks you to sign in again"

    private static func asking(
        _ query: String, _ deployment: TestDeployment, state: String = "s", client: Int = 0
    ) -> String {
        deployment.authorize(deployment.clients[client], state: state) + query
    }

    /// Signs in on a sign-in page and follows redirects.
    private static func signIn(
        as address: String, _ browser: Browser, on form: Visit, _ deployment: TestDeployment
    ) async throws -> Visit {
        let earlier = deployment.mailbox.all(to: address).count
        let waiting = try await browser.ask(for: address, on: form)
        return try await browser.enter(deployment.mailbox.code(to: address, count: earlier + 1), on: waiting)
    }

    /// What the verified answer says of the sign-in behind a completion page.
    private static func verified(
        _ complete: Visit, _ deployment: TestDeployment, client: Int = 0
    ) async throws -> VerifyReply {
        try VerifyReply(body: try await deployment.verify(complete.token(), as: deployment.clients[client]).body)
    }

    private static func isAsked(_ visit: Visit) throws -> Bool {
        try visit.address.path == "/sign-in" && visit.page().form(with: "email") != nil
    }

    @Test(
        "prompt=login: a signed-in user is asked, stays signed in meanwhile, and comes back with a new authenticated_at"
    )
    func login() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = try await deployment.signedIn()
            let first = deployment.clock.now.seconds
            deployment.clock.advance(by: .minutes(5))
            let form = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment, state: "kept")))
            #expect(try Self.isAsked(form) && form.text.contains(Self.asksAgain))
            #expect(form.text.contains("ann@example.com") && !form.text.contains("sst_"))
            // Another client in another tab still gets the sign-in that there is.
            let other = try await browser.get(Self.asking("", deployment, client: 1))
            #expect(try await Self.verified(other, deployment, client: 1).session.authenticatedAt == first)

            let complete = try await Self.signIn(as: "ann@example.com", browser, on: form, deployment)
            #expect(try complete.callback().query("state") == "kept" && complete.page().refresh?.seconds == 2)
            #expect(try await Self.verified(complete, deployment).session.authenticatedAt == first + 300)
        }
    }

    @Test("prompt=login twice in a row asks twice, and each answer has its own time")
    func twice() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            var times: [Int] = []
            for round in 1...2 {
                deployment.clock.advance(by: .seconds(61))
                let form = try await browser.follow(
                    browser.get(Self.asking("&prompt=login", deployment, state: "s\(round)")))
                #expect(try Self.isAsked(form))
                let complete = try await Self.signIn(as: "ann@example.com", browser, on: form, deployment)
                times.append(try #require(try await Self.verified(complete, deployment).session.authenticatedAt))
                #expect(times.last == deployment.clock.now.seconds)
            }
            #expect(times[1] == times[0] + 61)
        }
    }

    @Test("a sign-in in the same instant as the one before is newer: nobody is asked twice for one request")
    func sameInstant() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let form = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment)))
            let complete = try await Self.signIn(as: "ben@example.com", browser, on: form, deployment)
            #expect(
                try await Self.verified(complete, deployment).session.authenticatedAt == deployment.clock.now.seconds)
        }
    }

    @Test(
        "max_age asks only when the sign-in is older",
        arguments: [(300, 300, false), (300, 301, true), (0, 1, true), (0, 0, true), (2_147_483_647, 3600, false)])
    func maxAge(limit: Int, age: Int, asks: Bool) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let first = deployment.clock.now.seconds
            deployment.clock.advance(by: .seconds(age))
            let visit = try await browser.follow(browser.get(Self.asking("&max_age=\(limit)", deployment)))
            #expect(try Self.isAsked(visit) == asks)
            guard !asks else { return }
            #expect(try visit.page().refresh?.seconds == 0, "nothing was asked")
            #expect(try await Self.verified(visit, deployment).session.authenticatedAt == first)
        }
    }

    @Test("after the fresh sign-in of max_age the client gets the new time")
    func maxAgeEnds() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .minutes(10))
            let form = try await browser.follow(browser.get(Self.asking("&max_age=60", deployment)))
            let complete = try await Self.signIn(as: "ann@example.com", browser, on: form, deployment)
            #expect(
                try await Self.verified(complete, deployment).session.authenticatedAt == deployment.clock.now.seconds)
        }
    }

    @Test(
        "a visitor signs in once, whatever is asked",
        arguments: ["&prompt=login", "&max_age=0", "&prompt=select_account"])
    func visitor(query: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(Self.asking(query, deployment)))
            #expect(try Self.isAsked(form) && !form.text.contains(Self.asksAgain))
            let complete = try await Self.signIn(as: "ann@example.com", browser, on: form, deployment)
            #expect(
                try await Self.verified(complete, deployment).session.authenticatedAt == deployment.clock.now.seconds)
        }
    }

    @Test("prompt=none never asks: a token at once, or login_required, of which nothing is kept")
    func silent() async throws {
        try await TestDeployment.open { deployment in
            let required = "\(deployment.client.callback)?error=login_required&state=a%20b"
            let address = Self.asking("&prompt=none", deployment, state: "a b")
            let visitor = deployment.browser()
            let refused = try await visitor.get(address)
            #expect(refused.status == 302 && refused.reply.all("location") == [required])
            #expect(visitor.cookies.isEmpty)
            #expect(try await deployment.rows(of: "session") == 0)
            #expect(deployment.log.contains("login_required"))

            let browser = try await deployment.signedIn()
            let first = deployment.clock.now.seconds
            let complete = try await browser.get(address)
            #expect(try complete.status == 200 && complete.page().refresh?.seconds == 0)
            #expect(try await Self.verified(complete, deployment).session.authenticatedAt == first)
            deployment.clock.advance(by: .seconds(61))
            for query in ["&max_age=60", "&max_age=0"] {
                let old = try await browser.get(address + query)
                #expect(old.status == 302 && old.reply.all("location") == [required], "\(query)")
            }
            #expect(try await browser.get(address + "&max_age=61").status == 200)
            #expect(try await deployment.stored.sessions.holding("a b").count() == 0, "no flow is kept")
            // After the sign-out the cookie names no session any more.
            try await browser.signOut(of: deployment)
            #expect(try await browser.get(address).reply.all("location") == [required])
        }
    }

    @Test("select_account with max_age: the account is chosen first, and then both hold")
    func selectAccount() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let first = deployment.clock.now.seconds
            deployment.clock.advance(by: .minutes(5))
            for (age, asks) in [(300, false), (299, true)] {
                let choice = try await browser.follow(
                    browser.get(Self.asking("&prompt=select_account&max_age=\(age)", deployment, state: "s\(age)")))
                #expect(choice.address.path == AccountChoice.path)
                let next = try await browser.follow(
                    browser.click(choice.page().link(containing: SSOPath.complete), on: choice))
                #expect(try Self.isAsked(next) == asks)
                if asks {
                    let complete = try await Self.signIn(as: "ann@example.com", browser, on: next, deployment)
                    #expect(try await Self.verified(complete, deployment).session.authenticatedAt == first + 300)
                } else {
                    #expect(try await Self.verified(next, deployment).session.authenticatedAt == first)
                }
            }
        }
    }

    @Test("another account chosen on the way is a fresh sign-in")
    func otherChosen() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .minutes(5))
            let choice = try await browser.follow(
                browser.get(Self.asking("&prompt=select_account&max_age=60", deployment)))
            let form = try await browser.follow(
                browser.submit(choice.page().form(to: AccountChoice.path), on: choice))
            #expect(try Self.isAsked(form) && !form.text.contains(Self.asksAgain))
            let complete = try await Self.signIn(as: "ben@example.com", browser, on: form, deployment)
            let reply = try await Self.verified(complete, deployment)
            #expect(reply.user.email == "ben@example.com")
            #expect(reply.session.authenticatedAt == deployment.clock.now.seconds)
        }
    }

    /// RFC 9700 4.5, threats row 34: nothing of the first account is left.
    @Test("another account signs in at prompt=login: the token is that user's, and the first sign-in has ended")
    func otherAccount() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let holder = browser.twin()
            let unused = try await browser.get(Self.asking("", deployment, state: "anns"))
            let form = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment)))
            let complete = try await Self.signIn(as: "ben@example.com", browser, on: form, deployment)
            #expect(try await Self.verified(complete, deployment).user.email == "ben@example.com")
            #expect(try await deployment.verify(unused.token(), as: deployment.client).status == 401)
            #expect(try await !holder.isSignedInOnHomePage(of: deployment))
            #expect(try await browser.get(deployment.origin + "/").text.contains("ben@example.com"))
        }
    }

    @Test(
        "a user who goes away stays signed in, also after a code was sent; the session is not renewed without a proof")
    func goesAway() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let (first, before) = (deployment.clock.now.seconds, browser.session)
            deployment.clock.advance(by: .seconds(61))
            let unused = try await browser.get(Self.asking("", deployment, state: "unused"))
            let form = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment)))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            #expect(try waiting.page().form(with: "code") != nil)
            #expect(browser.session == before, "a thief's cookie would live on for another 12 hours")
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            let another = try await deployment.verify(unused.token(), as: deployment.client)
            #expect(another.status == 200, "the token of another tab is still valid")
            let other = try await browser.get(Self.asking("", deployment, state: "other"))
            #expect(try await Self.verified(other, deployment).session.authenticatedAt == first)
            // And back to the client, without a token.
            let back = try await browser.get(
                "\(deployment.origin)\(FlowID.cancelPath)?flow=\(form.address.query("flow") ?? "")")
            #expect(back.status == 302)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("neither complete, nor the sign-in pages, nor Back skip the demand of a flow")
    func noWayRound() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .seconds(61))
            let form = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment)))
            let flow = try #require(form.address.query("flow"))
            let tokens = try await deployment.rows(of: "sso_token")
            for path in [SSOPath.complete, "/sign-in", "/sign-in/code"] {
                let visit = try await browser.follow(browser.get("\(deployment.origin)\(path)?flow=\(flow)"))
                #expect(try Self.isAsked(visit), "\(path)")
            }
            let wrong = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann"])
            #expect(wrong.status == 422 && wrong.text.contains(Self.asksAgain))
            #expect(try await deployment.rows(of: "sso_token") == tokens)

            let complete = try await Self.signIn(as: "ann@example.com", browser, on: form, deployment)
            #expect(try complete.token().hasPrefix("sst_"))
            // Back to the form, to the code page and to the link: the flow has ended.
            for path in [SSOPath.complete, "/sign-in", "/sign-in/code"] {
                let back = try await browser.follow(browser.get("\(deployment.origin)\(path)?flow=\(flow)"))
                #expect(back.status == 410 && !back.text.contains("sst_"), "\(path)")
            }
            // The reload of the completion page is the request without its wishes: it asks nothing.
            #expect(try await browser.get(complete.address).token().hasPrefix("sst_"))
        }
    }

    @Test("one fresh sign-in is enough for every flow that was waiting for it, and for none that comes later")
    func tabs() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .minutes(5))
            let first = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment, state: "one")))
            let second = try await browser.follow(
                browser.get(Self.asking("&max_age=60", deployment, state: "two", client: 1)))
            let complete = try await Self.signIn(as: "ann@example.com", browser, on: first, deployment)
            #expect(try complete.callback().query("state") == "one")
            let late = try await browser.follow(browser.get(second.address))
            #expect(try late.callback().absolute.hasPrefix(deployment.clients[1].callback + "?"))
            #expect(try late.callback().query("state") == "two")
            #expect(
                try await Self.verified(late, deployment, client: 1).session.authenticatedAt
                    == deployment.clock.now.seconds)
            let third = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment, state: "three")))
            #expect(try Self.isAsked(third))
        }
    }

    @Test("without the parameter the token comes at once, with the old authenticated_at: the client has to look at it")
    func stripped() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let first = deployment.clock.now.seconds
            deployment.clock.advance(by: .hours(1))
            #expect(try await Self.isAsked(browser.follow(browser.get(Self.asking("&prompt=login", deployment)))))
            let complete = try await browser.get(Self.asking("", deployment))
            #expect(try await Self.verified(complete, deployment).session.authenticatedAt == first)
        }
    }

    @Test("login_hint fills the field of its own flow, in any page that asks, and is never logged")
    func loginHint() async throws {
        try await TestDeployment.open { deployment in
            let hint = "o'neil&co+x@example.com"
            let query = "&login_hint=\(FormCoding.encode("O'Neil&Co+x@Example.com"))"
            func filled(_ visit: Visit) throws -> String? { try visit.page().form(with: "email")?["email"] }
            let visitor = deployment.browser()
            let form = try await visitor.follow(visitor.get(Self.asking(query, deployment, state: "hinted")))
            #expect(try filled(form) == hint)
            let plain = try await visitor.follow(visitor.get(Self.asking("", deployment, state: "plain")))
            #expect(try filled(plain) == "")
            let wrong = try await visitor.submit(form.page().form(with: "email"), on: form, ["email": "typed"])
            #expect(try wrong.status == 422 && filled(wrong) == "typed")

            // A user who is asked again finds the own address there, or the hint of the client.
            let browser = try await deployment.signedIn()
            let own = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment)))
            #expect(try filled(own) == "ann@example.com")
            let other = try await browser.follow(browser.get(Self.asking("&prompt=login" + query, deployment)))
            #expect(try filled(other) == hint)
            // A hint alone asks nothing: it decides neither who is signed in nor who gets a token.
            let complete = try await browser.get(Self.asking(query, deployment, state: "unasked"))
            #expect(try await Self.verified(complete, deployment).user.email == "ann@example.com")
            for part in ["neil", "%26co"] { #expect(!deployment.log.text.lowercased().contains(part)) }
        }
    }

    @Test("the page says so in the language of the browser")
    func german() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let form = try await browser.follow(browser.get(Self.asking("&prompt=login", deployment)))
            let german = try await browser.get(form.address, [("Accept-Language", "de")])
            #expect(
                german.text.contains(
                    "Sie sind als <bdi translate=\"no\">ann@example.com</bdi> angemeldet. <bdi>Partner number 1</bdi> bittet Sie"
                ))
        }
    }

    @Test("a frame, a script's request or a prefetch is refused with every prompt", arguments: ["none", "login"])
    func hidden(prompt: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let cookies = browser.cookies["localhost", default: [:]].map { "\($0.key)=\($0.value)" }
            let bare = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let target = try WebAddress(Self.asking("&prompt=\(prompt)", deployment)).target
            for headers in NavigationTests.hidden {
                let reply = try await bare.get(target, headers + [("Cookie", cookies.joined(separator: "; "))])
                #expect(
                    reply.status == 400 && reply.all("location") == [] && !reply.text.contains("sst_"), "\(headers)")
            }
        }
    }

    @Test("the demand is kept with its flow, ends with it, and says nothing of any other")
    func demand() throws {
        let now = TestClock().now
        let (id, other) = (FlowID.example(1), FlowID.example(2))
        let demand = Flow.Demand(since: now, loginHint: "ann@example.com")
        var flows = Flows()
        try flows.begin(Flow.Request(purpose: "p", subject: "s", demand: demand), id: id, now: now)
        try flows.begin(Flow.Request(purpose: "p", subject: "s"), id: other, now: now)
        flows = try JSONDecoder().decode(Flows.self, from: JSONEncoder().encode(flows))
        var slots = SessionSlots()
        slots[Flows.self] = flows
        #expect(slots.needsNewSignIn(id) && !slots.needsNewSignIn(other) && !slots.needsNewSignIn(nil))
        func signIn(_ moment: Timestamp, isProven: Bool = true) -> CurrentSignIn.SignIn {
            CurrentSignIn.SignIn(
                accountID: "usr_1", authenticatedAt: moment, proofs: SignInProofs(["m"], .any), isProven: isProven)
        }
        #expect(slots.asksAgain(id, after: signIn(now - .milliseconds(1)), now: now))
        #expect(slots.asksAgain(id, after: signIn(now, isProven: false), now: now))
        #expect(!slots.asksAgain(id, after: signIn(now), now: now))
        #expect(!slots.asksAgain(other, after: signIn(now - .hours(1)), now: now))
        #expect(!slots.asksAgain(id, after: signIn(now - .hours(1)), now: now + Flows.lifetime))
        #expect(flows.take(id, now: now) != nil)
        slots[Flows.self] = flows
        #expect(!slots.needsNewSignIn(id))
        let text = String(decoding: try JSONEncoder().encode(flows), as: UTF8.self)
        #expect(!text.contains("ann@example.com"), "an ended flow keeps no address")
    }
}
