import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What every sign-in method, client protocol and app leaves to a second factor, and what a first proof alone is worth.
@Suite("A second factor", .program)
struct SecondFactorTests {
    private static let address = OneClickMethod.address

    /// Goes from a client to the page of the second factor.
    private static func half(
        _ method: TestedMethod, for asking: TestedProtocol = .sso, in browser: Browser, of deployment: TestDeployment
    ) async throws -> Visit {
        let page = try await browser.follow(browser.get(asking.ask(deployment.client, mark: "kept", of: deployment)))
        let proof = try await deployment.begin(method, on: page, in: browser)
        let second = try await browser.follow(proof.prove(in: browser))
        #expect(second.address.path == PinFactor.pagePath, "\(second.text)")
        return second
    }

    @Test("the size of the matrix of protocols, methods and factors is printed")
    func size() {
        let combinations = TestedProtocol.allCases.count * TestedMethod.singleProofs.count * 2
        print("Client protocols × sign-in methods × second factor or not: \(combinations) combinations.")
        #expect(combinations == 56)
    }

    @Test(
        "is asked for after every method and before every protocol's grant, which names both proofs in their order, and their strength",
        arguments: TestedProtocol.allCases, TestedMethod.singleProofs)
    func bothProofs(asking: TestedProtocol, method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method, adding: PinFactor.added) { deployment in
            let browser = deployment.browser()
            let page = try await Self.half(method, for: asking, in: browser, of: deployment)
            let before = browser.session
            let complete = try await browser.follow(browser.typePin(on: page))
            #expect(browser.session != before, "a new session at every step up")
            let redeemed = try await asking.redeem(
                asking.callback(complete), as: deployment.client, of: deployment)
            let told = asking.told(
                .init(email: Self.address, mark: "kept", methods: [method.rawValue, "test_pin"], strength: "mfa"))
            #expect(redeemed == told)
            #expect(try await deployment.stored.grants.strength("mfa").count() == 1)
            #expect(try await deployment.stored.sessions.holding(#""strength":"mfa""#).count() == 1)
            #expect(deployment.events("second_factor_required") == 1 && deployment.events("signed_in") == 1)
        }
    }

    @Test(
        "cannot be skipped: Back, a second tab, the next step called directly, the proof once more",
        arguments: TestedMethod.singleProofs)
    func skipped(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(
            method, settings: HandoffApp.settings, adding: PinFactor.added
        ) { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "kept")))
            let flow = try #require(page.address.query("flow"))
            let proof = try await deployment.begin(method, on: page, in: browser)
            let second = try await browser.follow(proof.prove(in: browser))
            #expect(second.address.path == PinFactor.pagePath)
            let missing = deployment.events("second_factor_missing")

            let origin = deployment.origin
            for path in ["\(SSOPath.complete)?flow=\(flow)", "/sign-in/account?flow=\(flow)"] {
                #expect(
                    try await browser.get(origin + path).reply.all("location") == ["/sign-in?flow=\(flow)"], "\(path)")
            }
            let back = try await browser.get(origin + "/sign-in/code?flow=\(flow)")
            #expect(back.reply.all("location") == ["\(PinFactor.pagePath)?flow=\(flow)"])
            for path in ["/", "/sign-in?flow=\(flow)", "/sign-in/code?flow=\(flow)", "/sign-in/reply?flow=\(flow)"] {
                let visit = try await browser.follow(browser.get(origin + path))
                #expect(!visit.text.contains("sst_") && !visit.text.contains(Self.address), "\(path)")
            }
            let tab = try await browser.get(deployment.authorize(deployment.client, state: "other"))
            #expect(try tab.location().path == "/sign-in")
            for path in ["/name", "/sign-out", "/devices/end", "/identities/unlink"] {
                let posted = try await browser.post(WebAddress(origin + path), [("name", "Eve")])
                #expect(posted.status != 200, "\(path)")
            }
            if method != .oneClick {
                let again = try await browser.follow(proof.prove(in: browser))
                #expect(!again.text.contains("sst_"), "\(again.text)")
                // The page with the code, sent again or reached by Back, goes on to the proof that is missing.
                #expect((again.address.path == PinFactor.pagePath) == (method == .emailCode), "\(again.address)")
            }
            #expect(try await deployment.rows(of: "sso_token") == 0)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(deployment.events("second_factor_missing") > missing && deployment.events("signed_in") == 0)

            let late = try await browser.get(second.address)
            if method != .oneClick {
                let complete = try await browser.follow(browser.typePin(on: late))
                #expect(try complete.callback().query("state") == "kept")
            }
        }
    }

    @Test("a wrong proof signs nobody in, and the right one still does; another browser has nothing to go on with")
    func wrong() async throws {
        try await TestDeployment.withEveryMethod(adding: PinFactor.added) { deployment in
            let browser = deployment.browser()
            let page = try await Self.half(.emailCode, in: browser, of: deployment)
            let refused = try await browser.typePin("1111", on: page)
            #expect(try refused.location().path == PinFactor.pagePath)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            let other = deployment.browser()
            #expect(try await other.get(page.address).reply.all("location").first?.hasPrefix("/sign-in") == true)
            let planted = try await other.follow(other.get(deployment.origin + "/sign-in"))
            let token = try #require(try planted.page().form(with: "email")?["form_token"])
            let posted = try await other.post(
                WebAddress(deployment.origin + PinFactor.pagePath), [("form_token", token), ("pin", PinFactor.pin)])
            #expect(try posted.location().path == PinFactor.pagePath)
            #expect(try await !other.isSignedInOnHomePage(of: deployment))
            let complete = try await browser.follow(browser.typePin(on: browser.get(page.address)))
            #expect(try complete.token().hasPrefix("sst_"))
        }
    }

    @Test(
        "a first proof is worth nothing after ten minutes, after a step back of the clock, and once the account is signed out",
        arguments: ["late", "early", "signed out", "disabled"])
    func ended(how: String) async throws {
        try await TestDeployment.withEveryMethod(adding: PinFactor.added) { deployment in
            let browser = deployment.browser()
            let page = try await Self.half(.emailCode, in: browser, of: deployment)
            switch how {
            case "late": deployment.clock.advance(by: .minutes(10))
            case "early": deployment.clock.advance(by: .minutes(-30))
            case "disabled": try await deployment.stored.accounts.disable()
            default: try await deployment.stored.accounts.endSignIns()
            }
            _ = try await browser.typePin(on: page)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(deployment.events("signed_in") == 0)
        }
    }

    @Test(
        "is any of those that the account has, whichever one was asked for, and none that it does not have")
    func anyOfTwo() async throws {
        let (first, other) = (PinFactor(), PinFactor.other)
        try await TestDeployment.withEveryMethod(adding: PinFactor.adding([first, other])) { deployment in
            /// A browser that has given the first proof, and the page of a factor.
            func half(before factor: PinFactor) async throws -> (browser: Browser, page: Visit) {
                let browser = deployment.browser()
                let asked = try await Self.half(.emailCode, in: browser, of: deployment)
                try await deployment.forgetEmails(to: Self.address)
                let flow = try #require(asked.address.query("flow"))
                return (browser, try await browser.get("\(deployment.origin)\(factor.path)?flow=\(flow)"))
            }
            for factor in [first, other] {
                let (browser, page) = try await half(before: factor)
                let wrong = factor.id == first.id ? other.pin : first.pin
                _ = try await browser.typePin(wrong, on: page)
                #expect(try await !browser.isSignedInOnHomePage(of: deployment), "\(factor.id)")
                let complete = try await browser.follow(browser.typePin(factor.pin, on: page))
                let end = try await deployment.redeem(complete, as: deployment.client)
                #expect(end.reply.status == 200 && end.methods == ["email_code", factor.id])
            }
            let signIns = deployment.events("signed_in")
            try await deployment.stored.accounts.addToName(other.endedMark)
            let (browser, page) = try await half(before: other)
            let refused = try await browser.typePin(other.pin, on: page)
            #expect(try refused.location().path == other.path)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(deployment.events("signed_in") == signIns)
            let flow = try #require(page.address.query("flow"))
            let right = try await browser.get("\(deployment.origin)\(first.path)?flow=\(flow)")
            let complete = try await browser.follow(browser.typePin(on: right))
            #expect(try complete.token().hasPrefix("sst_"))
        }
    }

    @Test(
        "what one process began another one finishes, as after a kill between the proofs: until then it opens nothing, and then there is one token"
    )
    func restart() async throws {
        try await TestDeployment.withEveryMethod(adding: PinFactor.added) { deployment in
            let browser = deployment.browser()
            let page = try await Self.half(.emailCode, in: browser, of: deployment)
            let flow = try #require(page.address.query("flow"))
            try await deployment.withSecondIdP { second in
                let after = browser.twin(routes: second.routes)
                #expect(try await !after.isSignedInOnHomePage(of: second))
                let early = try await after.get("\(second.origin)\(SSOPath.complete)?flow=\(flow)")
                #expect(early.reply.all("location") == ["/sign-in?flow=\(flow)"])
                #expect(try await second.rows(of: "sso_token") == 0)

                let complete = try await after.follow(after.typePin(on: after.get(page.address)))
                #expect(try complete.callback().query("state") == "kept")
                let token = try complete.token()
                #expect(try await second.verify(token, as: second.client).status == 200)
                #expect(try await second.verify(token, as: second.client).status == 401)
                #expect(try await second.rows(of: "sso_token") == 1)
            }
        }
    }

    @Test("of two equal second proofs at once one signs in")
    func race() async throws {
        try await TestDeployment.withEveryMethod(adding: PinFactor.added) { deployment in
            let browser = deployment.browser()
            let page = try await Self.half(.emailCode, in: browser, of: deployment)
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    let twin = browser.twin()
                    group.addTask { _ = try await twin.typePin(on: page) }
                }
                try await group.waitForAll()
            }
            #expect(deployment.events("signed_in") == 1)
        }
    }

    @Test(
        "a user who is asked to sign in again is signed out by the first proof alone, and meets the demand after the second"
    )
    func again() async throws {
        try await TestDeployment.withEveryMethod(adding: PinFactor.added) { deployment in
            let browser = deployment.browser()
            _ = try await browser.follow(
                browser.typePin(on: Self.half(.emailCode, in: browser, of: deployment)))
            try await deployment.forgetEmails(to: Self.address)
            deployment.clock.advance(by: .minutes(30))
            let page = try await browser.follow(
                browser.get(TestedProtocol.sso.ask(deployment.client, mark: "new", .newSignIn, of: deployment)))
            let proof = try await deployment.begin(.emailCode, on: page, in: browser)
            let second = try await browser.follow(proof.prove(in: browser))
            #expect(second.address.path == PinFactor.pagePath)
            // Otherwise a stolen session and the mailbox would keep a sign-in alive for ever.
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            let flow = page.address.query("flow") ?? ""
            let early = try await browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flow)")
            #expect(try early.location().path == "/sign-in", "the first proof does not meet the demand")
            let complete = try await browser.follow(browser.typePin(on: browser.get(second.address)))
            #expect(try complete.callback().query("state") == "new")
        }
    }

    @Test(
        "of an account that was made in advance ends with the first proof of its mailbox, and keeps its owner out no longer"
    )
    func madeInAdvance() async throws {
        try await TestDeployment.withEveryMethod(adding: PinFactor.added) { deployment in
            try await deployment.stored.accounts.add(AddedAccount("usr_made", "ann@example.com", name: "Ann"))
            try await deployment.stored.identities.add(AddedIdentity("usr_made", "eve", provider: "op"))
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            let proof = try await deployment.begin(.emailCode, on: page, in: browser)
            let complete = try await browser.follow(proof.prove(in: browser))
            #expect(try complete.token().hasPrefix("sst_"), "\(complete.text)")
        }
    }

    @Test("an app gets no code for a first proof alone, and one after the second")
    func handoff() async throws {
        try await TestDeployment.withEveryMethod(settings: HandoffApp.settings, adding: PinFactor.added) {
            deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let proof = try await deployment.begin(.emailLink, on: app.begin(in: browser), in: browser)
            let second = try await browser.follow(proof.prove(in: browser))
            let flow = try #require(second.address.query("flow"))
            let early = try await browser.follow(
                browser.get("\(deployment.origin)/auth/native/complete?flow=\(flow)"))
            #expect(early.address.path == "/sign-in" && !early.text.contains("shc_"))
            let done = try await browser.follow(browser.typePin(on: browser.get(second.address)))
            #expect(try done.handoffCode().hasPrefix("shc_"))
        }
    }

    @Test("native screens get 403 with a stable code and nothing else: no token, no session, and the code is used")
    func api() async throws {
        try await TestDeployment.open(adding: PinFactor.added) { deployment in
            let app = deployment.jsonApp()
            let (challenge, code) = try await deployment.asking(by: app, as: Self.address)
            let refused = try await app.finish(challenge, code)
            #expect(refused.status == 403 && refused.apiError == "second_factor_required")
            #expect(refused.all("set-cookie") == [])
            #expect(try await deployment.rows(of: "access_token") == 0)
            #expect(try await deployment.rows(of: "session") == 0)
            #expect(try await app.finish(challenge, code).status == 401)
            #expect(deployment.events("second_factor_required") == 1)
        }
    }
}
