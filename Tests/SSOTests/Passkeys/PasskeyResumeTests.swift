import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What a request has asked for holds for everything that comes back to it.
@Suite("The strength of a flow that has ended", .program)
struct PasskeyResumeTests {
    private static func open(_ body: (TestDeployment) async throws -> Void) async throws {
        try await TestDeployment.open(
            clientKeys: TestedProtocol.clientKeys, adding: TicketProtocol.added, body)
    }

    private static func ask(_ asking: TestedProtocol, of deployment: TestDeployment) -> String {
        asking.ask(deployment.client, mark: "kept", of: deployment) + "&acr_values=phr"
    }

    /// Enters the client with a passkey.
    ///
    /// - Returns: the page that goes on to it.
    private static func enter(
        _ asking: TestedProtocol, _ browser: Browser, _ deployment: TestDeployment
    ) async throws -> Visit {
        let authenticator = try await deployment.givePasskey(to: "ann@example.com")
        let page = try await browser.follow(browser.get(ask(asking, of: deployment)))
        return try await browser.follow(browser.usePasskey(authenticator, on: page))
    }

    @Test(
        "after a new sign-in by email, Back to the request and the link to another account ask for the passkey again",
        arguments: [TestedProtocol.sso, .oidc])
    func back(asking: TestedProtocol) async throws {
        try await Self.open { deployment in
            let browser = deployment.browser()
            let complete = try await Self.enter(asking, browser, deployment)
            let other = try #require(try complete.page().link(containing: "select_account"))
            try await browser.signOut(of: deployment)
            _ = try await deployment.enterCode(deployment.signInPage(browser), in: browser, as: "ann@example.com")
            for address in [complete.address.absolute, try complete.address.resolving(other).absolute] {
                let page = try await browser.follow(browser.get(address))
                #expect(page.address.path != complete.address.path, "\(address)")
                #expect(try page.page().form(with: "email") == nil, "an email would not do: \(page.text)")
            }
            #expect(try await deployment.stored.grants.strength("any").count() == 0)
        }
    }

    @Test("a completed request without what it asked for needs it all the same, in the session that has completed it")
    func removed() async throws {
        try await Self.open { deployment in
            let browser = deployment.browser()
            _ = try await Self.enter(.sso, browser, deployment)
            // What the browser has completed survives a new sign-in, also a weaker one.
            let again = TestedProtocol.sso.ask(deployment.client, mark: "new", .newSignIn, of: deployment)
            let signIn = try await browser.follow(browser.get(again))
            _ = try await deployment.enterCode(signIn, in: browser, as: "ann@example.com")
            let plain = TestedProtocol.sso.ask(deployment.client, mark: "kept", of: deployment)
            let page = try await browser.follow(browser.get(plain))
            #expect(page.address.path == "/sign-in", "\(page.text)")
            let fresh = TestedProtocol.sso.ask(deployment.client, mark: "another", of: deployment)
            #expect(
                try await browser.follow(browser.get(fresh)).token().hasPrefix("sst_"),
                "another request asks for nothing")
        }
    }

    @Test("the flow that another tab has completed leads to no weaker sign-in", arguments: TestedProtocol.allCases)
    func otherTab(asking: TestedProtocol) async throws {
        try await Self.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let address = Self.ask(asking, of: deployment) + (asking == .ticket ? "&need=phr" : "")
            let (first, second) = (
                try await browser.follow(browser.get(address)), try await browser.follow(browser.get(address))
            )
            _ = try await browser.follow(browser.usePasskey(authenticator, on: first))
            let late = try await browser.get(second.address)
            #expect(late.status == 303, "signed in already")
            let flow = second.address.query("flow") ?? ""
            let end = try await browser.follow(browser.get("\(deployment.origin)\(asking.resumePath)?flow=\(flow)"))
            #expect(end.status == 200 || end.status == 410 || end.status == 302, "\(end.status)")
            #expect(try await deployment.stored.grants.weaker(than: "phr").count() == 0)
        }
    }

    @Test("an ended flow keeps the strength, and its use does not take it away")
    func ended() throws {
        let id = try FlowID(randomness: SystemRandomness())
        for strength in [nil, Strength.mfa, .phr] {
            var flows = Flows()
            let request = Flow.Request(purpose: "p", subject: "s", demand: .init(strength: strength))
            let now = Timestamp(milliseconds: 0)
            _ = try flows.begin(request, id: id, now: now)
            #expect(flows.ended(id)?.strength == strength)
            _ = flows.take(id, now: now)
            #expect(flows.ended(id)?.strength == strength)
            _ = flows.useUp(id)
            #expect(flows.ended(id)?.strength == strength)
        }
    }
}
