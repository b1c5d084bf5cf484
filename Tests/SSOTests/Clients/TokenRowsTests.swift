import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The rows of tokens", .program, .alsoOnPostgres)
struct TokenRowsTests {
    private func store(_ deployment: TestDeployment) throws -> GrantPurge {
        GrantPurge(database: deployment.database, clock: deployment.clock.clock)
    }

    @Test("a purge deletes tokens that cannot be redeemed, keeps the used ones for a month, and revives nothing")
    func purge() async throws {
        try await TestDeployment.open { deployment in
            let (ann, client) = (try await deployment.signedIn(), deployment.client)
            let used = try await ann.token(for: client, of: deployment, state: "used")
            #expect(try await deployment.verify(used, as: client).status == 200)
            let unused = try await ann.token(for: client, of: deployment, state: "unused")
            let all = try await deployment.rows(of: "sso_token")
            deployment.clock.advance(by: .seconds(299))
            #expect(try await store(deployment).purge(limit: 100) == 0)
            deployment.clock.advance(by: .seconds(3600))
            #expect(try await store(deployment).purge(limit: 1) == 1)
            #expect(try await store(deployment).purge(limit: 100) == all - 2)
            #expect(try await deployment.rows(of: "sso_token") == 1)
            #expect(try await deployment.stored.grants.used.count() == 1)
            // A clock that steps back into their lifetime finds neither valid.
            deployment.clock.advance(by: .seconds(-3800))
            for token in [used, unused] {
                #expect(try await deployment.verify(token, as: client).error == "invalid_token")
            }
            deployment.clock.advance(by: .seconds(32 * 86_400))
            #expect(try await store(deployment).purge(limit: 100) == 1)
            #expect(try await deployment.verify(used, as: client).error == "invalid_token")
        }
    }

    @Test("a completed purge is not repeated, and misses no row, also when the clock steps back")
    func sweep() async throws {
        try await TestDeployment.open { deployment in
            let (ann, client) = (try await deployment.signedIn(), deployment.client)
            let database = RecordingDatabase(deployment.database)
            let store = GrantPurge(database: database, clock: deployment.clock.clock)
            func issue(_ count: Int, _ name: String) async throws {
                for number in 1...count {
                    _ = try await ann.token(for: client, of: deployment, state: "\(name)-\(number)")
                }
            }
            func unused() async throws -> Int { try await deployment.stored.grants.unused.count() }
            deployment.clock.advance(by: .seconds(1000))
            try await issue(5, "first")
            deployment.clock.advance(by: .seconds(600))
            // Batches that end among tokens of the same millisecond.
            for _ in 1...4 { _ = try await store.purge(limit: 2) }
            #expect(try await unused() == 0)
            deployment.clock.advance(by: .seconds(-900))
            try await issue(2, "earlier")
            deployment.clock.advance(by: .seconds(450))
            #expect(try await store.purge(limit: 100) == 2)
            try await issue(1, "later")
            deployment.clock.advance(by: .seconds(3600))
            #expect(try await store.purge(limit: 100) == 1)
            #expect(try await unused() == 0)
            // The writer does not search: it gets the ids, and finds rows older than the audit period by the index.
            let looks = database.takeStatements().filter { $0.contains("used_at IS NULL") && $0.hasPrefix("DELETE") }
            #expect(!looks.isEmpty && looks.allSatisfy { $0.contains("digest = :digest") })
        }
    }

    @Test("unused tokens among many used ones are found a part at a time, and used ones go also where that fails")
    func parts() async throws {
        try await TestDeployment.open { deployment in
            let (ann, client) = (try await deployment.signedIn(), deployment.client)
            let database = RecordingDatabase(deployment.database)
            for number in 1...7 {
                let token = try await ann.token(for: client, of: deployment, state: "\(number)")
                if number < 7 { #expect(try await deployment.verify(token, as: client).status == 200) }
                deployment.clock.advance(by: .seconds(1))
            }
            deployment.clock.advance(by: .seconds(3600))
            let store = GrantPurge(database: database, clock: deployment.clock.clock, stride: 2)
            let (all, used) = (
                try await deployment.rows(of: "sso_token"), try await deployment.stored.grants.used.count()
            )
            _ = database.takeStatements()
            #expect(try await store.purge(limit: 100) == all - used)
            #expect(database.takeStatements().count { $0.contains("OFFSET") } >= 3)
            #expect(try await store.purge(limit: 100) == 0)
            #expect(database.takeStatements().isEmpty == false)

            deployment.clock.advance(by: .seconds(32 * 86_400))
            database.failsReads = true
            await #expect(throws: DatabaseError.self) {
                try await GrantPurge(database: database, clock: deployment.clock.clock).purge(limit: 100)
            }
            #expect(try await deployment.stored.grants.used.count() == 0)
        }
    }

    @Test("used_at is kept for the audit, and never changes")
    func audit() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment, state: "audit")
            let moment = deployment.clock.now
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            deployment.clock.advance(by: .seconds(60))
            _ = try await deployment.verify(token, as: deployment.client)
            #expect(try await deployment.stored.grants.used(at: moment).count() == 1)
        }
    }

    /// A leaked database contains nothing that can be used.
    @Test("no token, code or session id is in a row, nor in the files of SQLite")
    func hashesOnly() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            #expect(try await asking.guess(asking.code).status == 303)
            let ann = asking.browser
            let token = try await ann.token(for: deployment.client, of: deployment, state: "a-state-of-the-partner")
            let cookie = try #require(ann.cookie("idp_session", at: "localhost"))
            let secrets = [
                token, String(token.dropFirst(4)), asking.code, cookie, "a-state-of-the-partner",
                deployment.client.secret,
            ]
            for secret in secrets { #expect(try await deployment.stored.tables(holding: secret).isEmpty) }
            #expect(try await deployment.stored.tables(holding: deployment.client.id).contains("sso_token"))
            #expect(!deployment.log.text.contains(token) && !deployment.log.text.contains(cookie))
            // PostgreSQL's files are not the test's.
            guard !DeploymentDatabases.areOnPostgres else { return }
            let files = ["idp.sqlite", "idp.sqlite-wal"].compactMap {
                FileManager.default.contents(atPath: deployment.folder.path(of: $0))
            }
            let bytes = files.reduce(Data(), +)
            #expect(bytes.range(of: Data(deployment.client.id.utf8)) != nil)
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
            let raw = try #require(Base64URL.decode(String(token.dropFirst(4))))
            #expect(bytes.range(of: Data(raw)) == nil)
        }
    }

    /// ASVS 11.5.1.
    @Test("every token is sst_ and 43 base64url characters, and all of them begin differently")
    func shape() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            var beginnings: Set<String> = []
            for number in 1...50 {
                // No client redeems them.
                if number == 40 { deployment.clock.advance(by: .minutes(2)) }
                let token = try await ann.token(for: deployment.client, of: deployment, state: "\(number)")
                #expect(token.utf8.count == 47 && SSOToken(wire: token) != nil)
                beginnings.insert(String(token.prefix(12)))
            }
            #expect(beginnings.count == 50)
        }
    }
}
