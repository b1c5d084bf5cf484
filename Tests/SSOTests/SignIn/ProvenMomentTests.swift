import Foundation
import ProbeKit
import SSOClient
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Where a new sign-in is needed, only a proof that is new will do: in every order of tabs, with every method and provider.
@Suite("The moment of a sign-in", .program)
struct ProvenMomentTests {
    /// One row, with one user for each step of it.
    private struct Scene {
        let row: ProofRow
        let place: ProviderDeployment
        let browser: Browser
        let number: Int

        var deployment: TestDeployment { place.deployment }

        func ask(_ query: String, state: String = "asked") async throws -> Visit {
            try await browser.follow(browser.get(deployment.authorize(place.client, state: state) + query))
        }

        /// A sign-in page without a flow, in another tab.
        func signInElsewhere() async throws {
            let page = try await browser.get(deployment.origin + "/sign-in")
            _ = try await row.signIn(number, on: page, in: browser, place)
            #expect(try await browser.isSignedInOnHomePage(of: deployment), "the sign-in itself always succeeds")
        }

        func complete(_ page: Visit) async throws -> Visit {
            let flow = try #require(page.address.query("flow"))
            return try await browser.follow(browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flow)"))
        }

        /// The client gets a token whose time is now, or the user is asked for a proof, and gets on by email.
        func check(_ end: Visit, _ comment: Comment) async throws {
            var end = end
            if !row.isProven {
                #expect(end.text.contains("sst_") == false, comment)
                if end.status == 403 {
                    end = try await browser.click(end.page().link(containing: "/sign-in"), on: end)
                }
                #expect(end.address.path == "/sign-in", comment)
                end = try await byEmail(on: end)
            }
            let redeemed = try await deployment.redeem(end, as: place.client)
            #expect(redeemed.authenticatedAt == deployment.clock.now.seconds, comment)
            #expect(redeemed.methods == [row.isProven ? row.methodName : "email_code"], comment)
            #expect(redeemed.email == row.address(number), comment)
        }

        func byEmail(on page: Visit) async throws -> Visit {
            let proof = try await deployment.begin(.emailCode, on: page, in: browser, as: row.address(number))
            return try await browser.follow(proof.prove(in: browser))
        }
    }

    /// Runs the steps, each with a browser and a user of its own.
    private static func run(_ row: ProofRow, _ steps: ((Scene) async throws -> Void)...) async throws {
        try await row.open { place in
            for (number, step) in steps.enumerated() {
                try await step(Scene(row: row, place: place, browser: place.deployment.browser(), number: number))
                place.deployment.clock.advance(by: .minutes(2))
            }
        }
    }

    @Test(
        "a client that asks for a new sign-in gets a proof that is new, whatever the tabs do", arguments: ProofRow.all)
    func client(row: ProofRow) async throws {
        try await Self.run(
            row,
            { scene in
                let page = try await scene.ask("&prompt=login")
                let end = try await scene.row.signIn(scene.number, on: page, in: scene.browser, scene.place)
                try await scene.check(end, "in the tab of the request")
            },
            { scene in
                let page = try await scene.ask("&prompt=login")
                try await scene.signInElsewhere()
                try await scene.check(scene.complete(page), "in another tab, then on with the request")
            },
            { scene in
                try await scene.signInElsewhere()
                try await scene.check(scene.ask("&max_age=3600"), "before the request")
            },
            { scene in
                try await scene.signInElsewhere()
                scene.deployment.clock.advance(by: .minutes(2))
                let page = try await scene.ask("&max_age=0")
                #expect(page.address.path == "/sign-in")
                // "Use another account" ends the sign-in and keeps the request.
                let choice = try await scene.browser.follow(
                    scene.browser.get(
                        "\(scene.deployment.origin)\(AccountChoice.path)?flow=\(page.address.query("flow") ?? "")"))
                _ = try await scene.browser.submit(choice.page().form(to: AccountChoice.path), on: choice)
                try await scene.signInElsewhere()
                try await scene.check(scene.complete(page), "after another account was asked for")
            },
            { scene in
                try await scene.signInElsewhere()
                scene.deployment.clock.advance(by: .minutes(2))
                let page = try await scene.ask("&prompt=login")
                try await scene.browser.signOut(of: scene.deployment)
                try await scene.signInElsewhere()
                let late = try await scene.browser.follow(scene.browser.get(page.address))
                #expect(late.status < 500)
                try await scene.check(scene.ask("&max_age=60", state: "after"), "after a sign-out")
            })
    }

