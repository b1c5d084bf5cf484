import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What every client protocol keeps through every sign-in method. ``TestedProtocol`` and ``TestedMethod`` are the lists.
@Suite("Every client protocol", .program)
struct ClientProtocolTests {
    private static let address = OneClickMethod.address

    /// Redeems what a browser has brought back, and checks that it is the sign-in of this client with this mark.
    private static func check(
        _ visit: Visit, _ asking: TestedProtocol, _ client: TestDeployment.Client, mark: String,
        by method: TestedMethod, as address: String = address, _ deployment: TestDeployment
    ) async throws {
        let callback = try asking.callback(visit)
        #expect(callback.absolute.hasPrefix(asking.callbackAddress(of: client) + "?"))
        let redeemed = try await asking.redeem(callback, as: client, of: deployment)
        let strength = method == .passkey ? "phr" : "any"
        let told = asking.told(.init(email: address, mark: mark, methods: [method.rawValue], strength: strength))
        #expect(redeemed == told)
        #expect(try await asking.redeem(callback, as: client, of: deployment) == nil, "once only")
    }

    /// Runs a test for each protocol, one after the other on one deployment.
    private static func forEachProtocol(
        _ method: TestedMethod, of protocols: [TestedProtocol] = TestedProtocol.allCases,
        _ body: (TestedProtocol, TestDeployment) async throws -> Void
    ) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            for asking in protocols {
                try await body(asking, deployment)
                try await deployment.forgetEmails(to: Self.address)
                deployment.clock.advance(by: .seconds(61))
            }
        }
    }

    @Test("has a row for each sign-in method; the size of the matrix is printed")
    func size() {
        let combinations = TestedProtocol.allCases.count * TestedMethod.allCases.count
        print("Client protocols × sign-in methods: \(combinations) combinations.")
        #expect(combinations == 32)
    }

    @Test(
        "keeps client, address and mark in three tabs of one browser", arguments: TestedProtocol.allCases,
        TestedMethod.allCases)
    func tabs(asking: TestedProtocol, method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method, clients: 2) { deployment in
            let browser = deployment.browser()
            var tabs: [Visit] = []
            for tab in 0..<3 {
                let address = asking.ask(deployment.clients[tab % 2], mark: "tab-\(tab)", of: deployment)
                tabs.append(try await browser.follow(browser.get(address)))
            }
            let proof = try await deployment.begin(method, on: tabs[1], in: browser)
            let complete = try await browser.follow(proof.prove(in: browser))
            #expect(complete.text.contains("Authentication complete"), "after a question there is always a page")
            try await Self.check(complete, asking, deployment.clients[1], mark: "tab-1", by: method, deployment)
            for tab in [2, 0] {
                let late = try await browser.follow(browser.get(tabs[tab].address))
                try await Self.check(
                    late, asking, deployment.clients[tab % 2], mark: "tab-\(tab)", by: method, deployment)
            }
        }
    }

    @Test(
        "goes on after a restart, and Back leads to no second grant of the flow", arguments: TestedProtocol.allCases,
        TestedMethod.allCases)
    func restart(asking: TestedProtocol, method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(
                browser.get(asking.ask(deployment.client, mark: "kept", of: deployment)))
            let flow = try #require(page.address.query("flow"))
            let proof = try await deployment.begin(method, on: page, in: browser)
            try await deployment.withSecondIdP { second in
                let after = browser.twin(routes: second.routes)
                let signedIn = try await proof.at(second).prove(in: after)
                let resume = try signedIn.location()
                try await Self.check(
                    after.follow(signedIn), asking, second.client, mark: "kept", by: method, second)
                let back = try await after.get(resume)
                #expect(back.status == 410 && !back.text.contains(asking.secretPrefix))
                #expect(resume.query("flow") == flow)
            }
        }
    }

    @Test(
        "a fresh sign-in is asked of a user who is signed in, by any method that says when it was",
        arguments: TestedProtocol.withEveryWish, TestedMethod.byEmail + [.oneClick])
    func freshSignIn(asking: TestedProtocol, method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = try await deployment.signedIn(as: Self.address)
            deployment.clock.advance(by: .minutes(30))
            try await deployment.forgetEmails(to: Self.address)
            let page = try await browser.follow(
                browser.get(asking.ask(deployment.client, mark: "new", .newSignIn, of: deployment)))
            #expect(page.address.path == "/sign-in" && page.text.contains("asks you to sign in again"))
            let flow = try #require(page.address.query("flow").flatMap(FlowID.init))
            let early = try await browser.get(deployment.origin + FlowID.path(asking.resumePath, flow))
            #expect(early.reply.all("location") == ["/sign-in?flow=\(flow.text)"], "called directly")
            let proof = try await deployment.begin(method, on: page, in: browser)
            let complete = try await browser.follow(proof.prove(in: browser))
            try await Self.check(complete, asking, deployment.client, mark: "new", by: method, deployment)
        }
    }

    @Test(
        "a user who gives up before the proof comes back as the protocol says it, once, and the proof brings no grant",
        arguments: TestedMethod.allCases)
    func cancel(method: TestedMethod) async throws {
        try await Self.forEachProtocol(method) { asking, deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(
                browser.get(asking.ask(deployment.client, mark: "kept", of: deployment)))
            let proof = try await deployment.begin(method, on: page, in: browser)
            let link = try page.page().link(containing: FlowID.cancelPath)
            let back = try await browser.click(link, on: page)
            let callback = try back.location()
            #expect(back.status == 302 && asking.refusal(callback) == .accessDenied)
            #expect(callback.absolute.contains("=kept"))
            let again = try await browser.click(link, on: page)
            #expect(again.status == 410 && again.text.contains("Start again at"))
            #expect(try again.page().links.contains(deployment.client.origin + "/"))
            let late = try await browser.follow(proof.prove(in: browser))
            #expect(late.status < 500 && !late.text.contains(asking.secretPrefix))
            #expect(try await deployment.rows(of: "sso_token") == 0)
        }
    }

    @Test(
        "a client that asks for no question gets the answer that it needs one, and after a sign-in a grant",
        arguments: TestedMethod.allCases)
    func noQuestion(method: TestedMethod) async throws {
        try await Self.forEachProtocol(method, of: TestedProtocol.withEveryWish) { asking, deployment in
            let browser = deployment.browser()
            let address = asking.ask(deployment.client, mark: "quiet", .noQuestion, of: deployment)
            let callback = try await browser.get(address).location()
            #expect(asking.refusal(callback) == .loginRequired)
            _ = try await deployment.begin(method, in: browser).prove(in: browser)
            try await Self.check(
                browser.get(address), asking, deployment.client, mark: "quiet", by: method, deployment)
        }
    }

    @Test("a user who is signed in chooses the account", arguments: TestedMethod.allCases)
    func choice(method: TestedMethod) async throws {
        try await Self.forEachProtocol(method) { asking, deployment in
            let browser = deployment.browser()
            _ = try await deployment.begin(method, in: browser).prove(in: browser)
            let address = asking.ask(deployment.client, mark: "kept", .choice, of: deployment)
            let page = try await browser.follow(browser.get(address))
            #expect(page.address.path == AccountChoice.path && page.text.contains(deployment.client.name))
            let same = try await browser.follow(
                browser.click(page.page().link(containing: "?flow="), on: page))
            try await Self.check(same, asking, deployment.client, mark: "kept", by: method, deployment)
            let again = try await browser.follow(browser.get(address))
            let form = try await browser.follow(browser.submit(again.page().form(to: AccountChoice.path), on: again))
            let other = "\(asking.rawValue)@example.com"
            let complete = try await deployment.enterCode(form, in: browser, as: other)
            try await Self.check(
                complete, asking, deployment.client, mark: "kept", by: .emailCode, as: other, deployment)
        }
    }

    /// An app opens providers in the system browser: their sign-in is a handoff.
    @Test(
        "a native shell gets 401 in place of the sign-in page, and goes on",
        arguments: TestedMethod.byEmail + [.oneClick])
    func nativeShell(method: TestedMethod) async throws {
        try await Self.forEachProtocol(method) { asking, deployment in
            let shell = deployment.webView()
            let refused = try await shell.get(asking.ask(deployment.client, mark: "app", of: deployment))
            #expect(refused.status == 401)
            let page = try await shell.click(refused.page().link(containing: "/sign-in?flow="), on: refused)
            let proof = try await deployment.begin(method, on: page, in: shell)
            let complete = try await shell.follow(proof.prove(in: shell))
            try await Self.check(complete, asking, deployment.client, mark: "app", by: method, deployment)
        }
    }

    @Test("one mark is one request: its unused grant is replaced, and after a used one the page stays")
    func equalMarks() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            for asking in TestedProtocol.allCases {
                let browser = try await deployment.signedIn(as: "\(asking.rawValue)@example.com")
                let address = asking.ask(deployment.client, mark: "same", of: deployment)
                let (first, second) = (try await browser.get(address), try await browser.get(address))
                #expect(try await asking.redeem(asking.callback(first), as: deployment.client, of: deployment) == nil)
                #expect(try await asking.redeem(asking.callback(second), as: deployment.client, of: deployment) != nil)
                let third = try await browser.get(address)
                if asking == .sso { #expect(try third.page().refresh == nil, "the page stays") }
            }
        }
    }

    @Test("without a mark no request is another: two end with two grants, after one sign-in and without one")
    func noMark() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let (browser, asking, client) = (deployment.browser(), TestedProtocol.ticket, deployment.client)
            let address = asking.ask(client, mark: nil, of: deployment)
            let tabs = [
                try await browser.follow(browser.get(address)), try await browser.follow(browser.get(address)),
            ]
            #expect(tabs[0].address.query("flow") != tabs[1].address.query("flow"))
            var visits = [try await deployment.enterCode(tabs[0], in: browser, as: Self.address)]
            visits.append(try await browser.follow(browser.get(tabs[1].address)))
            visits += [try await browser.get(address), try await browser.get(address)]
            #expect(visits[0].status == 200)
            // The address that a sign-in leads on to, once more: a new grant, as for any request of a user who is signed in.
            visits.append(try await browser.get(visits[0].address))
            for visit in visits {
                let redeemed = try await asking.redeem(asking.callback(visit), as: client, of: deployment)
                #expect(redeemed?.email == Self.address && redeemed?.mark == "")
            }
            #expect(visits.last?.status == 302, "the question was answered for one grant")
        }
    }

    @Test("a grant is redeemed by its own client, kind, address and within its own time")
    func binding() async throws {
        try await TestDeployment.withEveryMethod(clients: 2) { deployment in
            let (browser, asking) = (try await deployment.signedIn(as: Self.address), TestedProtocol.ticket)
            let (client, other) = (deployment.clients[0], deployment.clients[1])
            func ticket() async throws -> String {
                let visit = try await browser.get(asking.ask(client, mark: nil, of: deployment))
                let ticket = try asking.callback(visit).query("ticket")
                return try #require(ticket)
            }
            func status(_ ticket: String, as client: TestDeployment.Client, back: String?) async throws -> Int {
                try await deployment.redeemTicket(ticket, as: client, back: back).status
            }
            #expect(try await status(ticket(), as: client, back: nil) == 404, "this kind needs the address")
            #expect(try await status(ticket(), as: client, back: client.callback + "/") == 404)
            let first = try await ticket()
            #expect(try await deployment.verify(first, as: client).status == 401, "not a token of SSO")
            #expect(try await status(first, as: client, back: client.callback) == 200)
            let late = try await ticket()
            deployment.clock.advance(by: .seconds(60))
            #expect(try await status(late, as: client, back: client.callback) == 404)
            let leaked = try await ticket()
            #expect(try await status(leaked, as: other, back: client.callback) == 404)
            #expect(try await status(leaked, as: client, back: client.callback) == 404, "void from now on")
            let relabelled = try await ticket()
            try await deployment.stored.grants.unused.setKind("other")
            #expect(try await status(relabelled, as: client, back: client.callback) == 404)
        }
    }

    @Test(
        "may have secrets of letters and digits alone, which one wrong attempt voids, and knows whether they caused the sign-in"
    )
    func ticket() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let (asking, client, browser) = (TestedProtocol.ticket, deployment.client, deployment.browser())
            let page = try await browser.follow(browser.get(asking.ask(client, mark: "a", of: deployment)))
            let proof = try await deployment.begin(.emailCode, on: page, in: browser)
            let first = try #require(
                try await asking.callback(browser.follow(proof.prove(in: browser))).query("ticket"))
            #expect(first.wholeMatch(of: #/ST-[0-9a-f]{64}/#) != nil)
            func redeem(_ ticket: String, back: String) async throws -> ProbeReply {
                try await deployment.redeemTicket(ticket, as: client, back: back)
            }
            #expect(try await redeem(first.uppercased(), back: client.callback).status == 404, "one spelling")
            #expect(try await redeem(first, back: "https://other.example.com/").status == 404)
            #expect(try await redeem(first, back: client.callback).status == 404, "void")
            let again = try await browser.get(asking.ask(client, mark: "b", of: deployment))
            let second = try #require(try asking.callback(again).query("ticket"))
            let redeemed = try await redeem(second, back: client.callback)
            #expect(redeemed.status == 200 && redeemed.text.contains(#""caused":"no""#))
            deployment.clock.advance(by: .seconds(61))
            try await deployment.forgetEmails(to: "ann@example.com")
            let renew = try await browser.follow(
                browser.get(asking.ask(client, mark: "c", .newSignIn, of: deployment)))
            let fresh = try await deployment.begin(.emailCode, on: renew, in: browser)
            let third = try #require(
                try await asking.callback(browser.follow(fresh.prove(in: browser))).query("ticket"))
            #expect(try await redeem(third, back: client.callback).text.contains(#""caused":"yes""#))
        }
    }
}
