import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Whatever an attacker's page, link or browser does, no declared change is made that its user did not confirm.
@Suite("A change that waits for a new sign-in", .program)
struct WaitingChangeAttackTests {
    private static let unknownFlow = "AAAAAAAAAAAAAAAAAAAAAA"

    /// A change that waits in a browser: where the browser is asked to sign in again, and the flow.
    private struct Waiting {
        let change: TestedChange
        let place: ProviderDeployment
        let browser: Browser
        let signIn: Visit
        let flow: String

        /// The change is asked for eleven minutes after the sign-in.
        init(_ change: TestedChange, _ place: ProviderDeployment) async throws {
            (self.change, self.place) = (change, place)
            browser = try await change.user(of: place)
            place.deployment.clock.advance(by: .minutes(11))
            signIn = try await browser.follow(change.ask(in: browser, of: place))
            #expect(signIn.address.path == "/sign-in")
            flow = try #require(signIn.address.query("flow"))
        }

        var isMade: Bool { get async throws { try await change.isMade(in: browser, of: place) } }

        /// Opens the page that asks, and sends its form, each without following redirects.
        func open(in other: Browser? = nil, flow: String? = nil) async throws -> [Visit] {
            let browser = other ?? browser
            let home = try await browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let address = place.origin + TestedChange.confirmPath
            return [
                try await browser.get("\(address)?flow=\(flow ?? self.flow)"),
                try await browser.post(
                    WebAddress(address), [("form_token", token), ("flow", flow ?? self.flow)]),
            ]
        }
    }

    @Test(
        "every change that is declared is attacked here, and waits exactly if it needs a sign-in of an age or strength")
    func all() async throws {
        let declared = try await ProgramPaths.changes(adding: TestedChange.added).declared
        #expect(declared.map(\.id).sorted() == TestedChange.allCases.map(\.rawValue).sorted())
        #expect(Set(declared.map(\.path)).count == declared.count)
        let waiting = declared.filter { $0.needs != .anySignIn }.map(\.id)
        #expect(waiting.sorted() == TestedChange.waiting.map(\.rawValue).sorted())
    }

    @Test(
        "its form counts only with its token; eleven minutes after the sign-in it waits, or is made if any sign-in will do",
        arguments: TestedChange.allCases)
    func elevenMinutes(change: TestedChange) async throws {
        let declared = try await ProgramPaths.changes(adding: TestedChange.added).declared
        let path = try #require(declared.first { $0.id == change.rawValue }?.path)
        try await TestedChange.open { place in
            let browser = try await change.user(of: place)
            let refused = try await Browser.$pathWithoutToken.withValue(path) {
                try await change.ask(in: browser, of: place)
            }
            #expect(refused.status == 403)
            #expect(try await !change.isMade(in: browser, of: place))
            place.deployment.clock.advance(by: .minutes(11))
            let asked = try await change.ask(in: browser, of: place)
            let waits = TestedChange.waiting.contains(change)
            #expect(try asked.status == 303 && (asked.location().path == "/sign-in") == waits)
            #expect(try await change.isMade(in: browser, of: place) == !waits)
        }
    }

    @Test(
        "right after a sign-in that is strong enough it is made at once, and after a weak one it waits",
        arguments: TestedChange.allCases)
    func atOnce(change: TestedChange) async throws {
        try await TestedChange.open { place in
            let browser = try await change.user(of: place)
            if change == .greeting {
                let signIn = try await browser.follow(change.ask(in: browser, of: place))
                #expect(signIn.address.path == "/sign-in")
                try await place.setPin()
                _ = try await place.signInAgain(for: change, browser, on: signIn)
                #expect(try await !change.isMade(in: browser, of: place))
            }
            let asked = try await change.ask(in: browser, of: place)
            #expect(asked.status == change.answer && asked.reply.header("location")?.contains("/sign-in?") != true)
            try await change.finish(asked, in: browser, of: place)
            #expect(try await change.isMade(in: browser, of: place))
            #expect(place.deployment.events("account_change_waits") == (change == .greeting ? 1 : 0))
        }
    }

