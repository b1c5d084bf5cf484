import Foundation
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPProtocols
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Keys for apps behind the gate", .program)
struct AppKeyTests {
    private static let keys = ", app_keys: true, app_key_field: X-Api-Key"
    private static let unknown = AppKeyKind.prefix + String(repeating: "A", count: 43)

    private static func basic(_ user: String, _ password: String) -> (String, String) {
        ("Authorization", "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }

    private static func bearer(_ key: String) -> (String, String) { ("Authorization", "Bearer \(key)") }

    /// A key that a user makes on the page, as the answer shows it once.
    private static func make(
        _ browser: Browser, _ scene: GateScene, client: String = "partner-1", name: String = "My phone",
        days: String = "365"
    ) async throws -> Visit {
        let list = try await browser.get(scene.deployment.origin + "/app-keys")
        let form = try list.page().form(to: "/app-keys/add")
        return try await browser.submit(form, on: list, ["client": client, "name": name, "days": days])
    }

    private static func key(on page: Visit) throws -> String {
        guard let found = page.text.firstMatch(of: #/sgk_[A-Za-z0-9_-]{43}/#) else {
            throw ProbeFailure("no key: \(page.status) \(page.text)")
        }
        return String(found.0)
    }

    @Test("a user makes a key, which is shown once, opens one service in three forms, and ends it")
    func journey() async throws {
        try await GateScene.open(clients: 2, keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let made = try await Self.make(browser, scene)
            let key = try Self.key(on: made)
            #expect(made.status == 200 && made.text.contains("<svg"))
            let list = try await browser.get(scene.deployment.origin + "/app-keys")
            #expect(!list.text.contains("sgk_") && list.text.contains("My phone"))
            for shown in [
                Self.bearer(key), Self.basic("", key), Self.basic("ann", key), ("X-Api-Key", key), ("x-api-key", key),
            ] {
                let reply = try await scene.check(nil, [shown])
                #expect(reply.status == 200 && reply.header("remote-user") == "ann", "\(shown.0)")
                #expect(
                    try JWTParts(reply.header("x-sso-identity") ?? "").claims["sid"]?.text?.hasPrefix("key_") == true)
            }
            #expect(
                try await browser.get(scene.deployment.origin + "/app-keys").text.contains("127.0.0"), "its last use")
            let other = try await scene.probe().get(
                "/gate/partner-2/check", GateScene.proxy(origin: "https://wiki2.example.com") + [Self.bearer(key)])
            #expect(other.status == 401)
            let page = try await browser.get(scene.deployment.origin + "/app-keys")
            _ = try await browser.submit(page.page().form(to: "/app-keys/remove"), on: page)
            #expect(try await scene.check(nil, [Self.bearer(key)]).status == 401)
            #expect(!scene.deployment.log.contains(key))
        }
    }