    @Test(
        "verify leaves the time out where nothing proves it, and a client that wants no question is told so",
        arguments: ProofRow.all)
    func answer(row: ProofRow) async throws {
        try await Self.run(
            row,
            { scene in
                let page = try await scene.ask("")
                let end = try await row.signIn(scene.number, on: page, in: scene.browser, scene.place)
                let redeemed = try await scene.deployment.redeem(end, as: scene.place.client)
                #expect(redeemed.authenticatedAt == (row.isProven ? scene.deployment.clock.now.seconds : nil))
                #expect(redeemed.reply.text.contains("authenticated_at") == row.isProven)
                #expect(redeemed.methods == [row.methodName])
                let reply = try VerifyReply(body: redeemed.reply.body)
                #expect(SignInDemand().isMet(by: reply.session))
                let now = Date(timeIntervalSince1970: Double(scene.deployment.clock.now.seconds))
                #expect(SignInDemand(maximumAge: .days(1000)).isMet(by: reply.session, now: now) == row.isProven)

                let silent = try await scene.browser.get(
                    scene.deployment.authorize(scene.place.client, state: "silent") + "&prompt=none&max_age=3600")
                if row.isProven {
                    #expect(try silent.token().hasPrefix("sst_"))
                } else {
                    #expect(try silent.location().query("error") == "login_required")
                }

                // An app that takes the sign-in over learns no more.
                let app = try scene.deployment.app()
                let question = try await app.begin(in: scene.browser)
                let code = try await scene.browser.submit(
                    question.page().form(to: "/auth/native/complete"), on: question)
                let webView = scene.deployment.webView()
                #expect(try await app.present(code.handoffCode(), in: webView).status == 303)
                let session = try await webView.get(scene.deployment.origin + "/api/v1/session")
                #expect(session.status == 200)
                #expect(session.text.contains("authenticated_at") == row.isProven)
                let asked = try await webView.follow(
                    webView.get(scene.deployment.authorize(scene.place.client, state: "app") + "&max_age=3600"))
                #expect(asked.text.contains("sst_") == row.isProven)
            })
    }

    @Test(
        "who finds a browser unlocked cannot keep the account: a press of the provider's button is no new sign-in",
        arguments: ProofRow.all)
    func unlockedBrowser(row: ProofRow) async throws {
        try await Self.run(
            row,
            { scene in
                try await scene.signInElsewhere()
                scene.deployment.clock.advance(by: .hours(1))
                try await scene.browser.signOut(of: scene.deployment)
                // The session at the provider is still there, so this takes one press. By email it takes the mailbox.
                try await scene.signInElsewhere()
                let thief = try scene.place.standIn(row.thief)
                thief.user = .init(subject: "666", email: "mallory@example.com")
                let pressed = try await scene.browser.pressAdd(
                    row.thief.testID, on: scene.browser.home(of: scene.deployment))
                guard !row.isProven else {
                    #expect(try pressed.location().path == "/sign-in/with/\(row.thief.testID)")
                    return
                }
                #expect(try pressed.location().path == "/sign-in")
                let page = try await scene.browser.follow(pressed)
                #expect(try page.page().form(with: "email") != nil)
                #expect(thief.requests(at: .token).isEmpty)
                // The owner gets on: a code by email, one button, and the provider is added.
                let confirm = try await scene.byEmail(on: page)
                #expect(confirm.address.path == "/identities/confirm")
                let added = try await scene.place.goOn(
                    row.thief, from: scene.browser.confirm(on: confirm), in: scene.browser)
                #expect(added.address.target == "/?added=\(row.thief.testID)")

            },
            { scene in
                // To remove one asks for the same.
                guard row.kind != nil, !row.isProven else { return }
                try await scene.signInElsewhere()
                let name = try await scene.browser.home(of: scene.deployment)
                let token = try name.page().form(to: "/sign-out")?["form_token"] ?? ""
                let pressed = try await scene.browser.post(
                    name.address.resolving("/identities/unlink"), [("form_token", token), ("identity", "any")])
                #expect(try pressed.location().path == "/sign-in")
            })
    }

    @Test(
        "a sign-in of which nothing is stored about that stays, and is proven if it was by email",
        arguments: ProofRow.all)
    func notStored(row: ProofRow) async throws {
        try await row.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let page = try await browser.get(deployment.origin + "/sign-in")
            _ = try await row.signIn(0, on: page, in: browser, place)
            let token = try await browser.get(deployment.authorize(place.client, state: "before"))
            for proven in ["true", "false"] {
                try await deployment.stored.sessions.replace(",\"isProven\":\(proven)", with: "")
            }
            #expect(try await deployment.stored.sessions.holding("isProven").count() == 0)
            try await deployment.stored.grants.forgetWhetherProven()

            let isProven = row.methodName.hasPrefix("email_")
            let redeemed = try await deployment.redeem(token, as: place.client)
            #expect((redeemed.authenticatedAt != nil) == isProven)
            #expect(try await browser.isSignedInOnHomePage(of: deployment), "nobody is signed out")
            let asked = try await browser.follow(
                browser.get(deployment.authorize(place.client, state: "after") + "&max_age=3600"))
            #expect(asked.text.contains("sst_") == isProven)
        }
    }
}