    @Test(
        "no early visit, forged id, other browser, weaker proof or page without a token makes it, and its user makes it once",
        arguments: TestedChange.waiting)
    func attacks(change: TestedChange) async throws {
        try await TestedChange.open { place in
            let waiting = try await Waiting(change, place)
            let browser = waiting.browser
            for early in try await waiting.open() {
                #expect(try early.status == 303 && early.location().path == "/sign-in", "before the sign-in")
            }
            for forged in try await waiting.open(flow: Self.unknownFlow) { #expect(forged.status == 410) }
            let other = try await place.deployment.furtherBrowser()
            for elsewhere in try await waiting.open(in: other) { #expect(elsewhere.status == 410) }

            var signIn = waiting.signIn
            if change == .greeting {
                signIn = try await place.signInAgain(for: change, browser, on: signIn)
                #expect(signIn.address.path == "/sign-in", "one proof is too weak")
                for weak in try await waiting.open() {
                    #expect(try weak.status == 303 && weak.location().path == "/sign-in")
                }
                try await place.setPin()
            }
            let page = try await place.signInAgain(for: change, browser, on: signIn)
            #expect(page.status == 200 && page.address.path == TestedChange.confirmPath)
            #expect(try await browser.get(page.address).status == 200, "a page that was opened twice")
            let refused = try await Browser.$pathWithoutToken.withValue(TestedChange.confirmPath) {
                try await browser.confirm(on: page)
            }
            #expect(refused.status == 403)
            #expect(try await !waiting.isMade)

            let confirmed = try await browser.confirm(on: page)
            #expect(confirmed.status == change.answer)
            try await change.finish(confirmed, in: browser, of: place)
            #expect(try await waiting.isMade)
            for again in try await waiting.open() { #expect(again.status == 410, "Back, and the form once more") }
            #expect(try await browser.confirm(on: page).status == 410)
            #expect(place.deployment.events("account_change_waits") == 1)
        }
    }

    @Test("after ten minutes it has ended", arguments: TestedChange.waiting)
    func expired(change: TestedChange) async throws {
        try await TestedChange.open { place in
            let waiting = try await Waiting(change, place)
            try await place.setPin()
            let page = try await place.signInAgain(for: change, waiting.browser, on: waiting.signIn)
            #expect(page.status == 200)
            place.deployment.clock.advance(by: .minutes(10))
            for late in try await waiting.open() { #expect(late.status == 410) }
            #expect(try await waiting.browser.confirm(on: page).status == 410)
            #expect(try await !waiting.isMade)
        }
    }

    @Test(
        "another user who signs in meanwhile sees it on the page, and neither account changes",
        arguments: TestedChange.waiting)
    func otherAccount(change: TestedChange) async throws {
        try await TestedChange.open { place in
            let waiting = try await Waiting(change, place)
            let page = try await place.signInAgain(
                for: change, waiting.browser, on: waiting.signIn, as: "ben@example.com")
            #expect(page.status == 409 && page.text.contains("You are signed in to another account"))
            for sent in try await waiting.open() { #expect(sent.status == 409) }
            #expect(place.deployment.events("account_change_refused", reason: "other_account") == 3)
            #expect(try await !waiting.isMade)
        }
    }

    @Test("given up, it is never made", arguments: TestedChange.waiting)
    func cancelled(change: TestedChange) async throws {
        try await TestedChange.open { place in
            let waiting = try await Waiting(change, place)
            let cancelled = try await waiting.browser.get("\(place.origin)/sign-in/cancel?flow=\(waiting.flow)")
            #expect(try cancelled.status == 303 && cancelled.location().path == change.home)
            for late in try await waiting.open() { #expect(late.status == 410) }
            #expect(try await !waiting.isMade)
        }
    }

    // MARK: Rules

    @Test("at most eight changes wait in a browser; the oldest is forgotten")
    func manyChanges() throws {
        var flows = Flows()
        let now = TestClock().now
        let (change, ids) = (GreetingFeature.Word(), (0..<9).map { FlowID.example($0) })
        for id in ids { try flows.begin(change.flow(.init(word: "x"), of: "usr_1", now: now), id: id, now: now) }
        func pending(_ id: FlowID, at moment: Timestamp) -> Flow? { flows.waitingChange(id, now: moment) }
        #expect(pending(ids[0], at: now) == nil)
        #expect(ids.dropFirst().allSatisfy { pending($0, at: now) != nil })
        #expect(pending(ids[1], at: now + Flows.lifetime) == nil)
        #expect(pending(ids[1], at: now - .hours(1)) == nil, "begun while the clock was wrong")
        #expect(flows.takeChange(ids[1], now: now)?.subject == "usr_1")
        #expect(flows.takeChange(ids[1], now: now) == nil)
    }

    @Test("a flow keeps what was typed, the account, and what its sign-in must be like")
    func flow() throws {
        let now = TestClock().now
        let change = GreetingFeature.Word()
        let flow = Flow(try change.flow(.init(word: "x"), of: "usr_1", now: now), id: .example(1), begunAt: now)
        #expect(flow.payload == #"{"test_greeting":{"word":"x"}}"# && flow.subject == "usr_1")
        #expect(flow.demand.since == now - .minutes(10) && flow.demand.strength == .mfa)
        func isMet(_ moment: Timestamp, _ strengths: [Strength]) -> Bool {
            flow.demand.isMet(
                by: .init(
                    accountID: "usr_1", authenticatedAt: moment,
                    proofs: SignInProofs(["m"], strengths.max() ?? .any), isProven: true))
        }
        #expect(isMet(now, [.any, .mfa]) && isMet(now, [.phr]) && isMet(now - .minutes(10), [.mfa]))
        #expect(!isMet(now, [.any]) && !isMet(now - .minutes(11), [.any, .mfa]))
    }

    @Test(
        "the flows of the version before are read, each by one change, and a damaged one by none",
        arguments: [
            (#"{"link":{"provider":"work"}}"#, ["link"]), (#"{"unlink":{"identity":"x"}}"#, ["unlink"]),
            (#"{"link":{"identity":"x"}}"#, []), (#"{"rename":{"provider":"work"}}"#, []), ("", []),
        ])
    func earlier(payload: String, ids: [String]) async throws {
        let changes = try await ProgramPaths.changes(adding: TestedChange.added).all
        func readers(of purpose: String) -> [String] {
            let request = Flow.Request(purpose: purpose, subject: "usr_1", payload: payload)
            let flow = Flow(request, id: .example(1), begunAt: TestClock().now)
            return changes.filter { $0.isWaiting(in: flow) }.map { type(of: $0).id }
        }
        #expect(readers(of: "account_change") == ids)
        #expect(readers(of: "sessions").isEmpty)
    }
}
