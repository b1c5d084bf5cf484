import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A link makes an account open to an identity for good, so nobody but the user of the app may finish one, and no one but the
/// owner of the identity may begin it.
@Suite("The link of a provider from an app, under attack", .program)
struct AppIdentityAttackTests {
    /// Ann's app, and that of an attacker with an account of their own.
    struct Scene: Sendable {
        let providers: ProviderDeployment
        let ann, eve: LinkingApp

        var deployment: TestDeployment { providers.deployment }

        /// A code for Ann's app.
        func code(_ app: LinkingApp? = nil) async throws -> String {
            try await providers.park(app ?? ann, in: deployment.browser()).handoffCode()
        }
    }

    struct Attack: Sendable {
        let name, event, reason: String
        let status: Int
        let run: @Sendable (Scene) async throws -> Int

        init(
            _ name: String, _ event: String, _ reason: String, _ status: Int,
            _ run: @escaping @Sendable (Scene) async throws -> Int
        ) {
            (self.name, self.event, self.reason, self.status, self.run) = (name, event, reason, status, run)
        }

        static func ticket(
            _ name: String, _ reason: String, _ run: @escaping @Sendable (Scene) async throws -> Int
        ) -> Attack { Attack(name, "link_ticket_rejected", reason, 410, run) }

        static func code(
            _ name: String, _ reason: String, _ run: @escaping @Sendable (Scene) async throws -> Int
        ) -> Attack { Attack(name, "link_code_rejected", reason, 400, run) }
    }

    static let tickets: [Attack] = [
        .ticket("a ticket that was used", "used") { scene in
            let ticket = try await scene.ann.ticket("work")
            _ = try await scene.ann.begin(ticket, "work", in: scene.deployment.browser())
            return try await scene.ann.begin(ticket, "work", in: scene.deployment.browser()).status
        },
        .ticket("a ticket after 60 seconds", "expired") { scene in
            let ticket = try await scene.ann.ticket("work")
            scene.deployment.clock.advance(by: .seconds(60))
            return try await scene.ann.begin(ticket, "work", in: scene.deployment.browser()).status
        },
        .ticket("a page that was open for more than 60 seconds", "expired") { scene in
            let browser = scene.deployment.browser()
            let page = try await browser.get(scene.ann.start(scene.ann.ticket("work"), "work"))
            scene.deployment.clock.advance(by: .seconds(61))
            return try await browser.submit(page.page().form(to: "/auth/native/"), on: page).status
        },
        .ticket("a ticket for another provider", "wrong_provider") { scene in
            try await scene.ann.begin(scene.ann.ticket("google"), "work", in: scene.deployment.browser()).status
        },
        .ticket("a ticket at the start by email", "wrong_provider") { scene in
            try await scene.ann.begin(scene.ann.ticket("work"), "email", in: scene.deployment.browser()).status
        },
        .ticket("the form of a ticket, sent to another provider", "wrong_provider") { scene in
            let browser = scene.deployment.browser()
            let page = try await browser.get(scene.ann.start(scene.ann.ticket("google"), "google"))
            let fields = try page.page().form(to: "/auth/native/")?.filled([:]) ?? []
            let address = try WebAddress("\(scene.deployment.origin)/auth/native/work")
            let status = try await browser.post(address, fields).status
            // It is void now, also at the right provider.
            let late = try await browser.submit(page.page().form(to: "/auth/native/"), on: page)
            return late.status == 410 ? status : 0
        },
        .ticket("a ticket that a newer one has replaced", "unknown") { scene in
            let ticket = try await scene.ann.ticket("work")
            _ = try await scene.ann.ticket("work")
            return try await scene.ann.begin(ticket, "work", in: scene.deployment.browser()).status
        },
        .ticket("an invented ticket", "unknown") { scene in
            let ticket = "slt_" + (try CodeChallenge.makeVerifier())
            return try await scene.ann.begin(ticket, "work", in: scene.deployment.browser()).status
        },
        .ticket("an access token as ticket", "malformed") { scene in
            try await scene.ann.begin(scene.ann.native.token ?? "", "work", in: scene.deployment.browser()).status
        },
        .ticket("an empty ticket", "malformed") { scene in
            try await scene.ann.begin("", "work", in: scene.deployment.browser()).status
        },
        .ticket("two tickets", "malformed") { scene in
            let address = try await scene.ann.start(scene.ann.ticket("work"), "work")
            return try await scene.deployment.browser().get(address + "&ticket=x").status
        },
        .ticket("a ticket whose app has signed out", "signed_out") { scene in
            let app = try await scene.providers.linkingApp(as: "sue@example.com")
            let ticket = try await app.ticket("work")
            _ = try await app.native.authorized("DELETE", "/session")
            return try await app.begin(ticket, "work", in: scene.deployment.browser()).status
        },
        Attack("a ticket without a challenge", "handoff_refused", "challenge_missing", 302) { scene in
            let ticket = try await scene.ann.ticket("work")
            let fields = [("redirect", HandoffApp.redirect), ("ticket", ticket)]
            return try await scene.deployment.browser().get(
                HandoffApp.start(scene.deployment.origin, fields, with: "work")
            ).status
        },
        Attack("the form without its token", "handoff_refused", "stale_form", 403) { scene in
            let fields = try await scene.ann.handoff.fields + [("ticket", scene.ann.ticket("work"))]
            let address = try WebAddress("\(scene.deployment.origin)/auth/native/work")
            return try await scene.deployment.browser().post(address, fields).status
        },
    ]

