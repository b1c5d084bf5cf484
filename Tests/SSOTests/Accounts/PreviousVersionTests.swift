import Foundation
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPSchema
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The database as the previous version wrote it: nine migrations, sessions as one object with fixed slots.
@Suite("A database of the previous version", .program, .alsoOnPostgres)
struct PreviousVersionTests {
    private static let cookie = Base64URL.encode([UInt8](repeating: 7, count: 32))

    private static func write(to path: String, now: Int64) async throws {
        let database = try await SQLiteDatabase(path: path, migrations: Array(IdPMigrations.all.prefix(9)))
        let slots = """
            {"challenges":{"all":[{"address":"bob@example.com","id":"chl_old","letterAt":\(now)}]},\
            "signIn":{"accountID":"usr_old","authenticatedAt":\(now),"signOuts":0,"methods":["email_code"]}}
            """
        try await database.write { connection in
            try connection.execute(
                "INSERT INTO account (id, email, name, created_at) VALUES ('usr_old', 'ann@example.com', 'Ann', \(now))"
            )
            try connection.execute(
                """
                INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
                VALUES (:id, 'ses_old', 'seed', :slots, \(now), \(now), \(now + 43_200_000))
                """, ["id": .blob(SHA256.hash(Array(cookie.utf8))), "slots": .text(slots)])
            try connection.execute(
                """
                INSERT INTO letter (id, address, challenge_id, created_at, due_at, expires_at)
                VALUES ('old', 'bob@example.com', NULL, \(now), \(now), \(now + 600_000))
                """)
        }
        await database.close()
    }

    @Test("keeps its users signed in, with the same account")
    func signedIn() async throws {
        let now = TestClock().now.milliseconds
        try await TestDeployment.open(preparing: { try await Self.write(to: $0, now: now) }) { deployment in
            let browser = deployment.browser()
            browser.setCookie("idp_session", to: Self.cookie, at: "localhost")
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            let token = try await browser.token(for: deployment.client, of: deployment)
            let reply = try await deployment.verify(token, as: deployment.client)
            #expect(reply.status == 200 && reply.text.contains("\"id\":\"usr_old\""))
        }
    }

    @Test("lets its signed-in users into no client that lets in a group, until they are in it")
    func access() async throws {
        let now = TestClock().now.milliseconds
        try await TestDeployment.open(
            keys: ["groups: [finance]"], preparing: { try await Self.write(to: $0, now: now) }
        ) { deployment in
            let browser = deployment.browser()
            browser.setCookie("idp_session", to: Self.cookie, at: "localhost")
            let refused = try await browser.get(deployment.authorize(deployment.client, state: "s"))
            #expect(refused.status == 403 && refused.text.contains("ann@example.com"))
            try await deployment.makeGroups(["finance"], members: ["ann@example.com"])
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
        }
    }

    @Test("links the identity of each address to its account, and keeps its queue of emails")
    func rows() async throws {
        let now = TestClock().now.milliseconds
        try await TestDeployment.open(preparing: { try await Self.write(to: $0, now: now) }) { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).text.contains("\"id\":\"usr_old\""))
            #expect(try await deployment.rows(of: "account_identity", where: "account_id = 'usr_old'") == 1)
            #expect(try await deployment.rows(of: "mail_queue", where: "id = 'old' AND kind = 'email_code'") == 1)
        }
    }
}
