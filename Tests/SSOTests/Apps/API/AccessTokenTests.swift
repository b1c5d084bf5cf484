import ProbeKit
import SSOShared
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Access tokens", .program, .alsoOnPostgres)
struct AccessTokenTests {
    @Test("only a token's hash is stored, and no token is in the log")
    func stored() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let token = try #require(app.token)
            #expect(AccessToken(wire: token) != nil && "\(AccessToken(wire: token) as Any)".contains("redacted"))
            let digest = SHA256.hash(Array(token.utf8))
            let rows = try await deployment.stored.accessTokens.all()
            #expect(
                rows.count == 1 && rows[0].digest == digest && rows[0].device == "iPhone"
                    && rows[0].methods == "email_code")
            _ = try await app.authorized("GET", "/me")
            #expect(!deployment.log.contains(token) && !deployment.log.contains(String(token.dropFirst(4))))
        }
    }

    @Test("one that is used lives on, one that is not used for 90 days is dead and purged")
    func rolling() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            for _ in 0..<5 {
                deployment.clock.advance(by: .days(89))
                #expect(try await app.authorized("GET", "/me").status == 200)
            }
            deployment.clock.advance(by: .days(91))
            let refused = try await app.authorized("GET", "/me")
            #expect(refused.status == 401 && refused.apiError == "invalid_token")
            let store = AccessTokenStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                eligibility: SignInEligibility(
                    allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock))
            _ = try await store.purge(limit: 10)
            #expect(try await deployment.rows(of: "access_token") == 0)
        }
    }

    @Test("a use is noted at most once per minute")
    func touch() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let issued = try #require(try await deployment.stored.accessTokens.lastUsed())
            deployment.clock.advance(by: .seconds(59))
            _ = try await app.authorized("GET", "/session/check")
            #expect(try await deployment.stored.accessTokens.lastUsed() == issued)
            deployment.clock.advance(by: .seconds(1))
            _ = try await app.authorized("GET", "/session/check")
            #expect(try await deployment.stored.accessTokens.lastUsed() == issued + .seconds(60))
        }
    }

    @Test("disabled, signed out by the operator, or no longer allowed: dead at once, and enabling revives none")
    func revoked() async throws {
        try await TestDeployment.open { deployment in
            let changes: [any OperatorChange] = [SignOutUser("ann@example.com"), DisableUser("ann@example.com")]
            for change in changes {
                let app = try await deployment.signedInApp()
                try await deployment.isChanged(by: change)
                _ = try await deployment.change(EnableUser("ann@example.com"))
                #expect(try await app.authorized("GET", "/me").status == 401)
                #expect(try await !deployment.webView(of: app).isSignedInOnHomePage(of: deployment))
            }
            let app = try await deployment.signedInApp()
            try await deployment.stored.accounts.endSignIns()
            #expect(try await app.authorized("GET", "/me").status == 401, "also while the row is there")
            let other = try await deployment.signedInApp()
            try await deployment.stored.accounts.setAddress("ann@nowhere.org")
            #expect(try await other.authorized("GET", "/me").status == 401)
        }
    }

    @Test("signing the app out ends token and session, by the token as well as in the web view")
    func signOut() async throws {
        try await TestDeployment.open { deployment in
            let byToken = try await deployment.signedInApp()
            let ended = try await byToken.authorized("DELETE", "/session")
            #expect(ended.status == 204 && ended.all("set-cookie").isEmpty)
            #expect(try await byToken.authorized("GET", "/me").status == 401)
            #expect(try await !deployment.webView(of: byToken).isSignedInOnHomePage(of: deployment))

            let byCookie = try await deployment.signedInApp()
            let view = deployment.webView(of: byCookie)
            let cookieEnded = try await byCookie.send("DELETE", "/session")
            #expect(cookieEnded.status == 204 && byCookie.cookies["idp_session"] == nil)
            #expect(try await byCookie.authorized("GET", "/me").status == 401)
            #expect(try await !view.isSignedInOnHomePage(of: deployment))

            let inView = try await deployment.signedInApp()
            try await deployment.webView(of: inView).signOut(of: deployment)
            #expect(try await inView.authorized("GET", "/me").status == 401)
        }
    }

    @Test("signing in again in the same app ends its earlier token")
    func again() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let first = try #require(app.token)
            _ = try await deployment.signedInApp(by: app)
            #expect(try await app.send("GET", "/me", token: first).status == 401)
            #expect(try await app.authorized("GET", "/me").status == 200)
            #expect(try await deployment.stored.sessions.ofApps.count() == 1)
        }
    }

    @Test("a sign-in in the web view keeps the token of the same account, and ends that of another one")
    func webViewSignsInAgain() async throws {
        for (address, status) in [("ann@example.com", 200), ("bob@example.com", 401)] {
            try await TestDeployment.open { deployment in
                let app = try await deployment.signedInApp()
                let view = deployment.webView(of: app)
                let choice = try await view.get(
                    deployment.authorize(deployment.client, state: "again") + "&prompt=login")
                try await deployment.forgetEmails(to: address)
                let earlier = deployment.mailbox.all(to: address)
                let start = try await view.click(choice.page().link(containing: "/sign-in"), on: choice)
                let waiting = try await view.ask(for: address, on: start)
                let code = try await deployment.mailbox.code(to: address, besides: earlier)
                let done = try await view.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
                #expect(done.status == 303)
                #expect(try await app.authorized("GET", "/me").status == status)
            }
        }
    }

    @Test("a handoff into the web view keeps the token of the same account, and ends that of another one")
    func handoff() async throws {
        for (address, status) in [("ann@example.com", 200), ("bob@example.com", 401)] {
            try await TestDeployment.withApps { deployment in
                let app = try await deployment.signedInApp()
                try await deployment.forgetEmails(to: address)
                let handoff = try deployment.app()
                let page = try await deployment.handOff(handoff, in: deployment.browser(), as: address)
                let done = try await handoff.present(page.handoffCode(), in: deployment.webView(of: app))
                #expect(done.status == 303)
                #expect(try await app.authorized("GET", "/me").status == status)
            }
        }
    }

    @Test("no other secret passes for one", arguments: ["sst_", "shc_", "SAT_", "sat", ""])
    func kinds(prefix: String) async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let random = try #require(app.token).dropFirst(4)
            #expect(try await app.send("GET", "/me", token: prefix + random).apiError == "invalid_token")
            #expect(try await app.send("GET", "/me", token: app.cookies["idp_session"] ?? "").status == 401)
            #expect(try await deployment.verify(try #require(app.token), as: deployment.client).status == 401)
            app.setCookie("idp_session", to: String(random))
            #expect(try await app.send("GET", "/session").status == 401)
        }
    }

    @Test("while the storage fails the answer is 503, never a verdict about the token")
    func storage() async throws {
        let outage = Outage()
        try await TestDeployment.open(wrapping: { outage.wrapping($0) }) { deployment in
            let app = try await deployment.signedInApp()
            outage.isOn = true
            for path in ["/me", "/session", "/session/check", "/devices"] {
                let reply = try await app.authorized("GET", path)
                #expect(reply.status == 503 && reply.apiError == "temporarily_unavailable", "\(path)")
                #expect(reply.header("retry-after") != nil && reply.header("www-authenticate") == nil)
            }
            outage.isOn = false
            #expect(try await app.authorized("GET", "/me").status == 200)
        }
    }
}
