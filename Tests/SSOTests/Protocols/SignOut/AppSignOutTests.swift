import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPSchema
@testable import IdPTestKit
@testable import SQLiteStorage
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Sign-out of apps, and what follows a user from session to session", .program)
struct AppSignOutTests {
    @Test("an app that signs out, or is signed out by another one, reaches the clients of its web view")
    func apps() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(clientKeys: "logout_uri: \"\(stub.logoutURI)\"") { deployment in
            var told: [String] = []
            var apps: [JSONApp] = []
            for name in ["first", "second", "third"] {
                let app = try await deployment.signedInApp(device: name)
                let view = deployment.webView(of: app)
                told.append(try await deployment.enter(deployment.client, in: view).session.id)
                apps.append(app)
            }
            #expect(try await apps[0].authorized("DELETE", "/session").status == 204)
            #expect(try await stub.received(1).map(\.message.session) == [told[0]])
            #expect(try await apps[1].authorized("DELETE", "/devices").status == 204)
            #expect(try await stub.received(2).map(\.message.session) == [told[0], told[2]])
            let view = deployment.webView(of: apps[1])
            let home = try await view.home(of: deployment)
            #expect(try await view.submit(home.page().form(to: "/devices/end"), on: home).status == 303)
            #expect(try await stub.received(3).map(\.message.session) == [told[0], told[2], told[1]])
        }
    }

    @Test(
        "while a second proof is missing nobody is told, and with it the client's id goes on; another account ends it")
    func secondFactor() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(
            clientKeys: "logout_uri: \"\(stub.logoutURI)\"", adding: PinFactor.added
        ) { deployment in
            let browser = deployment.browser()
            func signIn() async throws {
                let asking = try await deployment.askingAgain(by: browser)
                let page = try await browser.follow(asking.guess(asking.code))
                _ = try await browser.follow(browser.typePin(on: page))
            }
            try await signIn()
            let told = try await deployment.enter(deployment.client, in: browser)
            // The first proof alone, and another first step while the second one is missing.
            #expect(try await deployment.signInOnceMore(browser).address.path == PinFactor.pagePath)
            try await signIn()
            #expect(try await deployment.enter(deployment.client, in: browser).session.id == told.session.id)
            #expect(try await deployment.count("SELECT COUNT(*) FROM sign_out_message") == 0)
            let half = try await deployment.signInOnceMore(browser, as: "bob@example.com")
            #expect(half.address.path == PinFactor.pagePath)
            #expect(try await stub.received(1).map(\.message.session) == [told.session.id])
            #expect(try stub.received.map(\.message.user) == [told.user.id])
        }
    }

    @Test("a database of the version before keeps its users signed in, and knows which clients they have entered")
    func upgrade() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path(of: "idp.sqlite")
        let before = try await SQLiteDatabase(
            path: path, migrations: Array(IdPMigrations.all.prefix { $0.name != "v024-sign-out" }))
        try await before.write { connection in
            for (digest, client, used) in [(1, "wiki", 10), (2, "wiki", 30), (3, "blog", 20), (4, "shop", nil)] {
                try connection.execute(
                    """
                    INSERT INTO sso_token (digest, client_id, redirect_uri, code_challenge, state_digest, account_id,
                                           session_handle, authenticated_at, methods, created_at, expires_at, used_at)
                    VALUES (:digest, :client, 'https://x', '', :digest, 'usr_ann', 'ses_a', 1, 'email_code', 1, 2, :used)
                    """,
                    [
                        "digest": .blob([UInt8(digest)]), "client": .text(client),
                        "used": .optional(used.map(Int64.init)),
                    ])
            }
            try connection.execute(
                """
                INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at, owner, device)
                VALUES (:id, 'ses_app', 'seed', '{}', 1, 1, 2, 'usr_ann', 'iphone')
                """, ["id": .blob([1])])
        }
        await before.close()
        let after = try await SQLiteDatabase(path: path, migrations: IdPMigrations.all)
        let rows = try await after.read { try ClientSignIns().all(of: "ses_a", $0) }
        #expect(rows.map(\.clientID) == ["wiki", "blog"])
        #expect(rows.map { $0.firstUsedAt.milliseconds } == [10, 20])
        #expect(rows.map { $0.lastUsedAt.milliseconds } == [30, 20])
        #expect(rows.allSatisfy { $0.toldSession == "ses_a" && $0.endedAt == nil && $0.accountID == "usr_ann" })
        let sessions = try await after.read {
            try $0.query("SELECT account_id FROM session").map { try $0.optionalText("account_id") }
        }
        #expect(sessions == ["usr_ann"])
        await after.close()
    }

    @Test("a session of before is listed with device and network once it was used again")
    func listedLater() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.furtherBrowser()
            try await deployment.execute("UPDATE session SET account_id = NULL, network = NULL, device = NULL")
            deployment.clock.advance(by: .minutes(2))
            let page = try await browser.get(deployment.origin + "/sessions")
            #expect(page.text.contains("127.0.0.0/24"))
            #expect(try page.page().forms.filter { $0.action == "/sessions/end" }.count == 1)
        }
    }
}
