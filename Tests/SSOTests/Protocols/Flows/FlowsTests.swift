import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Pending flows", .program, .alsoOnPostgres)
struct FlowsTests {
    private func begin(_ number: Int, _ browser: Browser, _ deployment: TestDeployment) async throws -> String {
        let visit = try await browser.get(WebRelyingParty.authorize(at: deployment.origin, state: "state-\(number)"))
        #expect(visit.status == 303)
        return try #require(try visit.location().query("flow"))
    }

    /// Signs in through the pending flow and returns its completion page.
    private func signIn(
        _ flow: String, _ browser: Browser, _ deployment: TestDeployment, as address: String = "ann@example.com"
    ) async throws -> Visit {
        let form = try await browser.get("\(deployment.origin)/sign-in?flow=\(flow)")
        let waiting = try await browser.ask(for: address, on: form)
        return try await browser.enter(deployment.mailbox.code(to: address), on: waiting)
    }

    @Test("of nine pending flows the newest eight are kept, each with its own state, in whatever order they end")
    func newestEight() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let browser = deployment.browser()
            var flows: [String] = []
            for number in 1...9 { flows.append(try await begin(number, browser, deployment)) }
            let last = try await signIn(flows[8], browser, deployment)
            #expect(last.text.contains("state=state-9"))
            for number in (2...8).reversed() {
                let page = try await browser.follow(
                    browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flows[number - 1])"))
                #expect(page.status == 200 && page.text.contains("state=state-\(number)\""))
            }
            let oldest = try await browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flows[0])")
            #expect(oldest.status == 410 && !oldest.text.contains("sst_") && oldest.text.contains(WebRelyingParty.name))
        }
    }

    @Test("the newest is also kept when all began at one instant, or the clock stepped back")
    func clockSteps() throws {
        let noon = Timestamp(milliseconds: 1_000_000_000)
        for step in [Duration.zero, .seconds(-3600), .seconds(60)] {
            var flows = Flows()
            for number in 1...20 {
                try flows.begin(Flow.Request(purpose: "p", subject: "s"), id: id(number), now: noon + step * number)
            }
            #expect(flows.all.map(\.id) == (13...20).map(id))
        }
    }

    @Test("requests with one replay key are the same, those without one never are, nor those of another client")
    func replayKeys() throws {
        let now = TestClock().now
        func request(_ key: [UInt8]?, subject: String = "s", purpose: String = "p") -> Flow.Request {
            Flow.Request(purpose: purpose, subject: subject, returnTo: "r", replayKey: key)
        }
        var flows = Flows()
        func isCompleted(_ request: Flow.Request) -> Bool { flows.completed(request) != nil }
        for (number, key) in [[UInt8(1)], nil].enumerated() {
            try flows.begin(request(key), id: id(number), now: now)
            #expect(flows.take(id(number), now: now) != nil)
        }
        #expect(isCompleted(request([1])))
        #expect(!isCompleted(request(nil)) && !isCompleted(request([2])))
        #expect(!isCompleted(request([1], subject: "t")) && !isCompleted(request([1], purpose: "q")))
        try flows.begin(request([3]), id: id(3), now: now)
        #expect(flows.end(id(3)) && !isCompleted(request([3])), "a cancelled flow is not a completed one")

        #expect(flows.completed(request(nil), resuming: id(1))?.id == id(1), "it says which one it goes on with")
        #expect(flows.completed(request(nil, subject: "t"), resuming: id(1)) == nil)
        #expect(flows.completed(request(nil), resuming: id(3)) == nil)
        #expect(flows.completed(request([2]), resuming: id(1)) == nil, "the key decides where there is one")
    }

    @Test("a payload has at most 9 KiB; all of a session together at most 16 KiB, and the oldest end first")
    func payloads() throws {
        let now = TestClock().now
        func request(_ bytes: Int, _ purpose: String) -> Flow.Request {
            Flow.Request(purpose: purpose, subject: "s", payload: String(repeating: "x", count: bytes))
        }
        var flows = Flows()
        #expect(throws: PublicError.self) { try flows.begin(request(9217, "p"), id: id(1), now: now) }
        #expect(flows.all.isEmpty)
        try flows.begin(request(0, "empty"), id: id(1), now: now)
        for number in 2...5 { try flows.begin(request(4096, "p"), id: id(number), now: now) }
        #expect(flows.all.count == 5)
        #expect(try flows.begin(request(1, "q"), id: id(6), now: now) == [id(2)])
        #expect(flows.all.map(\.id) == [1, 3, 4, 5, 6].map(id) && flows.ended(id(2)) != nil)
    }

    @Test(
        "a payload for which there is no room ends flows of its own purpose first, the oldest of them before the others"
    )
    func ownPurposeFirst() throws {
        let now = TestClock().now
        func request(_ bytes: Int, _ purpose: String) -> Flow.Request {
            Flow.Request(purpose: purpose, subject: "s", payload: String(repeating: "x", count: bytes))
        }
        var flows = Flows()
        try flows.begin(request(4096, "app"), id: id(1), now: now)
        for number in 2...4 { try flows.begin(request(4096, "client"), id: id(number), now: now) }
        for number in 5...20 {
            let pushedOut = try flows.begin(request(4096, "client"), id: id(number), now: now)
            #expect(pushedOut == [id(number - 3)])
        }
        #expect(flows.pending(id(1), now: now) != nil && flows.all.map(\.id) == [1, 18, 19, 20].map(id))
    }

    @Test("whatever clients send, the slot has at most 18 KiB as it is stored, and the newest flow is pending")
    func storedLength() throws {
        let now = TestClock().now
        var slots = SessionSlots()
        for number in 1...150 {
            let request = Flow.Request(
                purpose: "purpose-\(number % 5)", subject: "client", returnTo: String(repeating: "a/", count: 960),
                demand: .init(loginHint: "ann@example.com"), replayKey: Array(repeating: 255, count: 32),
                payload: String(repeating: number.isMultiple(of: 3) ? "\"" : "\u{1}", count: number % 1900))
            try slots[Flows.self].begin(request, id: id(number), now: now)
            #expect(slots.encoded().utf8.count <= Flows.maximumStored + 32)
            #expect(slots[Flows.self].pending(id(number), now: now) != nil)
            slots = SessionSlots(stored: slots.encoded())
        }
        #expect(slots[Flows.self].all.count > 1)
        let tooLong = Flow.Request(purpose: "p", subject: "s", payload: String(repeating: "\u{1}", count: 4000))
        #expect(throws: PublicError.self) { try slots[Flows.self].begin(tooLong, id: id(200), now: now) }
    }

    @Test("sixteen ended flows of each purpose are remembered, the newest ones")
    func endedOfEachPurpose() throws {
        let now = TestClock().now
        var flows = Flows()
        try flows.begin(Flow.Request(purpose: "app", subject: "s"), id: id(100), now: now)
        flows.end(id(100))
        for number in 1...40 {
            try flows.begin(Flow.Request(purpose: "client", subject: "s"), id: id(number), now: now)
            // The user gives up, or signs in.
            let hasEnded =
                number.isMultiple(of: 2) ? flows.end(id(number)) : flows.take(id(number), now: now) != nil
            #expect(hasEnded)
        }
        #expect(flows.has(id(100)), "those of another purpose stay")
        #expect(flows.ended.map(\.id) == ([100] + Array(25...40)).map(id))
    }

    @Test("eight flows of one purpose do not end those of another")
    func eachPurpose() throws {
        let now = TestClock().now
        var flows = Flows()
        try flows.begin(Flow.Request(purpose: "app", subject: "s"), id: id(100), now: now)
        for number in 1...20 {
            try flows.begin(Flow.Request(purpose: "client", subject: "s"), id: id(number), now: now)
        }
        #expect(flows.pending(id(100), now: now) != nil && flows.all.count == 9)
    }

    private func id(_ number: Int) -> FlowID { .example(number) }

    @Test("a flow is pending for ten minutes; later its page names the client and links only to it")
    func expiry() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let browser = deployment.browser()
            let (first, second) = (try await begin(1, browser, deployment), try await begin(2, browser, deployment))
            _ = try await signIn(second, browser, deployment)
            deployment.clock.advance(by: .seconds(599))
            let third = try await browser.follow(
                browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(first)"))
            #expect(third.status == 200 && third.text.contains("state=state-1\""))
        }
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let browser = deployment.browser()
            let (first, second) = (try await begin(1, browser, deployment), try await begin(2, browser, deployment))
            _ = try await signIn(second, browser, deployment)
            deployment.clock.advance(by: .seconds(601))
            let late = try await browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(first)")
            #expect(late.status == 410 && !late.text.contains("sst_") && late.text.contains(WebRelyingParty.name))
            #expect(try late.page().links.filter { $0.contains("//") } == ["https://rp.example/"])
        }
    }

    @Test("a flow is used once, only in its own browser, and only by its own id")
    func takenOnce() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let browser = deployment.browser()
            let flow = try await begin(1, browser, deployment)
            let complete = "\(deployment.origin)\(SSOPath.complete)"
            let other = try await deployment.signedIn(as: "eve@example.com")
            // Not signed in yet: the browser gets the form again, and the flow stays pending.
            #expect(
                try await browser.get("\(complete)?flow=\(flow)").reply.header("location") == "/sign-in?flow=\(flow)")
            for query in ["", "?flow=", "?flow=\(flow)x", "?flow=\(flow)%00", "?flow=../\(flow)", "?flow=sst_x"] {
                #expect(try await browser.get(complete + query).status == 404, "\(query)")
            }
            for query in ["?flow=\(flow)&flow=\(flow)", "?flow[]=\(flow)", "?flow=%FF"] {
                #expect(try await browser.get(complete + query).status == 400, "\(query)")
            }
            #expect(try await other.get("\(complete)?flow=\(flow)").status == 404)
            #expect(try await deployment.browser().get("\(complete)?flow=\(flow)").status == 404)
            #expect(try await signIn(flow, browser, deployment).text.contains("state=state-1\""))
            #expect(try await browser.get("\(complete)?flow=\(flow)").status == 410)
        }
    }

    @Test("a flow is checked again when the token is issued: a client or address removed meanwhile gets none")
    func checkedAgain() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            for (user, change) in [("ann", ("rp.example", "evil.example")), ("cleo", (#""web""#, #""gone""#))] {
                let browser = deployment.browser()
                let flow = try await begin(1, browser, deployment)
                try await deployment.stored.sessions.holding("rp.example").replace(change.0, with: change.1)
                let page = try await signIn(flow, browser, deployment, as: "\(user)@example.com")
                #expect(page.status == 400 && !page.text.contains("sst_") && !page.text.contains("evil"), "\(change)")
            }
            let browser = try await deployment.signedIn(as: "bob@example.com")
            #expect(try await browser.get(WebRelyingParty.authorize(at: deployment.origin)).text.contains("sst_"))
        }
    }
}
