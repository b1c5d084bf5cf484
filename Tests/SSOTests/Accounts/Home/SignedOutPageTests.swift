import SSOShared
import SSOWeb
import Testing

@testable import IdPAccountPages
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The page after a sign-out", .program)
struct SignedOutPageTests {
    private static func signOut(_ browser: Browser, of deployment: TestDeployment) async throws -> Visit {
        let home = try await browser.get(deployment.origin + "/")
        return try await browser.submit(home.page().form(to: "/sign-out"), on: home)
    }

    /// The clients' start pages on the page that anyone gets with this query.
    private static func starts(_ deployment: TestDeployment, _ query: String) async throws -> [String] {
        let page = try await deployment.browser().get("\(deployment.origin)/signed-out?\(query)")
        #expect(page.status == 200 && page.reply.all("set-cookie") == [])
        return try page.page().links.filter { $0.hasPrefix("http") }
    }

    @Test("it names the clients that have redeemed a token of the session, the latest first, with links")
    func clients() async throws {
        try await TestDeployment.open(clients: 3) { deployment in
            let browser = try await deployment.signedIn()
            for client in deployment.clients[...1] {
                deployment.clock.advance(by: .seconds(1))
                let token = try await browser.token(for: client, of: deployment)
                #expect(try await deployment.verify(token, as: client).status == 200)
            }
            _ = try await browser.token(for: deployment.clients[2], of: deployment)
            let out = try await Self.signOut(browser, of: deployment)
            #expect(out.status == 303)
            let page = try await browser.follow(out)
            #expect(page.text.contains("You have signed out of <bdi>Main App</bdi>"))
            #expect(page.text.contains("You may still be signed in"))
            #expect(page.text.contains("Partner number 1") && !page.text.contains("Partner number 3"))
            let starts = [1, 0].map { deployment.clients[$0].origin + "/" }
            #expect(try page.page().links == ["/"] + starts + ["/sign-in"])
            let german = try await browser.get(page.address, [("Accept-Language", "de")])
            #expect(german.text.contains("Sie haben sich bei <bdi>Main App</bdi> abgemeldet"))
            #expect(german.text.contains("vielleicht noch angemeldet"))
        }
    }

    @Test("without such clients it says only that the user has signed out")
    func none() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let page = try await browser.follow(Self.signOut(browser, of: deployment))
            #expect(page.status == 200 && page.address.target == "/signed-out")
            #expect(page.text.contains("You have signed out of <bdi>Main App</bdi>"))
            #expect(!page.text.contains("You may still be signed in"))
            #expect(try page.page().links == ["/", "/sign-in"])
        }
    }

    @Test("an address that was not made here names no client: nobody can ask what a session has entered")
    func forged() async throws {
        let secret = TestSecret.new()
        try await TestDeployment.open(settings: ["IDP_SECRET_KEY": secret]) { deployment in
            func sealed(_ text: String, _ key: String, _ label: String) throws -> String {
                let box = SealedBox(keys: try DerivedKeys.parse(key, setting: "IDP_SECRET_KEY"), label: label)
                return "from=" + Base64URL.encode(try box.seal(Array(text.utf8)))
            }
            let browser = try await deployment.furtherBrowser()
            let handle = try await deployment.enter(deployment.client, in: browser).session.id
            _ = try await browser.signOut(of: deployment)
            let now = deployment.clock.now.milliseconds
            let right = try sealed("\(handle) \(now)", secret, SignOutRoutes.label)
            let known = try await Self.starts(deployment, right)
            #expect(known == [deployment.client.origin + "/"])
            for query in [
                "", "from=", "from=\(handle)", "from=https://evil.example", "\(right)&\(right)", "from[]=c1",
                "from=%ff",
                try sealed("\(handle) \(now)", TestSecret.new(), SignOutRoutes.label),
                try sealed("\(handle) \(now)", secret, "device-link"),
                try sealed("ses_none \(now)", secret, SignOutRoutes.label),
                try sealed(handle, secret, SignOutRoutes.label), try sealed("\(handle) x", secret, SignOutRoutes.label),
                try sealed("\(handle) \(now + 3_600_000)", secret, SignOutRoutes.label),
                String(right.dropLast(2)),
            ] {
                let none = try await Self.starts(deployment, query)
                #expect(none == [], "\(query)")
            }
        }
    }

    @Test("its address lists the clients for ten minutes, and nothing to the next user of the computer")
    func tenMinutes() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.furtherBrowser()
            _ = try await deployment.enter(deployment.client, in: browser)
            let page = try #require(try await Self.signOut(browser, of: deployment).reply.header("location"))
            let query = String(page.drop { $0 != "?" }.dropFirst())
            deployment.clock.advance(by: .minutes(10) - .seconds(1))
            #expect(try await Self.starts(deployment, query) == [deployment.client.origin + "/"])
            deployment.clock.advance(by: .seconds(1))
            #expect(try await Self.starts(deployment, query) == [])
        }
    }

    @Test("a user who is signed in gets the home page instead")
    func signedIn() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let visit = try await browser.get(deployment.origin + "/signed-out?from=partner-1")
            #expect(visit.status == 303 && visit.reply.header("location") == "/")
        }
    }
}
