import ProbeKit
import SSOShared
import Storage
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The box "Keep me signed in on this device".
@Suite("A user who asks to stay signed in", .program, .alsoOnPostgres)
struct RememberedSessionTests {
    private static func signedIn(
        _ deployment: TestDeployment, remembering: Bool = true, as address: String = "ann@example.com"
    ) async throws -> Browser {
        let asking = try await deployment.asking(address)
        #expect(try await asking.guess(asking.code, remembering: remembering).status == 303)
        return asking.browser
    }

    /// How long a session lasts without a request. NIST SP 800-63B-4 2.2.3 (30 days), ASVS 7.3.1, threats 126.
    private static let waits: [(settings: [String: String], remembering: Bool, holds: Duration, ends: Duration)] = [
        ([:], false, .minutes(119), .hours(2)),
        ([:], true, .days(30) - .seconds(1), .days(30)),
        (["IDP_REMEMBER": "7d"], true, .days(7) - .seconds(1), .days(7)),
        (["IDP_REMEMBER": "5m"], true, .hours(12) - .seconds(1), .hours(12)),
        (["IDP_REMEMBER": "off"], true, .minutes(119), .hours(2)),
    ]

    @Test("stays so for IDP_REMEMBER without a request, and any other user does not", arguments: waits)
    func unused(row: (settings: [String: String], remembering: Bool, holds: Duration, ends: Duration)) async throws {
        for (wait, holds) in [(row.holds, true), (row.ends, false)] {
            try await TestDeployment.open(settings: row.settings) { deployment in
                let asking = try await deployment.asking()
                // Where there is no box, a field that is sent all the same has no effect.
                let form = try #require(try asking.waiting.page().form(with: "code"))
                let token = try #require(form["form_token"])
                let signedIn = try await asking.browser.post(
                    try asking.waiting.address.resolving(form.action),
                    [("form_token", token), ("flow", ""), ("code", asking.code)]
                        + (row.remembering ? [("remember", "1")] : []))
                #expect(signedIn.status == 303)
                deployment.clock.advance(by: wait)
                #expect(try await asking.browser.isSignedInOnHomePage(of: deployment) == holds, "\(wait)")
            }
        }
    }

    @Test("is signed out after 30 days, however often the browser is used")
    func absolute() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await Self.signedIn(deployment)
            for _ in 1...29 {
                deployment.clock.advance(by: .days(1))
                #expect(try await browser.isSignedInOnHomePage(of: deployment))
            }
            deployment.clock.advance(by: .days(1))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("gets a cookie that ends with the session; any other ends with the browser", arguments: [true, false])
    func cookie(remembering: Bool) async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let signedIn = try await asking.guess(asking.code, remembering: remembering)
            func ages(_ visit: Visit) -> [String] {
                visit.reply.all("set-cookie").filter { $0.hasPrefix("idp_session=") }
                    .map { $0.firstMatch(of: #/Max-Age=(\d+)/#).map { String($0.1) } ?? "-" }
            }
            #expect(ages(signedIn) == [remembering ? "\(30 * 24 * 3600)" : "-"])
            // The first step of a further sign-in keeps the session, and its cookie as it is: neither longer nor shorter.
            deployment.clock.advance(by: .hours(1))
            try await deployment.forgetEmails(to: "ann@example.com")
            let form = try await asking.browser.follow(
                asking.browser.get(deployment.authorize(deployment.client, state: "x") + "&prompt=login"))
            let asked = try await asking.browser.submit(
                form.page().form(with: "email"), on: form, ["email": "ann@example.com"])
            #expect(asked.status == 303 && ages(asked) == [])
        }
    }

    // MARK: The box

    @Test("ticks a box that is not ticked before, stays ticked after a wrong code, and stays as it is for a new email")
    func box() async throws {
        try await TestDeployment.open { deployment in
            func isTicked(_ visit: Visit) throws -> Bool? {
                try visit.page().form(with: "remember")?.fields.first { $0.name == "remember" }?.isSent
            }
            let asking = try await deployment.asking()
            #expect(try isTicked(asking.waiting) == false)
            #expect(try await isTicked(asking.guess(asking.wrong, remembering: true)) == true)
            #expect(try await isTicked(asking.guess(asking.wrong)) == false)
            let ticked = try await asking.guess("12", remembering: true)
            deployment.clock.advance(by: .seconds(61))
            #expect(try await isTicked(deployment.resend(ticked, asking.browser)) == true)
            let link = try await deployment.askingForLink("bob@example.com").open()
            #expect(try isTicked(link) == false)
        }
    }

