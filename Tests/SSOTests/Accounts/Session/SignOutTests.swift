import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Signing out", .program, .alsoOnPostgres)
struct SignOutTests {
    /// ASVS 7.4.1.
    @Test("the session is deleted on the server, the cookie in the browser, and a copy of the cookie does not work")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let attacker = browser.twin()
            let out = try await Self.signOut(browser, of: deployment)
            #expect(out.status == 303)
            #expect(out.reply.header("location") == "/signed-out")
            #expect(out.reply.header("set-cookie")?.contains("idp_session=;") == true)
            #expect(out.reply.header("set-cookie")?.contains("Max-Age=0") == true)
            #expect(browser.session == nil)
            #expect(try await deployment.stored.sessions.signedIn.count() == 0)
            #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
            #expect(try await attacker.get(deployment.authorize(deployment.client, state: "x")).status == 303)
        }
    }

    @Test("an unredeemed token is void, and an earlier one does not become valid by signing in again")
    func tokens() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            // Without a code challenge: only the sign-out prevents its use.
            let token = try await browser.token(for: deployment.client, of: deployment)
            _ = try await Self.signOut(browser, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            deployment.clock.advance(by: .seconds(60))
            let again = try await deployment.asking(by: browser)
            try await again.guess(again.code)
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            let fresh = try await browser.token(for: deployment.client, of: deployment, state: "fresh")
            #expect(try await deployment.verify(fresh, as: deployment.client).status == 200)
        }
    }

    @Test("only a POST signs out", .oneDeployment, arguments: ["GET", "HEAD", "PUT", "DELETE"])
    func method(method: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = try await deployment.signedIn(as: deployment.newAddress())
        let reply = try await browser.send(method, try WebAddress(deployment.origin + "/sign-out"))
        #expect(reply.status == 405)
        #expect(reply.reply.header("allow") == "POST")
        #expect(try await browser.isSignedInOnHomePage(of: deployment))
    }

    @Test("signing out again leads to the same page")
    func twice() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let home = try await browser.get(deployment.origin + "/")
            for _ in 0..<2 {
                #expect(try await browser.submit(home.page().form(to: "/sign-out"), on: home).status == 303)
            }
        }
    }

    @Test("another browser of the same user stays signed in")
    func otherBrowser() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking()
            try await first.guess(first.code)
            deployment.clock.advance(by: .seconds(60))
            let second = try await deployment.asking()
            try await second.guess(second.code)
            _ = try await Self.signOut(first.browser, of: deployment)
            #expect(try await second.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    private static func signOut(_ browser: Browser, of deployment: TestDeployment) async throws -> Visit {
        let home = try await browser.get(deployment.origin + "/")
        return try await browser.submit(home.page().form(to: "/sign-out"), on: home)
    }
}
