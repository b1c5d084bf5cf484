import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// A redirect would hide from an app that the session has ended.
@Suite("Where a native shell has to sign in first", .program)
struct SignInRequiredTests {
    static let userAgents = [
        Browser.shellUserAgent, "My App; Hotwire Native Android; Turbo Native Android; Mozilla/5.0 (Linux; Android 16)",
        "Turbo Native iOS",
    ]

    /// The link of a page with status 401.
    private static func link(of visit: Visit) throws -> String {
        #expect(visit.status == 401)
        #expect(visit.reply.header("location") == nil)
        #expect(visit.reply.header("content-type") == "text/html; charset=utf-8")
        #expect(visit.reply.header("cache-control") == "no-store")
        let links = try visit.page().links.filter { $0 != "/" }
        #expect(links.count == 1, "one way to go on")
        return links.first ?? ""
    }

    @Test(
        "authorize answers 401, its link leads to the sign-in, and the flow that waited goes on", arguments: userAgents)
    func authorize(userAgent: String) async throws {
        try await TestDeployment.open { deployment in
            let shell = deployment.browser(userAgent: userAgent)
            let asked = deployment.authorize(deployment.client, state: "of-the-app")
            let refused = try await shell.get(asked)
            let link = try Self.link(of: refused)
            #expect(link.hasPrefix("/sign-in?flow="))
            #expect(try await deployment.stored.sessions.holding("of-the-app").count() == 1)

            let form = try await shell.click(link, on: refused)
            let waiting = try await shell.ask(for: "ann@example.com", on: form)
            let complete = try await shell.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try complete.callback().query("state") == "of-the-app")
            // The app asks again for what was refused.
            #expect(try await shell.get(asked).status == 200)
        }
    }

    @Test("complete and the choice of an account answer 401 with the link of the same flow")
    func otherPages() async throws {
        try await TestDeployment.open { deployment in
            let shell = deployment.browser(userAgent: Browser.shellUserAgent)
            let refused = try await shell.get(deployment.authorize(deployment.client, state: "s"))
            let link = try Self.link(of: refused)
            let flow = try #require(try refused.address.resolving(link).query("flow"))
            for path in [SSOPath.complete, "/sign-in/account"] {
                let visit = try await shell.get("\(deployment.origin)\(path)?flow=\(flow)")
                #expect(try Self.link(of: visit) == link, "\(path)")
                // The same page in a browser.
                let browser = shell.twin(userAgent: Browser.browserUserAgent)
                let redirect = try await browser.get("\(deployment.origin)\(path)?flow=\(flow)")
                #expect(redirect.status == 303)
                #expect(redirect.reply.header("location") == link)
            }
        }
    }

    @Test("a session that ended means 401 again, and a client that asks for no question still gets its answer")
    func ended() async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            let asked = deployment.authorize(deployment.client, state: "s")
            #expect(try await shell.get(asked).status == 200)
            try await deployment.stored.accounts.endSignIns()
            _ = try Self.link(of: try await shell.get(asked))
            let silent = try await shell.get(asked + "&prompt=none")
            #expect(silent.status == 302)
            #expect(try silent.location().query("error") == "login_required")
        }
    }

    @Test(
        "a browser is redirected as before, whatever else its user agent says",
        .oneDeployment, arguments: ["", "hotwire native", "HotwireNative", "Native"])
    func browsers(userAgent: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser(userAgent: userAgent)
        let asked = try await browser.get(deployment.authorize(deployment.client, state: "s"))
        #expect(asked.status == 303)
        #expect(try asked.location().path == "/sign-in")
        let account = try await browser.get(deployment.client.origin + "/account")
        #expect(account.status == 303)
        #expect(try account.location().path == SSOPath.start)
    }

    @Test("a program gets 401 as JSON and keeps the flow by its cookie", .oneDeployment, arguments: userAgents)
    func json(userAgent: String) async throws {
        let deployment = try TestDeployment.shared()
        let asked = try WebAddress(deployment.authorize(deployment.client, state: "s")).target
        let headers = [("User-Agent", userAgent), ("Accept", "application/json")]
        for reply in [
            try await deployment.probe().get(asked, headers),
            try await deployment.clientProbe().get("/account", headers),
        ] {
            #expect(reply.status == 401)
            #expect(reply.header("content-type") == "application/json")
            let body = try JSONDecoding.value(reply.body)
            #expect(body["error"] == "unauthenticated")
            #expect(body["error_description"]?.text?.isEmpty == false)
        }
        let reply = try await deployment.probe().get(asked, headers)
        #expect(reply.all("set-cookie").count == 1)
        #expect(reply.header("set-cookie")?.hasPrefix("idp_session=") == true)
    }

    @Test(
        "the relying party's page for signed-in users answers 401, and its link starts the sign-in that leads back there",
        arguments: userAgents)
    func relyingParty(userAgent: String) async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let shell = deployment.browser(userAgent: userAgent)
            let refused = try await shell.get(deployment.client.origin + "/account?part=2")
            let link = try Self.link(of: refused)
            #expect(link == "/auth/sso/start?return_to=/account%3Fpart%3D2")
            let state = try await shell.click(link, on: refused).location().query("state")
            let back = try await shell.comeBack(to: deployment.client, state: try #require(state))
            #expect(back.reply.header("location") == "/account?part=2")
            #expect(try await shell.get(deployment.client.origin + "/account?part=2").status == 200)
        }
    }
}

extension TestDeployment {
    /// The web view of an app that is signed in at the IdP.
    func signedInShell(as address: String = "ann@example.com") async throws -> Browser {
        let asking = try await asking(address, by: browser(userAgent: Browser.shellUserAgent))
        guard try await asking.guess(asking.code).status == 303 else { throw ProbeFailure("not signed in") }
        return asking.browser
    }
}