    @Test("sees how long, in whole days where it is, and no box where it is off or in an app")
    func words() async throws {
        for (value, text) in [
            ("30d", "<bdi>30 days</bdi>.</span>"), ("1d", "<bdi>1 day</bdi>.</span>"),
            ("36h", "<bdi>36 hours</bdi>.</span>"),
            ("off", nil),
        ] {
            try await TestDeployment.open(settings: ["IDP_REMEMBER": value]) { deployment in
                let waiting = try await deployment.asking().waiting
                #expect(try (waiting.page().form(with: "remember") != nil) == (text != nil))
                if let text { #expect(waiting.text.contains(text), "\(value)") }
                let shell = deployment.browser(userAgent: Browser.shellUserAgent)
                #expect(
                    try await deployment.asking("bob@example.com", by: shell).waiting.page().form(with: "remember")
                        == nil)
            }
        }
    }

    @Test("ticks it beside the link of the email, too")
    func link() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            let page = try await asking.open()
            _ = try await asking.browser.submit(
                page.page().form(to: PendingLink.path), on: page, ["remember": "1"])
            deployment.clock.advance(by: .days(29))
            #expect(try await asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test(
        "goes on after an answer to the email with the form of the box; a link never decides", arguments: [true, false])
    func reply(byForm: Bool) async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            _ = try await deployment.deliver(pending.message())
            if byForm {
                #expect(try await pending.browser.goOn(after: pending.waiting, remembering: true).status == 303)
            } else {
                _ = try await pending.browser.get(deployment.origin + "/sign-in/reply?remember=1")
            }
            #expect(try await pending.browser.isSignedInOnHomePage(of: deployment))
            deployment.clock.advance(by: .hours(3))
            #expect(try await pending.browser.isSignedInOnHomePage(of: deployment) == byForm)
        }
    }

    @Test("says so with the first proof, and it holds after the second one")
    func secondProof() async throws {
        try await TestDeployment.open(adding: PinFactor.added) { deployment in
            let browser = try await Self.signedIn(deployment)
            #expect(try await deployment.stored.sessions.remembered.count() == 0, "not before both proofs")
            let page = try await browser.get(deployment.origin + PinFactor.pagePath)
            _ = try await browser.typePin(on: page)
            deployment.clock.advance(by: .days(29))
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("sees until when on the page of their browsers")
    func listed() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await Self.signedIn(deployment)
            let end = PlainDate.rfc3339(deployment.clock.now + .days(30))
            #expect(try await browser.get(deployment.origin + "/sessions").text.contains(end))
            let other = try await Self.signedIn(deployment, remembering: false, as: "bob@example.com")
            #expect(try await !other.get(deployment.origin + "/sessions").text.contains("stays signed in"))
        }
    }

    // MARK: A stolen cookie (threats 120, 125, 126, 128)

    /// Requests by which the holder of a cookie might prolong its session.
    private static let prolonging: [(name: String, path: String, fields: [(String, String)]?)] = [
        ("the code page", "/sign-in/code?remember=1", nil),
        ("the answer to an email", "/sign-in/reply?remember=1", nil),
        ("the form of the code", "/sign-in/code", [("remember", "1"), ("code", "000000"), ("flow", "")]),
        ("the form of the answer", "/sign-in/reply", [("remember", "1"), ("flow", "")]),
        ("the form of the link", "/sign-in/link", [("remember", "1"), ("challenge", "x")]),
        ("any other form", "/name", [("remember", "1"), ("name", "Ann")]),
        ("the first step", "/sign-in", [("remember", "1"), ("email", "ann@example.com"), ("flow", "")]),
    ]

    @Test("a cookie alone never makes its session a long one: the choice belongs to the proof", arguments: prolonging)
    func later(row: (name: String, path: String, fields: [(String, String)]?)) async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = try await Self.signedIn(deployment, remembering: false)
            let home = try await browser.get(deployment.origin + "/")
            let token = try #require(try home.page().form(to: "/sign-out")?["form_token"])
            let address = try home.address.resolving(row.path)
            if let fields = row.fields {
                _ = try await browser.post(address, [("form_token", token)] + fields)
            } else {
                _ = try await browser.get(address)
            }
            #expect(try await deployment.stored.sessions.remembered.count() == 0)
            deployment.clock.advance(by: .hours(3))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a cookie from before the sign-in is worth nothing, on that day and on the 29th")
    func before() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let thief = asking.browser.twin()
            try await asking.guess(asking.code, remembering: true)
            for _ in 1...2 {
                #expect(try await !thief.isSignedInOnHomePage(of: deployment))
                #expect(try await asking.browser.isSignedInOnHomePage(of: deployment))
                deployment.clock.advance(by: .days(29))
            }
        }
    }

    /// Ways in which the owner ends a stolen session, from the same browser or from another one.
    private static let ways: [(name: String, end: @Sendable (TestDeployment, Browser) async throws -> Void)] = [
        ("signing out", { deployment, browser in try await browser.signOut(of: deployment) }),
        (
            "signing out everywhere else",
            { deployment, _ in
                let other = try await deployment.furtherBrowser(of: "ann@example.com")
                let page = try await other.get(deployment.origin + "/sessions")
                _ = try await other.submit(page.page().form(to: "/sessions/end-others"), on: page)
            }
        ),
        (
            "disabling the account",
            { deployment, _ in try await deployment.stored.accounts.of("ann@example.com").disable() }
        ),
    ]

    @Test("a stolen cookie ends at once, and with it what it opened", arguments: ways.indices)
    func ended(index: Int) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await Self.signedIn(deployment)
            let thief = browser.twin()
            deployment.clock.advance(by: .days(10))
            #expect(try await thief.isSignedInOnHomePage(of: deployment))
            let token = try await thief.token(for: deployment.client, of: deployment)
            try await Self.ways[index].end(deployment, browser)
            #expect(try await !thief.isSignedInOnHomePage(of: deployment), "\(Self.ways[index].name)")
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
        }
    }

    // MARK: Clients that ask for more, and settings that change

    @Test(
        "goes on to clients for 30 days, and each that asks for a fresh sign-in gets one",
        arguments: [
            ("", false), ("&max_age=3600", true), ("&max_age=0", true), ("&prompt=login", true),
            ("&max_age=\(21 * 24 * 3600)", false),
        ])
    func fresh(query: String, asks: Bool) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await Self.signedIn(deployment)
            let at = deployment.clock.now.seconds
            deployment.clock.advance(by: .days(20))
            let address = deployment.authorize(deployment.client, state: "later") + query
            let visit = try await browser.follow(browser.get(address))
            guard asks else {
                let redeemed = try await deployment.redeem(visit, as: deployment.client)
                #expect(redeemed.authenticatedAt == Int(at), "the moment of the sign-in, 20 days ago")
                return
            }
            #expect(visit.address.path == "/sign-in" && !visit.text.contains("sst_"))
            let again = try await deployment.signInAgain(browser, on: visit, as: "ann@example.com")
            #expect(
                try await deployment.redeem(again, as: deployment.client).authenticatedAt
                    == Int(deployment.clock.now.seconds))
            // The box was not ticked this time, and the last sign-in decides.
            deployment.clock.advance(by: .hours(3))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test(
        "a shorter time holds at once for sessions that are there, and a longer one does not",
        arguments: [
            (Duration?.none, Duration.hours(12)), (.days(7), .days(7)), (.days(60), .days(30)),
        ])
    func changed(remembered: Duration?, ends: Duration) async throws {
        for (wait, holds) in [(ends - .seconds(1), true), (ends, false)] {
            try await TestDeployment.open { deployment in
                _ = try await Self.signedIn(deployment)
                let handle = try await deployment.stored.sessions.remembered.handles()[0]
                let store = SessionStore(
                    database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                    lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2), remembered: remembered))
                deployment.clock.advance(by: wait)
                #expect(try await deployment.database.read { try store.isAlive(handle: handle, $0) } == holds)
            }
        }
    }

    @Test("its row stays as long as it holds, and does not pass for the newest one")
    func row() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await Self.signedIn(deployment)
            let store = SessionStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2), remembered: .days(30)))
            deployment.clock.advance(by: .days(29))
            let moment = deployment.clock.now
            _ = try await deployment.browser().get(deployment.origin + "/sign-in")
            #expect(try await store.newestRow() == moment)
            _ = try await store.purge(limit: 100)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            deployment.clock.advance(by: .days(1))
            _ = try await store.purge(limit: 100)
            #expect(try await deployment.rows(of: "session") == 0)
        }
    }
}
