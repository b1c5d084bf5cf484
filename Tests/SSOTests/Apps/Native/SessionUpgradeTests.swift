import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPSchema
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The databases as the version before apps wrote them: sessions without owner and device.
@Suite("Sessions of the version before native apps", .program)
struct SessionUpgradeTests {
    private static let cookie = Base64URL.encode([UInt8](repeating: 7, count: 32))

    private static func insert(
        _ slots: String, life: Duration, now: Timestamp, into database: any Database
    ) async throws {
        try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at, submitted)
                VALUES (:id, 'ses_old', 'seed', :slots, :now, :now, :end, 1)
                """,
                [
                    "id": .blob(SHA256.hash(Array(cookie.utf8))), "slots": .text(slots), "now": .timestamp(now),
                    "end": .timestamp(now + life),
                ])
            return
        }
    }

    private static func write(to path: String, now: Timestamp) async throws {
        let idp = try await SQLiteDatabase(
            path: path, migrations: IdPMigrations.all.filter { $0.name < "v014" })
        try await idp.write { connection in
            try connection.execute(
                """
                INSERT INTO account (id, email, name, created_at)
                VALUES ('usr_old', 'ann@example.com', 'Ann', \(now.milliseconds))
                """)
            return
        }
        let signIn =
            #"{"accountID":"usr_old","authenticatedAt":\#(now.milliseconds),"methods":["email_code"],"signOuts":0}"#
        try await insert(#"{"signIn":\#(signIn)}"#, life: .hours(12), now: now, into: idp)
        await idp.close()

        let party = try await SQLiteDatabase(
            path: path.replacing("idp.sqlite", with: "partner-1.sqlite"),
            migrations: RelyingPartyMigrations.all.filter { $0.name < "v005" })
        let user =
            #"{"id":"usr_old","email":"ann@example.com","name":"Ann","signedInAt":\#(now.milliseconds),"methods":[]}"#
        try await insert(#"{"user":\#(user)}"#, life: .hours(12), now: now, into: party)
        await party.close()
    }

    @Test("keep their users signed in, in both programs, and stay a browser's whatever asks with them")
    func upgrade() async throws {
        let now = TestClock().now
        try await TestDeployment.open(preparing: { try await Self.write(to: $0, now: now) }) { deployment in
            for userAgent in [Browser.browserUserAgent, Browser.shellUserAgent] {
                let browser = deployment.browser(userAgent: userAgent)
                browser.setCookie("idp_session", to: Self.cookie, at: "localhost")
                browser.setCookie("rp_session", to: Self.cookie, at: "127.0.0.2")
                deployment.clock.advance(by: .minutes(5))
                for address in [deployment.origin + "/", deployment.client.origin + "/account"] {
                    let page = try await browser.get(address)
                    #expect(page.status == 200 && page.text.contains("ann@example.com"))
                    #expect(page.reply.all("set-cookie") == [])
                }
                let token = try await browser.token(for: deployment.client, of: deployment)
                #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            }
            deployment.clock.advance(by: .hours(2))
            let browser = deployment.browser(userAgent: Browser.shellUserAgent)
            browser.setCookie("idp_session", to: Self.cookie, at: "localhost")
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("and a process of the version before, which names no owner, writes sessions of browsers")
    func olderProcess() async throws {
        try await TestDeployment.open { deployment in
            let now = deployment.clock.now
            try await Self.insert("{}", life: .hours(12), now: now, into: deployment.database)
            #expect(try await deployment.rows(of: "session", where: "owner IS NULL AND device IS NULL") == 1)
        }
    }
}
