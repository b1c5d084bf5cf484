import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPSSO
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Contract 3: the page names the client and has one link to its start page, whatever ended the flow.
@Suite("Returning to an ended flow", .program)
struct EndedFlowsTests {
    /// A browser that has signed in through a flow of the deployment's client, and that flow's id.
    private static func finished(_ deployment: TestDeployment) async throws -> (browser: Browser, flow: String) {
        let browser = deployment.browser()
        let form = try await browser.beginSignIn(at: deployment.client)
        let flow = try #require(form.address.query("flow"))
        let waiting = try await browser.ask(for: "ann@example.com", on: form)
        #expect(try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting).status == 200)
        return (browser, flow)
    }

    /// The page names the client, links to its start page and nowhere else, and holds no token.
    private static func check(_ visit: Visit, _ deployment: TestDeployment, _ comment: Comment) throws {
        #expect(visit.status == 410, comment)
        #expect(visit.text.contains(deployment.client.name), comment)
        #expect(try visit.page().links == ["/", deployment.client.origin + "/"], comment)
        #expect(!visit.text.contains("sst_"), comment)
    }

    @Test(
        "after a first sign-in Back to the code page, its reload, and the link itself lead to the client's start page")
    func backAfterFirstSignIn() async throws {
        try await TestDeployment.open { deployment in
            let (browser, flow) = try await Self.finished(deployment)
            let tokens = try await deployment.rows(of: "sso_token")
            for path in ["/sign-in/code", "/sign-in", SSOPath.complete, SSOPath.complete] {
                let back = try await browser.follow(browser.get("\(deployment.origin)\(path)?flow=\(flow)"))
                try Self.check(back, deployment, "\(path)")
            }
            // From there the user needs one click, and no code.
            let start = try await browser.get(deployment.client.origin + "/")
            let again = try await browser.click(start.page().link(containing: SSOPath.authorize), on: start)
            #expect(try again.token().hasPrefix("sst_"))
            #expect(try await deployment.rows(of: "sso_token") == tokens + 1)
        }
    }

    @Test("a link that has signed in leads to the client's start page, and without a client to the account")
    func usedLink() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let complete = try await asking.signIn()
            _ = try await asking.browser.follow(asking.browser.get(complete.callback()))
            let again = try await asking.open()
            try Self.check(again, deployment, "used")
            #expect(again.text.contains("This link has been used") && again.text.contains("Start again at"))
            let own = try await deployment.askingForLink("ben@example.com")
            _ = try await own.signIn()
            #expect(try await own.open().page().links.contains("/"))
        }
    }

    @Test("ten minutes later, after eight newer flows, or used by another tab: the same page, and no token is issued")
    func anyEndReason() async throws {
        try await TestDeployment.open { deployment in
            let (browser, flow) = try await Self.finished(deployment)
            let complete = "\(deployment.origin)\(SSOPath.complete)?flow="
            deployment.clock.advance(by: .minutes(30))
            try Self.check(try await browser.get(complete + flow), deployment, "ended long ago")

            let visitor = deployment.browser()
            let old = try #require(try await visitor.beginSignIn(at: deployment.client).address.query("flow"))
            deployment.clock.advance(by: .minutes(10))
            try Self.check(try await visitor.get(complete + old), deployment, "expired, not signed in")
            for _ in 1...8 { _ = try await visitor.beginSignIn(at: deployment.client) }
            try Self.check(try await visitor.get(complete + old), deployment, "expired and evicted")

            let other = try await deployment.signedIn(as: "ben@example.com")
            for browser in [other, deployment.browser()] {
                let visit = try await browser.get(complete + flow)
                #expect(visit.status == 404 && !visit.text.contains("sst_"), "the flow of another browser")
                #expect(try visit.page().links.contains(deployment.client.origin + "/"))
            }
        }
    }

    @Test("a flow that two tabs complete at the same instant continues once")
    func together() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let signedIn = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            let complete = try signedIn.location()
            let visits = try await withThrowingTaskGroup(of: Visit.self) { group in
                for _ in 1...8 {
                    let twin = browser.twin()
                    group.addTask { try await twin.get(complete) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(visits.count { $0.status == 303 } == 1)
            for late in visits where late.status != 303 { try Self.check(late, deployment, "late") }
        }
    }

    @Test(
        "the stored list has at most sixteen entries of id, client and address: no state, nothing that allows a token")
    func kept() throws {
        let now = TestClock().now
        var flows = Flows()
        for number in 1...40 {
            let request = AuthorizeRequest(
                clientID: "c\(number)", redirectURI: "https://rp.example/cb", state: "secret-\(number)",
                codeChallenge: "challenge-\(number)")
            let client = Client(id: request.clientID, name: "C", redirectURIs: [], secrets: [])
            let (asked, id) = (ClientRequest(request, of: client, SignInWishes()), FlowID.example(number))
            let demand = Flow.Demand(loginHint: "hint@example.com")
            try flows.begin(asked.flow(of: SSOProtocol.id, demanding: demand), id: id, now: now)
            #expect(flows.take(id, now: now).flatMap(AuthorizeRequest.init)?.state == "secret-\(number)")
            let again = flows.take(id, now: now)
            #expect(again == nil && flows.pending(id, now: now) == nil)
        }
        let text = String(decoding: try JSONEncoder().encode(flows), as: UTF8.self)
        #expect(!text.contains("payload") && !text.contains("hint@"))
        #expect((1...40).filter { flows.ended(.example($0)) != nil } == Array(25...40))
        #expect(flows.ended(.example(40))?.subject == "c40" && flows.ended(.example(41)) == nil)
    }
}
