import ProbeKit
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOClient
@testable import TestKit
@testable import WebTestKit

/// Pending sign-ins are stored in the browser, sealed: a browser that does not sign in leaves no rows.
@Suite("The cookies of pending sign-ins", .program)
struct PendingCookieTests {
    private static func rows(_ deployment: TestDeployment, _ table: String) async throws -> Int {
        try await deployment.client.database.stored.count(of: table)
    }

    /// The name and the value of the one that a browser has.
    private static func cookie(_ browser: Browser) throws -> (name: String, value: String) {
        let all = browser.pendingSignIns
        guard all.count == 1, let one = all.first else { throw ProbeFailure("\(all.count) cookies") }
        return (one.key, one.value)
    }

    @Test("the start page and starting a sign-in do not use the database")
    func noStatement() async throws {
        let folder = try TemporaryFolder()
        let real = try await SQLiteDatabase(path: folder.path(of: "rp.sqlite"), migrations: RelyingPartyMigrations.all)
        let database = RecordingDatabase(real)
        let reader = SettingsReader(SettingsSource(SettingsFixture.client))
        let settings = try #require(RelyingPartySettings.read(reader))
        let services = RelyingPartyServices(
            ProgramServices(database: database, clock: TestClock().clock, logger: CapturedLog().logger("rp")),
            backChannel: try BackChannelClient(settings))
        let authority = try settings[RelyingPartySettings.publicURL].text.split(separator: "/")[1]
        try await serving({ try buildRelyingParty(settings: settings, services: services, started: $0) }) { port in
            let probe = HTTPProbe(port: port, authority: String(authority))
            for path in ["/", "/auth/sso/start", "/auth/sso/start?return_to=/account", "/account", "/"] {
                for _ in 1...20 {
                    let status = try await probe.get(path).status
                    #expect(status < 400)
                }
            }
            // The start looks at the newest session. The purge runs beside it, and looks for expired rows.
            let statements = database.takeStatements().filter { !$0.hasPrefix("SELECT created_at FROM session ") }
            #expect(statements.allSatisfy { $0.contains("expires_at") && !$0.hasPrefix("INSERT") }, "\(statements)")
        }
        await real.close()
    }

    @Test("a session begins with the sign-in and not before; the callback leaves only a row of the used state")
    func sessionAfterwards() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            #expect(browser.cookie("rp_session", at: "127.0.0.2") == nil)
            #expect(try await Self.rows(deployment, "session") == 0)
            #expect(try await Self.rows(deployment, "used_state") == 0)
            #expect(try await browser.comeBack(to: deployment.client, [("state", "x"), ("token", "y")]).status == 400)
            #expect(try await Self.rows(deployment, "used_state") == 0, "a wrong state makes no row")

