import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Keys for apps behind the gate", .program, .alsoOnPostgres)
struct AppKeyTests {
    private static let keys = "app_keys: true, app_key_field: X-Api-Key"

    @Test("a user makes a key, which is shown once, opens one service in three forms, and ends it")
    func journey() async throws {
        try await GateScene.open(clients: 2, keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let made = try await scene.makeKey(browser)
            let key = try GateScene.key(on: made)
            #expect(made.status == 200 && made.text.contains("<svg"))
            let list = try await browser.get(scene.deployment.origin + "/app-keys")
            #expect(!list.text.contains("sgk_") && list.text.contains("My phone"))
            for shown in [
                GateScene.bearer(key), HostileKeys.basic("", key), HostileKeys.basic("ann", key), ("X-Api-Key", key),
                ("x-api-key", key),
            ] {
                let reply = try await scene.check(nil, [shown])
                #expect(reply.status == 200 && reply.header("remote-user") == "ann", "\(shown.0)")
                #expect(
                    try JWTParts(reply.header("x-sso-identity") ?? "").claims["sid"]?.text?.hasPrefix("key_") == true)
            }
            #expect(
                try await browser.get(scene.deployment.origin + "/app-keys").text.contains("127.0.0"), "its last use")
            let other = try await scene.probe().get(
                "/gate/partner-2/check", GateScene.proxy(origin: "https://wiki2.example.com") + [GateScene.bearer(key)])
            #expect(other.status == 401)
            let page = try await browser.get(scene.deployment.origin + "/app-keys")
            _ = try await browser.submit(page.page().form(to: "/app-keys/remove"), on: page)
            #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 401)
            #expect(!scene.deployment.log.contains(key))
        }
    }

    @Test("a key waits for a new sign-in when that of the user is older than ten minutes")
    func waits() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            scene.deployment.clock.advance(by: .minutes(11))
            // One that waits has a page that counts its days.
            for days in ["0", "731", "1000000000000000000", "-1000000000000000000", "9223372036854775807", "a"] {
                #expect(try await scene.makeKey(browser, days: days).status == 422, "\(days)")
            }
            let asked = try await scene.makeKey(browser, days: "1")
            #expect(asked.status == 303 && !asked.text.contains("sgk_"))
            let form = try await browser.follow(asked)
            let confirm = try await scene.deployment.signInAgain(browser, on: form, as: "ann@example.com")
            #expect(confirm.text.contains(" for 1 day."))
            let made = try await browser.submit(
                confirm.page().forms.first { $0.action == "/identities/confirm" }, on: confirm)
            #expect(try await scene.check(nil, [GateScene.bearer(try GateScene.key(on: made))]).status == 200)
        }
    }

    @Test("a key that was made before the owner of the mailbox has proven it ends with that proof, and is recorded")
    func unproven() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let deployment = scene.deployment
            let browser = try await deployment.signedIn()
            // As the word of a provider leaves an account.
            let account = try #require(try await deployment.stored.accounts.ids().first)
            try await deployment.stored.identities.delete()
            try await deployment.stored.identities.add(AddedIdentity(account, "1"))
            let key = try GateScene.key(on: try await scene.makeKey(browser))
            #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 200)
            deployment.clock.advance(by: .minutes(2))
            _ = try await deployment.signedIn()
            #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 401)
            #expect(try await deployment.auditRows(.appKeyEnded).map(\.cause) == ["address_proven"])
        }
    }

    @Test("keys stay over a start while their service is disabled, and end, recorded, where it is registered nowhere")
    func overAStart() async throws {
        try await GateScene.openStored { scene, browser in
            let deployment = scene.deployment
            func start() async {
                let directory = ClientDirectory(
                    ClientSource(ClientRegistry([])),
                    stored: StoredClients(
                        database: deployment.database, keys: deployment.keys, randomness: SystemRandomness(),
                        clock: deployment.clock.clock), logger: deployment.log.logger("idp"))
                let review = AccessReview(
                    database: deployment.database, audit: deployment.audit,
                    signOuts: SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness()),
                    logger: deployment.log.logger("idp"))
                await review.enforce(directory)
            }
            let key = try GateScene.key(on: try await scene.makeKey(browser))
            try await deployment.make(EnableClient("wiki", false, deployment.registrar))
            await start()
            try await deployment.make(EnableClient("wiki", true, deployment.registrar))
            #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 200)
            try await deployment.make(EnableClient("wiki", false, deployment.registrar))
            try await deployment.make(RemoveClient("wiki", deployment.registrar))
            await start()
            #expect(try await deployment.auditRows(.appKeyEnded).map(\.cause) == ["client_removed"])
        }
    }

    @Test("a key without a name, with a long one or too long a life is refused, and so is the 21st of a service")
    func limits() async throws {
        try await GateScene.open(clients: 2, keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            for (name, days) in [
                ("", "1"), (String(repeating: "a", count: 61), "1"), ("a", "0"), ("a", "731"), ("a\u{7}", "1"),
            ] {
                let visit = try await scene.makeKey(browser, name: name, days: days)
                #expect(visit.status == 422 && !visit.text.contains("sgk_"), "\(name.count) \(days)")
            }
            for number in 1...20 { #expect(try await scene.makeKey(browser, name: "\(number)").status == 200) }
            let last = try await scene.makeKey(browser)
            #expect(last.status == 409 && !last.text.contains("sgk_"))
            #expect(try await scene.makeKey(browser, client: "partner-2").status == 200)
        }
    }

    @Test("a typing error shows the form again, with what was typed and the focus where it is wrong")
    func typingError() async throws {
        try await GateScene.open(clients: 2, keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            for (name, days, wrong) in [("", "30", "name"), ("My phone", "731", "days"), ("", "0", "name")] {
                let page = try await scene.makeKey(browser, client: "partner-2", name: name, days: days)
                #expect(page.status == 422 && page.text.contains("<title>Error: "))
                let form = try #require(try page.page().form(to: "/app-keys/add"))
                #expect(form["name"] == name && form["days"] == days)
                #expect(page.text.contains("<option value=\"partner-2\" selected>"))
                let focus = page.text.matches(
                    of: #/id="(\w+)"[^>]* autofocus aria-invalid="true" aria-describedby="add-error"/#)
                #expect(focus.map { String($0.1) } == [wrong])
                let made = try await browser.submit(form, on: page, ["name": "My phone", "days": "1"])
                #expect(made.status == 200)
            }
        }
    }

    @Test("a service that takes no keys ignores them, and `Authorization` is its own")
    func withoutKeys() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            #expect(try await scene.check(id, GateScene.page + [GateScene.bearer(HostileKeys.unknown)]).status == 200)
            #expect(try await scene.check(nil, [GateScene.bearer(HostileKeys.unknown)]).status == 401)
            #expect(!scene.deployment.log.contains("app_key_refused"))
        }
    }

    @Test("the key of a machine belongs to no user")
    func machine() async throws {
        try await GateScene.open(keys: Self.keys + ", expose_groups: [staff]") { scene in
            let key = try Secret<AppKeyKind>()
            let made = try await scene.deployment.change(
                MakeMachineKey(key, client: "partner-1", name: "backup", groups: ["staff", "board"]))
            let reply = try await scene.check(nil, [GateScene.bearer(key.wire)])
            #expect(reply.status == 200 && reply.header("remote-user") == "key:backup")
            #expect(reply.header("remote-id") == "" && reply.header("remote-groups") == "staff")
            #expect(try await scene.deployment.change(EndAppKey(made.result.id, of: "partner-1")).isChanged)
            #expect(try await !scene.deployment.change(EndAppKey(made.result.id, of: "partner-1")).isChanged)
            #expect(try await scene.check(nil, [GateScene.bearer(key.wire)]).status == 401)
        }
    }

    @Test("the database has no key, and no id of a session at a service")
    func hashes() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let key = try await scene.key(of: browser)
            let id = try await scene.enter(browser)
            var rows: [String] = []
            for table in ["app_key", "gate_session", "audit_event", "session", "sso_token"] {
                rows += try await scene.deployment.stored.texts(of: table)
            }
            #expect(!rows.isEmpty && !rows.contains { $0.contains(key) || $0.contains(id) })
        }
    }
}
