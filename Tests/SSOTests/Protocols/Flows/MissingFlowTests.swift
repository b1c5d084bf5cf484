import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A sign-in page whose flow is not in this browser, or has ended: a whole sign-in would lead nowhere.
@Suite("Flows that are not here", .program)
struct MissingFlowTests {
    /// Whether the page asks for no address and leads to the client.
    private static func check(_ visit: Visit, _ status: Int, _ client: TestDeployment.Client, _ comment: Comment) throws
    {
        #expect(visit.status == status, comment)
        let page = try visit.page()
        #expect(page.form(with: "email") == nil, comment)
        #expect(page.links.contains(client.origin + "/"), comment)
    }

    @Test(
        "the page says so before the user types an address, and leads back to the client of any protocol",
        arguments: TestedProtocol.allCases)
    func otherBrowser(asking: TestedProtocol) async throws {
        try await TestDeployment.withEveryMethod(clients: 2) { deployment in
            let client = deployment.clients[1]
            let address = try await deployment.browser().get(asking.ask(client, mark: "m", of: deployment)).location()
            let flow = try #require(address.query("flow"))
            for path in ["/sign-in", "/sign-in/account", "/sign-in/cancel", "/sign-in/code", asking.resumePath] {
                let browser = deployment.browser()
                let visit = try await browser.follow(browser.get("\(deployment.origin)\(path)?flow=\(flow)"))
                try Self.check(visit, 404, client, "\(path)")
            }
            // Also where another user is signed in.
            let ben = try await deployment.signedIn(as: "ben@example.com")
            try Self.check(try await ben.follow(ben.get(address)), 404, client, "signed in")
        }
    }

    @Test("a changed value names nobody, and one without a flow is the usual page")
    func changed() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let visit = try await browser.get(TestedProtocol.oidc.ask(deployment.client, mark: "m", of: deployment))
            let flow = try #require(try visit.location().query("flow"))
            let first = flow.hasPrefix("A") ? "B" : "A"
            for value in [first + flow.dropFirst(), String(flow.dropLast()), flow + "x", "https://evil.example/"] {
                let page = try await deployment.browser().get(
                    deployment.origin + "/sign-in?" + FormCoding.encode([("flow", value)]))
                #expect(page.status == 404, "\(value)")
                #expect(try page.page().links.allSatisfy { !$0.contains("//") }, "\(value)")
                #expect(try page.page().form(with: "email") == nil)
            }
            for query in ["", "?flow=", "?flow=\(flow)"] {
                let page = try await browser.get(deployment.origin + "/sign-in" + query)
                #expect(try page.status == 200 && page.page().form(with: "email") != nil, "\(query)")
            }
        }
    }

    @Test("after the user has given up, and after ten minutes, the page leads back to the client")
    func ended() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            for isCancelled in [true, false] {
                let visit = try await browser.get(
                    TestedProtocol.oidc.ask(deployment.client, mark: "\(isCancelled)", of: deployment))
                let address = try visit.location()
                let flow = try #require(address.query("flow").flatMap(FlowID.init))
                if isCancelled {
                    _ = try await browser.get(deployment.origin + flow.cancel)
                } else {
                    deployment.clock.advance(by: .minutes(11))
                }
                try Self.check(try await browser.get(address), 410, deployment.client, "cancelled \(isCancelled)")
            }
        }
    }

    @Test(
        "a form that was open for longer than the flow lasts says so at the first post, by email and with a provider",
        arguments: TestedProtocol.allCases)
    func openForm(asking: TestedProtocol) async throws {
        try await TestDeployment.withEveryMethod(.openID, clients: 2) { deployment in
            let (client, browser) = (deployment.clients[1], deployment.browser())
            let page = try await browser.follow(browser.get(asking.ask(client, mark: "m", of: deployment)))
            let email = try page.page().form(with: "email")
            let provider = try page.page().form(to: "/sign-in/with/\(Provider.Kind.oidc.testID)")
            deployment.clock.advance(by: .minutes(10))
            let typed = try await browser.submit(email, on: page, ["email": "ann@example.com"])
            try Self.check(typed, 410, client, "email")
            try Self.check(try await browser.submit(provider, on: page), 410, client, "provider")
            #expect(try await deployment.rows(of: "challenge") == 0)
            #expect(try await deployment.rows(of: "provider_attempt") == 0)
        }
    }

    @Test(
        "an answer of a provider that arrives without our cookie leads back to the client, and the browser that asked goes on",
        arguments: [TestedMethod.openID, .apple, .gitHub])
    func answerElsewhere(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method, clients: 2) { deployment in
            let client = deployment.clients[1]
            let standIn = try deployment.standIn(try #require(method.provider))
            standIn.user.email = OneClickMethod.address
            let ben = try await deployment.signedIn(as: "ben@example.com")
            for asking in TestedProtocol.allCases {
                let browser = deployment.browser()
                let page = try await browser.follow(
                    browser.get(asking.ask(client, mark: "\(asking)", of: deployment)))
                let answer = try await standIn.visit(from: page, in: browser)
                // The form of a provider is parked first, and the browser comes for it.
                let arrival =
                    answer.isFormPost
                    ? try await browser.postFromOtherSite(answer).location() : try WebAddress(answer.address)
                for other in [deployment.browser(), ben] {
                    try Self.check(try await other.get(arrival), 400, client, "\(asking)")
                }
                _ = try await browser.follow(browser.get(arrival))
                #expect(try await browser.isSignedInOnHomePage(of: deployment), "\(asking)")
                // The attempt is over, and so is its answer for everybody else.
                try Self.check(try await deployment.browser().get(arrival), 400, client, "\(asking), used")
            }
        }
    }

    @Test("an answer elsewhere to a sign-in that no client asked for leads to the sign-in page")
    func answerWithoutClient() async throws {
        try await TestDeployment.withEveryMethod(.openID) { deployment in
            let browser = deployment.browser()
            let answer = try await deployment.standIn(.oidc).visit(
                from: browser.get(deployment.origin + "/sign-in"), in: browser)
            let visit = try await deployment.browser().bring(answer)
            #expect(visit.status == 400)
            #expect(try visit.page().links == ["/", "/sign-in"])
        }
    }

    @Test("the id of a client's flow names its client to the holder of the key alone, and a rotated key still reads it")
    func ids() async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            let clients = ClientDirectory(
                ClientSource(deployment.idp.clients.clients), logger: deployment.log.logger("idp"))
            func made(_ keys: String) throws -> FlowClients {
                FlowClients(keys: try .parse(keys, setting: "IDP_SECRET_KEY"), clients: clients)
            }
            let (old, new) = (TestSecret.new(), TestSecret.new())
            let ids = try (1...2).map { try made(old).newID(of: "partner-\($0)", SystemRandomness()) }
            for (number, id) in ids.enumerated() {
                #expect(FlowID(id.text) == id)
                for keys in [old, "\(new),\(old)"] {
                    #expect(try made(keys).client(of: id)?.id == "partner-\(number + 1)")
                }
                #expect(try made(new).client(of: id) == nil)
            }
            #expect(try made(old).client(of: FlowID(randomness: SystemRandomness())) == nil)
            #expect(try made(old).client(of: nil) == nil)
        }
    }
}
