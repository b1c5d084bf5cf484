import Hummingbird
import HummingbirdTesting
import SSOShared
import SSOWeb
import Testing

@testable import RelyingParty

/// Pending sign-ins live in the browser, sealed: a visitor who signs in nowhere costs nothing that stays.
@Suite("The cookie of pending sign-ins")
struct PendingCookieTests {
    private static func rows(_ house: House, _ table: String) async throws -> Int {
        try await house.partner.database.read { connection in
            Int(try connection.query("SELECT COUNT(*) AS n FROM \(table)")[0].integer("n"))
        }
    }

    private static func cookie(_ visitor: Visitor) -> String { visitor.cookie("rp_pending", at: "127.0.0.2") ?? "" }

    @Test("the start page and the beginning of a sign-in ask nothing of the database, whoever looks and how often")
    func noStatement() async throws {
        let folder = try TemporaryFolder()
        let real = try await SQLiteDatabase(path: folder.path(of: "rp.sqlite"), migrations: RelyingPartyMigrations.all)
        let database = RecordingDatabase(real)
        let reader = SettingsReader(SettingsSource(SettingsFixture.partner))
        let settings = try #require(RelyingPartySettings.read(reader))
        let services = RelyingPartyServices(
            database: database, backChannel: try BackChannelClient(settings), clock: TestClock().clock,
            randomness: SystemRandomness(), logger: LogBook().logger("rp"))
        try await buildRelyingParty(settings: settings, services: services).test(.router) { client in
            for path in ["/", "/auth/sso/start", "/auth/sso/start?return_to=/account", "/account", "/"] {
                for _ in 1...20 {
                    try await client.execute(uri: path, method: .get) { #expect($0.status.code < 400) }
                }
            }
            // The purge runs beside it, and looks for what has expired.
            let statements = database.takeStatements()
            #expect(statements.allSatisfy { $0.contains("expires_at") && !$0.hasPrefix("INSERT") }, "\(statements)")
        }
        await real.close()
    }

    @Test("a session begins with the sign-in and not before; of the way there a row of the used state is left")
    func sessionAfterwards() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            let state = try await visitor.state(at: house.partner)
            #expect(visitor.cookie("rp_session", at: "127.0.0.2") == nil)
            #expect(try await Self.rows(house, "session") == 0)
            #expect(try await Self.rows(house, "used_state") == 0)
            #expect(try await visitor.comeBack(to: house.partner, [("state", "x"), ("token", "y")]).status == 400)
            #expect(try await Self.rows(house, "used_state") == 0, "a wrong state is not worth a row")

            #expect(try await visitor.comeBack(to: house.partner, state: state).status == 303)
            #expect(visitor.cookie("rp_session", at: "127.0.0.2") != nil)
            #expect(visitor.cookie("rp_pending", at: "127.0.0.2") == nil)
            #expect(try await Self.rows(house, "session") == 1)
            #expect(try await Self.rows(house, "used_state") == 1)
        }
    }

    /// ASVS 3.3.1 to 3.3.4.
    @Test(
        "its flags are those of the public address, and it lives ten minutes",
        arguments: [
            ("http://127.0.0.2:4100", "rp_pending", "; Path=/; HttpOnly; SameSite=Lax; Max-Age=600"),
            ("https://localhost:4100", "__Host-rp_pending", "; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"),
        ])
    func flags(publicURL: String, name: String, attributes: String) async throws {
        try await House.open(partnerSettings: ["RP_PUBLIC_URL": publicURL]) { house in
            for path in ["/", SSOPath.start] {
                let cookies = try await house.partnerProbe().get(path).all("set-cookie")
                #expect(cookies.count == 1)
                let cookie = try #require(cookies.first)
                #expect(cookie.hasPrefix("\(name)=") && cookie.hasSuffix(attributes))
            }
        }
    }

    @Test("nobody reads it: neither a state nor a page to come back to stands in it")
    func sealed() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let state = try await visitor.state(at: house.partner, returnTo: "/private-place")
            let value = Self.cookie(visitor)
            let bytes = try #require(Base64URL.decode(value))
            for part in [state, "private-place", "localhost"] {
                #expect(!value.contains(part))
                #expect(bytes.firstRange(of: Array(part.utf8)) == nil)
            }
        }
    }

    @Test("it stays under 4 KiB whatever was begun: the oldest go first, and the newest always works")
    func bounded() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            // The quotation mark is two bytes in JSON.
            for (path, atLeast) in [
                ("/short", 8), ("/" + String(repeating: "a", count: 1023), 2),
                ("/" + String(repeating: "\"", count: 1023), 1),
            ] {
                let visitor = house.visitor()
                var states: [String] = []
                for _ in 1...12 {
                    states.append(try await visitor.state(at: house.partner, returnTo: path))
                    #expect("rp_pending=\(Self.cookie(visitor))".utf8.count < 4096)
                }
                var alive = 0
                for state in states.reversed() {
                    let visit = try await visitor.twin().comeBack(to: house.partner, state: state)
                    guard visit.status == 303 else { break }
                    #expect(visit.reply.header("location") == path)
                    alive += 1
                }
                #expect((atLeast...8).contains(alive), "\(path.prefix(8)): \(alive)")
            }
        }
    }

    @Test("twenty views of the start page end no sign-in that another tab has begun")
    func offers() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            let begun = try await visitor.state(at: house.partner, returnTo: "/account")
            var offered = ""
            for _ in 1...20 { offered = try await visitor.state(at: house.partner) }
            let visit = try await visitor.twin().comeBack(to: house.partner, state: begun)
            #expect(visit.status == 303 && visit.reply.header("location") == "/account")
            #expect(try await visitor.comeBack(to: house.partner, state: offered).status == 303)
        }
    }

    @Test("a cookie that was changed, cut, doubled or made elsewhere holds no sign-in, and the IdP is not asked")
    func forged() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            let state = try await visitor.state(at: house.partner)
            let value = Self.cookie(visitor)
            var flipped = try #require(Base64URL.decode(value))
            flipped[20] ^= 1
            let keys = try DerivedKeys.parse(ProgramPair.secret(), setting: "keys")
            let plain = Array(
                #"{"open":[{"state":"\#(state)","codeVerifier":"v","idp":"i","returnTo":"/","begunAt":0}]}"#.utf8)
            let foreign = try SealedBox(keys: keys, label: "pending-sign-ins").seal(plain)
            for cookies in [
                "", "rp_pending=", "rp_pending=\(value.dropLast())", "rp_pending=\(Base64URL.encode(flipped))",
                "rp_pending=\(Base64URL.encode(foreign))", "rp_pending=\(Base64URL.encode(plain))",
                "rp_pending=\(value); rp_pending=\(value)", "rp_pending=\(value); rp_pending=x", "rp_session=\(value)",
                "__Host-rp_pending=\(value)", "rp_pending=\(String(repeating: "A", count: 9000))",
            ] {
                let target = "\(SSOPath.callback)?token=\(Visitor.someToken)&state=\(state)"
                let reply = try await house.partnerProbe().get(target, [("Cookie", cookies)])
                #expect(reply.status == 400, "\(cookies.prefix(30))")
                #expect(try await house.partnerProbe().get("/", [("Cookie", cookies)]).status == 200)
            }
            #expect(idp.calls == 0)
            #expect(try await visitor.comeBack(to: house.partner, state: state).status == 303)
        }
    }

    @Test("a cookie from before the sign-in, put back, redeems nothing: neither by another token nor later by the same")
    func replayed() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            let state = try await visitor.state(at: house.partner, returnTo: "/account")
            let before = visitor.twin()
            #expect(try await visitor.comeBack(to: house.partner, state: state).status == 303)
            let other = [("token", String(Visitor.someToken.dropLast()) + "9"), ("state", state)]
            #expect(try await before.comeBack(to: house.partner, other).status == 400)
            house.clock.advance(by: .seconds(11))
            #expect(try await before.comeBack(to: house.partner, state: state).status == 400)
            #expect(try await before.userID(at: house.partner) == nil)
            // The browser itself has the page to go to, also when its cookie is the old one again.
            visitor.setCookie("rp_pending", to: Self.cookie(before), at: "127.0.0.2")
            let reload = try await visitor.comeBack(to: house.partner, state: state)
            #expect(reload.status == 303 && reload.reply.header("location") == "/account")
            #expect(idp.calls == 1)
        }
    }

    @Test("tabs that come back at the same moment are each redeemed once, and each reload leads to its page")
    func tabs() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let visitor = house.visitor()
            var states: [String] = []
            for number in 1...6 {
                states.append(try await visitor.state(at: house.partner, returnTo: "/tab-\(number)"))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, state) in states.enumerated() {
                    let tab = visitor.twin()
                    group.addTask {
                        let visit = try await tab.comeBack(to: house.partner, state: state)
                        #expect(visit.status == 303 && visit.reply.header("location") == "/tab-\(index + 1)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(idp.calls == 6)
            // The cookies of the last answer win; those of this browser still know all six states.
            let last = visitor.twin()
            #expect(try await last.comeBack(to: house.partner, state: last.state(at: house.partner)).status == 303)
            house.clock.advance(by: .seconds(11))
            for (index, state) in states.enumerated() {
                let visit = try await last.comeBack(to: house.partner, state: state)
                #expect(visit.status == 303 && visit.reply.header("location") == "/tab-\(index + 1)")
            }
            #expect(idp.calls == 7)
        }
    }

    @Test("a sign-in that the version before has begun, in a session row, goes on over the upgrade")
    func upgrade() async throws {
        let idp = try FakeIdP()
        try await idp.open { house in
            let (visitor, value) = (house.visitor(), Base64URL.encode(try RandomBytes.generate(32)))
            let now = house.clock.now.milliseconds
            let slots = """
                {"pending":{"open":[{"state":"old-state","codeVerifier":"v","idp":"http://localhost:4000",\
                "returnTo":"/account","begunAt":\(now)}],"finished":[]}}
                """
            try await house.partner.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
                    VALUES (:id, 'ses_old', 'seed', :slots, :now, :now, :expires)
                    """,
                    [
                        "id": .blob(SHA256.hash(Array(value.utf8))), "slots": .text(slots), "now": .integer(now),
                        "expires": .integer(now + 43_200_000),
                    ])
                return
            }
            visitor.setCookie("rp_session", to: value, at: "127.0.0.2")
            let visit = try await visitor.comeBack(to: house.partner, state: "old-state")
            #expect(visit.status == 303 && visit.reply.header("location") == "/account")
            #expect(try await visitor.userID(at: house.partner) == "u1")
            #expect(visitor.cookie("rp_session", at: "127.0.0.2") != value)
            // What is stored now, that version reads as well: it needs these names.
            let stored = try await house.partner.database.read { connection in
                try connection.query("SELECT slots FROM session")[0].text("slots")
            }
            let pending = try JSONDecoding.value(Array(stored.utf8))["pending"]
            #expect(pending?["open"] != nil && pending?["finished"] != nil)
        }
    }
}