    @Test("a key waits for a new sign-in when that of the user is older than ten minutes")
    func waits() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            scene.deployment.clock.advance(by: .minutes(11))
            let asked = try await Self.make(browser, scene)
            #expect(asked.status == 303 && !asked.text.contains("sgk_"))
            let form = try await browser.follow(asked)
            let code = try await browser.ask(for: "ann@example.com", on: form)
            let confirm = try await browser.enter(
                scene.deployment.mailbox.code(to: "ann@example.com", count: 2), on: code)
            let made = try await browser.submit(
                confirm.page().forms.first { $0.action == "/identities/confirm" }, on: confirm)
            #expect(try await scene.check(nil, [Self.bearer(try Self.key(on: made))]).status == 200)
        }
    }

    @Test("what stands in the place of a key and is none, or not one, is 401 without a way to sign in")
    func hostile() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let key = try Self.key(on: try await Self.make(browser, scene))
            let id = try await scene.enter(browser)
            let rows: [(String, HTTPProbe.Headers)] = [
                ("unknown", [Self.bearer(Self.unknown)]), ("unknown by Basic", [Self.basic("ann", Self.unknown)]),
                ("unknown by the field", [("X-Api-Key", Self.unknown)]),
                ("no key in the field", [("X-Api-Key", "admin")]),
                ("an empty field", [("X-Api-Key", "")]), ("twice", [Self.bearer(key), Self.bearer(key)]),
                ("in two places", [Self.bearer(key), ("X-Api-Key", key)]),
                ("the field twice", [("X-Api-Key", key), ("X-Api-Key", key)]),
                ("longer", [Self.bearer(key + "A")]), ("shorter", [Self.bearer(String(key.dropLast()))]),
                ("two with a comma", [("X-Api-Key", "\(key), \(key)")]),
                ("with a space", [("X-Api-Key", "Bearer \(key)")]),
                ("another kind", [("X-Api-Key", "sst_\(key.dropFirst(4))")]),
                ("upper case", [Self.bearer(key.uppercased())].map { ("X-Api-Key", $0.1) }),
                ("as the cookie", [("Cookie", "\(GateScene.session)=\(key)")]),
                ("as the user of Basic", [Self.basic(key, "")]),
                ("a colon in the user", [Self.basic("a:b", key)]),
                ("another scheme", [("Authorization", "Token \(key)")]),
                ("as Digest", [("Authorization", "Digest \(key)")]),
                ("base64 that is none", [("Authorization", "Basic ***")]),
                ("Basic without a colon", [("Authorization", "Basic \(Data(key.utf8).base64EncodedString())")]),
                ("no scheme", [("Authorization", key)]), ("an empty one", [("Authorization", "")]),
                ("a JWT", [("Authorization", "Bearer eyJhbGciOiJub25lIn0.e30.")]),
                ("a session in its place", [Self.bearer(id)]),
            ]
            for (name, headers) in rows {
                let reply = try await scene.check(nil, headers)
                #expect(reply.status == 401 && reply.header("location") == nil, "\(name)")
                #expect(reply.header("remote-user") == nil, "\(name)")
            }
            for target in ["?key=\(key)", "?access_token=\(key)", "?X-Api-Key=\(key)"] {
                #expect(try await scene.check(nil, [], query: target).status == 401, "\(target.prefix(6))")
            }
            // A key that does not hold is not helped by a session.
            #expect(try await scene.check(id, GateScene.page + [Self.bearer(Self.unknown)]).status == 401)
            // Other fields are the service's own, and the recipe removes them.
            #expect(try await scene.check(id, GateScene.page + [("Authorization", "Basic dTpw")]).status == 200)
            #expect(try await scene.check(nil, [Self.bearer(key)]).status == 200)
        }
    }

    @Test("wrong keys are answered alike however many, and keep neither right keys nor sessions of the network out")
    func flood() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let key = try Self.key(on: try await Self.make(browser, scene))
            let id = try await scene.enter(browser)
            let before = scene.deployment.log.count
            for _ in 1...200 { #expect(try await scene.check(nil, [Self.bearer(Self.unknown)]).status == 401) }
            let lines = scene.deployment.log.text(after: before).split(separator: "\n").count {
                $0.contains("app_key_refused")
            }
            #expect((1...20).contains(lines), "beyond the limit nothing is recorded: \(lines)")
            #expect(try await scene.check(nil, [Self.bearer(key)]).status == 200)
            #expect(try await scene.check(id).status == 200)
        }
    }

    @Test("a key ends with its time, its account and its service, and outlives a sign-out unless the user ticks it")
    func ends() async throws {
        let ends: [(String, Int, (GateScene, Browser) async throws -> Void)] = [
            ("expired", 401, { scene, _ in scene.deployment.clock.advance(by: .days(366)) }),
            ("disabled", 401, { scene, _ in try await scene.deployment.change(DisableUser("ann@example.com")) }),
            (
                "enabled again", 401,
                { scene, _ in
                    try await scene.deployment.change(DisableUser("ann@example.com"))
                    try await scene.deployment.change(EnableUser("ann@example.com"))
                }
            ),
            ("erased", 401, { scene, _ in try await scene.deployment.change(EraseUser("ann@example.com", .now)) }),
            (
                "signed out", 200,
                { scene, browser in
                    let home = try await browser.get(scene.deployment.origin + "/")
                    _ = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
                }
            ),
            (
                "signed out elsewhere", 200,
                { scene, browser in
                    _ = try await scene.deployment.signedIn()
                    let page = try await browser.get(scene.deployment.origin + "/sessions")
                    _ = try await browser.submit(page.page().form(to: "/sessions/end-others"), on: page)
                }
            ),
            (
                "signed out elsewhere with keys", 401,
                { scene, browser in
                    _ = try await scene.deployment.signedIn()
                    let page = try await browser.get(scene.deployment.origin + "/sessions")
                    _ = try await browser.submit(
                        page.page().form(to: "/sessions/end-others"), on: page, ["keys": "yes"])
                }
            ),
        ]
        for (name, status, end) in ends {
            try await GateScene.open(keys: Self.keys) { scene in
                let browser = try await scene.deployment.signedIn()
                let key = try Self.key(on: try await Self.make(browser, scene))
                #expect(try await scene.check(nil, [Self.bearer(key)]).status == 200, "\(name)")
                try await end(scene, browser)
                #expect(try await scene.check(nil, [Self.bearer(key)]).status == status, "\(name)")
            }
        }
    }

    @Test("a key without a name, with a long one or too long a life is refused, and so is the 21st of a service")
    func limits() async throws {
        try await GateScene.open(clients: 2, keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            for (name, days) in [
                ("", "1"), (String(repeating: "a", count: 61), "1"), ("a", "0"), ("a", "731"), ("a\u{7}", "1"),
            ] {
                let visit = try await Self.make(browser, scene, name: name, days: days)
                #expect(visit.status == 422 && !visit.text.contains("sgk_"), "\(name.count) \(days)")
            }
            for number in 1...20 { #expect(try await Self.make(browser, scene, name: "\(number)").status == 200) }
            let last = try await Self.make(browser, scene)
            #expect(last.status == 409 && !last.text.contains("sgk_"))
            #expect(try await Self.make(browser, scene, client: "partner-2").status == 200)
        }
    }

    @Test("a service that takes no keys ignores them, and `Authorization` is its own")
    func withoutKeys() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            #expect(try await scene.check(id, GateScene.page + [Self.bearer(Self.unknown)]).status == 200)
            #expect(try await scene.check(nil, [Self.bearer(Self.unknown)]).status == 401)
            #expect(!scene.deployment.log.contains("app_key_refused"))
        }
    }

    @Test("the key of a machine belongs to no user")
    func machine() async throws {
        try await GateScene.open(keys: Self.keys + ", expose_groups: [staff]") { scene in
            let key = try Secret<AppKeyKind>()
            let made = try await scene.deployment.change(
                MakeMachineKey(key, client: "partner-1", name: "backup", groups: ["staff", "board"]))
            let reply = try await scene.check(nil, [Self.bearer(key.wire)])
            #expect(reply.status == 200 && reply.header("remote-user") == "key:backup")
            #expect(reply.header("remote-id") == "" && reply.header("remote-groups") == "staff")
            #expect(try await scene.deployment.change(EndAppKey(made.result.id, of: "partner-1")).isChanged)
            #expect(try await !scene.deployment.change(EndAppKey(made.result.id, of: "partner-1")).isChanged)
            #expect(try await scene.check(nil, [Self.bearer(key.wire)]).status == 401)
        }
    }

    @Test("the database has no key, and no id of a session at a service")
    func hashes() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let key = try Self.key(on: try await Self.make(browser, scene))
            let id = try await scene.enter(browser)
            let rows = try await scene.deployment.database.read { connection in
                try ["app_key", "gate_session", "audit_event", "session", "sso_token"].flatMap { table in
                    try connection.query("SELECT * FROM \(table)").map { "\($0.values)" }
                }
            }
            #expect(!rows.isEmpty && !rows.contains { $0.contains(key) || $0.contains(id) })
        }
    }
}