    static let codes: [Attack] = [
        .code("a stolen code without the verifier", "wrong_verifier") { scene in
            try await scene.ann.finish(scene.code(), verifier: CodeChallenge.makeVerifier()).status
        },
        .code("a code after the theft: it has ended", "used") { scene in
            let code = try await scene.code()
            _ = try await scene.ann.finish(code, verifier: CodeChallenge.makeVerifier())
            return try await scene.ann.finish(code).status
        },
        .code("code and verifier with another user's access token", "other_app") { scene in
            try await scene.ann.finish(scene.code(), as: scene.eve.native).status
        },
        .code("code and verifier in another app of the same user", "other_app") { scene in
            let other = try await scene.providers.linkingApp()
            return try await scene.ann.finish(scene.code(), as: other.native).status
        },
        .code("a code after 60 seconds", "expired") { scene in
            let code = try await scene.code()
            scene.deployment.clock.advance(by: .seconds(60))
            return try await scene.ann.finish(code).status
        },
        .code("an invented code", "unknown") { scene in
            try await scene.ann.finish("shc_" + CodeChallenge.makeVerifier()).status
        },
        .code("a ticket as code", "malformed") { scene in
            try await scene.ann.finish(scene.ann.ticket("work")).status
        },
        .code("the code of a sign-in", "unknown") { scene in
            let page = try await scene.deployment.handOff(
                scene.ann.handoff, in: scene.deployment.browser(), as: "kim@example.com")
            return try await scene.ann.finish(page.handoffCode()).status
        },
        Attack("the code of a link for a sign-in", "handoff_code_rejected", "unknown", 400) { scene in
            let webView = scene.deployment.webView()
            let status = try await scene.ann.handoff.present(scene.code(), in: webView).status
            let isSignedIn = try await webView.isSignedInOnHomePage(of: scene.deployment)
            return isSignedIn ? 0 : status
        },
        Attack("an identity of another account", "link_code_rejected", "linked_elsewhere", 409) { scene in
            let standIn = try scene.providers.standIn(.oidc)
            let before = standIn.user
            defer { standIn.user = before }
            standIn.user = .init(subject: "of-zoe", email: "zoe@example.com")
            _ = try await scene.providers.signIn(.oidc, in: scene.deployment.browser())
            return try await scene.ann.finish(scene.code()).status
        },
    ]

