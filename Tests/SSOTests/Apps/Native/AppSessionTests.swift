import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The session of a native shell", .program)
struct AppSessionTests {
    // MARK: Its life

    @Test(
        "it lives 30 days without use",
        arguments: [(Duration.days(29), true), (.days(30) - .seconds(1), true), (.days(30), false), (.days(31), false)])
    func idle(span: Duration, lives: Bool) async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            deployment.clock.advance(by: span)
            #expect(try await shell.isSignedInOnHomePage(of: deployment) == lives)
        }
    }

    @Test("use extends it by 30 days each time, without an end after many months")
    func rolling() async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            for _ in 0..<15 {
                deployment.clock.advance(by: .days(29))
                #expect(try await shell.isSignedInOnHomePage(of: deployment))
            }
            deployment.clock.advance(by: .days(30))
            #expect(try await !shell.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("it is that of a user agent at the sign-in: later a browser's user agent does not shorten it")
    func laterAsBrowser() async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell().twin(userAgent: Browser.browserUserAgent)
            deployment.clock.advance(by: .days(29))
            #expect(try await shell.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("and a native user agent does not prolong a browser's session, whose cookie may be stolen")
    func laterAsShell() async throws {
        try await TestDeployment.open { deployment in
            for span in [Duration.hours(2), .hours(1)] {
                let thief = try await deployment.signedIn().twin(userAgent: Browser.shellUserAgent)
                // Twelve hours of use, or two hours without.
                let steps = span == .hours(2) ? 1 : 12
                for step in 1...steps {
                    deployment.clock.advance(by: span)
                    let home = try await thief.get(deployment.origin + "/")
                    #expect(home.reply.all("set-cookie") == [], "no new life for the cookie")
                    #expect(try home.page().form(to: "/sign-out") != nil || step == steps)
                }
                #expect(try await !thief.isSignedInOnHomePage(of: deployment))
            }
        }
    }

    // MARK: Its cookie

    private static func cookies(_ visit: Visit) -> [String] {
        visit.reply.all("set-cookie").filter { $0.hasPrefix("idp_session=") }
    }

    private static let keeping = "; Max-Age=2592000"

    @Test("its cookie is kept for 30 days, sent again when a use is noted, and at most once per minute")
    func cookie() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking(by: deployment.browser(userAgent: Browser.shellUserAgent))
            let signedIn = try await asking.guess(asking.code)
            #expect(Self.cookies(signedIn).count == 1)
            #expect(Self.cookies(signedIn).allSatisfy { $0.hasSuffix(Self.keeping) })
            let (shell, home) = (asking.browser, deployment.origin + "/")
            #expect(Self.cookies(try await shell.get(home)) == [])
            for _ in 1...3 {
                deployment.clock.advance(by: .seconds(60))
                let id = shell.session
                #expect(Self.cookies(try await shell.get(home)).map { $0.hasSuffix(Self.keeping) } == [true])
                #expect(shell.session == id, "the same session")
                #expect(Self.cookies(try await shell.get(home)) == [])
            }
        }
    }

    @Test("authorize sends it again as well: some apps ask for nothing else")
    func cookieOfAuthorize() async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            let asked = deployment.authorize(deployment.client, state: "s")
            #expect(Self.cookies(try await shell.get(asked)) == [])
            deployment.clock.advance(by: .days(20))
            #expect(Self.cookies(try await shell.get(asked)).map { $0.hasSuffix(Self.keeping) } == [true])
            #expect(Self.cookies(try await shell.get(asked)) == [])
        }
    }

    @Test("a HEAD sets no cookie")
    func cookieOfHead() async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            deployment.clock.advance(by: .days(1))
            for path in ["/", "/configurations/ios_v1.json", "/reset_app", "/healthz"] {
                let head = try await shell.send("HEAD", WebAddress(deployment.origin + path))
                #expect(head.status == 200)
                #expect(head.reply.all("set-cookie") == [], "\(path)")
            }
        }
    }

    @Test("a cookie that the route sets or clears stays as the route wants it")
    func cookieOfRoutes() async throws {
        try await TestDeployment.open { deployment in
            let shell = try await deployment.signedInShell()
            let home = try await shell.get(deployment.origin + "/")
            deployment.clock.advance(by: .minutes(2))
            let out = try await shell.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(Self.cookies(out).map { $0.hasPrefix("idp_session=;") && $0.hasSuffix("; Max-Age=0") } == [true])

            let other = try await deployment.signedInShell(as: "bob@example.com")
            let asked = deployment.authorize(deployment.client, state: "s") + "&prompt=select_account"
            let choice = try await other.follow(other.get(asked))
            deployment.clock.advance(by: .minutes(2))
            let switched = try await other.submit(choice.page().form(to: "/sign-in/account"), on: choice)
            // No user is signed in in it, so it is a browser's until the next sign-in.
            #expect(Self.cookies(switched).map { $0.contains("Max-Age") } == [false])
            #expect(try await deployment.stored.sessions.ofApps.count() == 0)
        }
    }

    // MARK: Its end

    @Test("sign-out, `idp user sign-out` and a disabled account end it at once")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let ends: [(Browser) async throws -> Void] = [
                { _ = try await $0.signOut(of: deployment) },
                { _ in _ = try await deployment.change(SignOutUser("ann@example.com")) },
                { _ in _ = try await deployment.change(DisableUser("ann@example.com")) },
            ]
            for end in ends {
                let (shell, other) = (
                    try await deployment.signedInShell(), try await deployment.signedInShell(as: "bob@example.com")
                )
                let stolen = shell.twin()
                #expect(try await shell.isSignedInOnHomePage(of: deployment))
                try await end(shell)
                #expect(try await !shell.isSignedInOnHomePage(of: deployment))
                #expect(try await !stolen.isSignedInOnHomePage(of: deployment))
                #expect(try await other.isSignedInOnHomePage(of: deployment))
                deployment.clock.advance(by: .minutes(11))
                try await deployment.forgetEmails(to: "ann@example.com")
                try await deployment.forgetEmails(to: "bob@example.com")
            }
        }
    }

    @Test("a token issued in it redeems although it was idle for hours; one of a browser's session does not")
    func tokens() async throws {
        try await TestDeployment.open { deployment in
            let (shell, browser) = (
                try await deployment.signedInShell(), try await deployment.signedIn(as: "bob@example.com")
            )
            deployment.clock.advance(by: .hours(1))
            let tokens = (
                try await shell.token(for: deployment.client, of: deployment),
                try await browser.token(for: deployment.client, of: deployment)
            )
            try await deployment.stored.sessions.age(by: .hours(3))
            #expect(try await deployment.verify(tokens.0, as: deployment.client).status == 200)
            #expect(try await deployment.verify(tokens.1, as: deployment.client).error == "invalid_token")

            deployment.clock.advance(by: .hours(3))
            let later = try await shell.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(later, as: deployment.client).status == 200)
        }
    }

    // MARK: Its row

    private static func store(_ deployment: TestDeployment) -> SessionStore {
        SessionStore(
            database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)))
    }

    @Test("the purge keeps it for as long as it lives")
    func purge() async throws {
        try await TestDeployment.open { deployment in
            let store = Self.store(deployment)
            let shell = try await deployment.signedInShell()
            _ = try await deployment.signedIn(as: "bob@example.com")
            #expect(try await deployment.rows(of: "session") == 2)
            deployment.clock.advance(by: .days(29))
            _ = try await store.purge(limit: 100)
            #expect(try await deployment.rows(of: "session") == 1)
            #expect(try await shell.isSignedInOnHomePage(of: deployment))
            deployment.clock.advance(by: .days(30))
            _ = try await store.purge(limit: 100)
            #expect(try await deployment.rows(of: "session") == 0)
        }
    }

    @Test("it does not count as the newest row, whose end tells when it began")
    func newestRow() async throws {
        try await TestDeployment.open { deployment in
            let store = Self.store(deployment)
            _ = try await deployment.browser().get(deployment.origin + "/sign-in")
            let moment = deployment.clock.now
            deployment.clock.advance(by: .minutes(5))
            let asking = try await deployment.asking(by: deployment.browser(userAgent: Browser.shellUserAgent))
            deployment.clock.advance(by: .minutes(5))
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await deployment.rows(of: "session") == 2)
            #expect(try await store.newestRow() == moment)
        }
    }

    @Test("its owner's list has it, and only its owner can end it")
    func list() async throws {
        try await TestDeployment.open { deployment in
            let store = Self.store(deployment)
            let (ann, bob) = (
                try await deployment.signedInShell(), try await deployment.signedInShell(as: "bob@example.com")
            )
            _ = try await deployment.signedIn(as: "carl@example.com")
            let owners = try await deployment.stored.accounts.ids()
            try #require(owners.count == 3)
            let lists = try await deployment.database.read { connection in
                try owners.map { try store.appSessions(of: $0, connection) }
            }
            #expect(lists.map(\.count) == [1, 1, 0], "a browser's session is not listed")
            #expect(lists.joined().allSatisfy { $0.device == "iphone" })
            let handle = try #require(lists[0].first?.handle)
            let ended = try await deployment.database.write { connection in
                [
                    try store.endAppSession(handle: handle, of: owners[1], connection),
                    try store.endAppSession(handle: handle, of: owners[0], connection),
                    try store.endAppSession(handle: handle, of: owners[0], connection),
                ]
            }
            #expect(ended == [false, true, false])
            #expect(try await !ann.isSignedInOnHomePage(of: deployment))
            #expect(try await bob.isSignedInOnHomePage(of: deployment))
        }
    }

    // MARK: Where its sign-in leads

    @Test("a sign-in without a flow leads to the page that the app recognises, and in a browser to the start page")
    func withoutFlow() async throws {
        try await TestDeployment.open { deployment in
            for (userAgent, address, path) in [
                (Browser.shellUserAgent, "ann@example.com", "/reset_app"),
                (Browser.browserUserAgent, "bob@example.com", "/"),
            ] {
                let asking = try await deployment.asking(address, by: deployment.browser(userAgent: userAgent))
                #expect(try await asking.guess(asking.code).location().path == path)
                let again = try await asking.browser.get(deployment.origin + "/sign-in")
                #expect(try again.location().path == path, "signed in already")
            }
        }
    }

    @Test("/reset_app has a link to the start page, for visitors as well, in both programs and both languages")
    func resetApp() async throws {
        try await TestDeployment.open { deployment in
            for origin in [deployment.origin, deployment.client.origin] {
                for (language, words) in [("en", "The app opens"), ("de", "Die App öffnet")] {
                    for userAgent in [Browser.shellUserAgent, Browser.browserUserAgent] {
                        let browser = deployment.browser(language: language, userAgent: userAgent)
                        let page = try await browser.get(origin + "/reset_app")
                        #expect(page.status == 200)
                        #expect(page.text.contains(words))
                        #expect(
                            try page.page().tags.contains {
                                $0.name == "a" && $0["href"] == "/" && $0["class"] == "button"
                            })
                        #expect(page.reply.all("set-cookie") == [])
                        #expect(page.reply.header("cache-control") == "no-store")
                    }
                }
            }
        }
    }
}