            let back = try await browser.comeBack(to: deployment.client, state: state)
            #expect(back.status == 303)
            let lines = back.reply.all("set-cookie").filter { $0.hasPrefix("rp_pending_") }
            let id = PendingSignInsCookie.id(of: state)
            #expect(lines == ["rp_pending_\(id)=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"])
            #expect(browser.cookie("rp_session", at: "127.0.0.2") != nil)
            #expect(browser.pendingSignIns.isEmpty)
            #expect(try await Self.rows(deployment, "session") == 1)
            #expect(try await Self.rows(deployment, "used_state") == 1)
        }
    }

    /// ASVS 3.3.1 to 3.3.4.
    @Test(
        "their attributes match the public address, and they last ten minutes",
        arguments: [
            ("http://127.0.0.2:4100", "rp_pending_", "; Path=/; HttpOnly; SameSite=Lax; Max-Age=600"),
            ("https://localhost:4100", "__Host-rp_pending_", "; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"),
        ])
    func flags(publicURL: String, name: String, attributes: String) async throws {
        try await TestDeployment.open(clientSettings: ["RP_PUBLIC_URL": publicURL]) { deployment in
            for path in ["/", SSOPath.start] {
                let cookies = try await deployment.clientProbe().get(path).all("set-cookie")
                #expect(cookies.count == 1)
                let cookie = try #require(cookies.first)
                #expect(cookie.hasPrefix(name) && cookie.hasSuffix(attributes))
            }
        }
    }

    @Test("they are unreadable: neither a state nor a return path appears in them")
    func sealed() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/private-place")
            let (name, value) = try Self.cookie(browser)
            #expect(!name.contains(state))
            let bytes = try #require(Base64URL.decode(value))
            for part in [state, "private-place", "localhost"] {
                #expect(!value.contains(part))
                #expect(bytes.firstRange(of: Array(part.utf8)) == nil)
            }
        }
    }

    @Test(
        "together they stay under 4 KiB with any number of sign-ins: the oldest are dropped first, and the newest always works"
    )
    func bounded() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            // The quotation mark is two bytes in JSON.
            for (path, atLeast) in [
                ("/short", 8), ("/" + String(repeating: "a", count: 1023), 2),
                ("/" + String(repeating: "\"", count: 1023), 1),
            ] {
                let browser = deployment.browser()
                var states: [String] = []
                for _ in 1...12 {
                    states.append(try await browser.state(at: deployment.client, returnTo: path))
                    let bytes = browser.pendingSignIns.map { $0.key.utf8.count + 1 + $0.value.utf8.count }
                    #expect(bytes.count <= 8 && bytes.reduce(0, +) < 4096)
                    deployment.clock.advance(by: .seconds(1))
                }
                var alive = 0
                for state in states.reversed() {
                    let visit = try await browser.twin().comeBack(to: deployment.client, state: state)
                    guard visit.status == 303 else { break }
                    #expect(visit.reply.header("location") == path)
                    alive += 1
                }
                #expect((atLeast...8).contains(alive), "\(path.prefix(8)): \(alive)")
            }
        }
    }

    @Test("twenty views of the start page end no sign-in of another tab")
    func offers() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let begun = try await browser.state(at: deployment.client, returnTo: "/account")
            var offered = ""
            for _ in 1...20 { offered = try await browser.state(at: deployment.client) }
            let visit = try await browser.twin().comeBack(to: deployment.client, state: begun)
            #expect(visit.status == 303 && visit.reply.header("location") == "/account")
            #expect(try await browser.comeBack(to: deployment.client, state: offered).status == 303)
        }
    }

    @Test("a changed, truncated, duplicated or foreign cookie holds no sign-in, and the IdP is not called")
    func forged() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            let (name, value) = try Self.cookie(browser)
            var flipped = try #require(Base64URL.decode(value))
            flipped[20] ^= 1
            let keys = try DerivedKeys.parse(TestSecret.new(), setting: "keys")
            let plain = Array(
                #"{"open":[{"state":"\#(state)","codeVerifier":"v","idp":"i","returnTo":"/","begunAt":0}]}"#.utf8)
            let foreign = try SealedBox(keys: keys, label: "pending-sign-ins").seal(plain)
            for cookies in [
                "", "\(name)=", "\(name)=\(value.dropLast())", "\(name)=\(Base64URL.encode(flipped))",
                "\(name)=\(Base64URL.encode(foreign))", "\(name)=\(Base64URL.encode(plain))",
                "\(name)=\(value); \(name)=\(value)", "\(name)=\(value); \(name)=x", "rp_session=\(value)",
                "__Host-\(name)=\(value)", "\(name)=\(String(repeating: "A", count: 9000))",
                "rp_pending_AAAAAAAA=\(value)", "rp_pending_=\(value)", "rp_pending_; rp_pending_=",
            ] {
                let target = "\(SSOPath.callback)?token=\(Browser.someToken)&state=\(state)"
                let reply = try await deployment.clientProbe().get(target, [("Cookie", cookies)])
                #expect(reply.status == 400, "\(cookies.prefix(30))")
                #expect(try await deployment.clientProbe().get("/", [("Cookie", cookies)]).status == 200)
            }
            #expect(idp.calls == 0)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
        }
    }

    @Test(
        "a cookie from before the sign-in, restored, redeems nothing: neither with another token nor later with the same"
    )
    func replayed() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            let before = browser.twin()
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
            let other = [("token", String(Browser.someToken.dropLast()) + "9"), ("state", state)]
            #expect(try await before.comeBack(to: deployment.client, other).status == 400)
            deployment.clock.advance(by: .seconds(11))
            #expect(try await before.comeBack(to: deployment.client, state: state).status == 400)
            #expect(try await before.userID(at: deployment.client) == nil)
            // The browser itself is redirected to its page, also with its old cookie.
            for (name, value) in before.pendingSignIns { browser.setCookie(name, to: value, at: "127.0.0.2") }
            let reload = try await browser.comeBack(to: deployment.client, state: state)
            #expect(reload.status == 303 && reload.reply.header("location") == "/account")
            #expect(idp.calls == 1)
        }
    }

    @Test("tabs that return at the same moment are each redeemed once, and each reload leads to its page")
    func tabs() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            var states: [String] = []
            for number in 1...6 {
                states.append(try await browser.state(at: deployment.client, returnTo: "/tab-\(number)"))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, state) in states.enumerated() {
                    let tab = browser.twin()
                    group.addTask {
                        let visit = try await tab.comeBack(to: deployment.client, state: state)
                        #expect(visit.status == 303 && visit.reply.header("location") == "/tab-\(index + 1)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(idp.calls == 6)
            // The cookies of the last answer are kept; this browser still has all six states.
            let last = browser.twin()
            #expect(
                try await last.comeBack(to: deployment.client, state: last.state(at: deployment.client)).status == 303)
            deployment.clock.advance(by: .seconds(11))
            for (index, state) in states.enumerated() {
                let visit = try await last.comeBack(to: deployment.client, state: state)
                #expect(visit.status == 303 && visit.reply.header("location") == "/tab-\(index + 1)")
            }
            #expect(idp.calls == 7)
        }
    }
}