    @Test("no attack links anything, each leaves a line in the log, and the app's own code works at the end")
    func table() async throws {
        try await ProviderDeployment.open([.oidc, .google], settings: HandoffApp.settings) { providers in
            for attack in Self.tickets + Self.codes {
                let deployment = providers.deployment
                // Every row signs in again: a ticket needs a fresh sign-in, and an address gets few emails.
                deployment.clock.advance(by: .days(1))
                let scene = Scene(
                    providers: providers, ann: try await providers.linkingApp(),
                    eve: try await providers.linkingApp(as: "eve@example.com"))
                let before = deployment.events(attack.event, reason: attack.reason)
                let status = try await attack.run(scene)
                #expect(status == attack.status, "\(attack.name)")
                #expect(deployment.events(attack.event, reason: attack.reason) == before + 1, "\(attack.name)")
                for app in [scene.ann, scene.eve] {
                    #expect(try await app.providers() == ["email"], "\(attack.name)")
                }
                #expect(deployment.events("identity_linked") == 0, "\(attack.name)")
            }
            providers.deployment.clock.advance(by: .days(1))
            let app = try await providers.linkingApp()
            let code = try await providers.park(app, in: providers.deployment.browser()).handoffCode()
            #expect(try await app.finish(code).status == 201)
            #expect(try await app.providers() == ["email", "work"])
            #expect(!providers.deployment.log.contains("slt_") && !providers.deployment.log.contains("shc_"))
        }
    }

    @Test("a URL with a ticket that another user opens, who presses the button: their identity is linked to nothing")
    func sentURL() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let eve = try await providers.linkingApp(as: "eve@example.com")
            let victim = try await deployment.signedIn(as: "ann@example.com")
            let victimsApp = try await providers.linkingApp(as: "ann@example.com")
            let ticket = try await eve.ticket("work")
            let page = try await victim.get(eve.start(ticket, "work"))
            #expect(page.text.contains("@example.com") && page.text.contains("if this is your account"))
            let end = try await providers.arrive(eve.begin(ticket, "work", in: victim), in: victim)
            // The code goes to the app on the victim's device, which has neither verifier nor ticket. Eve has no code.
            let code = try end.handoffCode()
            #expect(try await victimsApp.finish(code).status == 400)
            #expect(try await eve.finish(code).status == 400, "and it has ended")
            #expect(deployment.events("link_code_rejected", reason: "wrong_verifier") == 1)
            #expect(try await eve.providers() == ["email"])
            #expect(try await victimsApp.providers() == ["email"])
            #expect(try await victim.get(deployment.origin + "/").text.contains("ann@example.com"))
        }
    }

    @Test("an app that is signed out between the browser and the code links nothing, and a later sign-in neither")
    func signedOut() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let app = try await providers.linkingApp()
            let code = try await providers.park(app, in: providers.deployment.browser()).handoffCode()
            let token = app.native.token
            #expect(try await app.native.authorized("DELETE", "/session").status == 204)
            app.native.token = token
            #expect(try await app.finish(code).status == 401)
            let again = try await providers.linkingApp()
            #expect(try await app.finish(code, as: again.native).status == 400)
            #expect(providers.deployment.events("link_code_rejected", reason: "other_app") == 1)
            #expect(try await again.providers() == ["email"])
        }
    }

    @Test("of two requests with one code, and of two buttons with one ticket, one is carried out")
    func atOnce() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let app = try await providers.linkingApp()
            let ticket = try await app.ticket("work")
            let browsers = [deployment.browser(), deployment.browser()]
            var pages: [Visit] = []
            for browser in browsers { pages.append(try await browser.get(app.start(ticket, "work"))) }
            let forms = pages
            async let first = browsers[0].submit(forms[0].page().form(to: "/auth/native/"), on: forms[0])
            async let second = browsers[1].submit(forms[1].page().form(to: "/auth/native/"), on: forms[1])
            let begun = try await [first.status, second.status]
            #expect(begun.sorted() == [303, 410])

            let code = try await providers.park(app, in: deployment.browser()).handoffCode()
            async let one = app.finish(code)
            async let other = app.finish(code)
            let finished = try await [one.status, other.status]
            #expect(finished.sorted() == [201, 400])
            #expect(deployment.events("identity_linked") == 1)
            #expect(deployment.events("link_code_rejected", reason: "used") == 1)
        }
    }
}
