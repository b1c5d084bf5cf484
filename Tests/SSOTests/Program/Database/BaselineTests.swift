import Foundation
import Testing

@testable import IdPAccounts
@testable import IdPSchema
@testable import IdPTestKit
@testable import PostgresStorage
@testable import RelyingParty
@testable import SQLiteStorage
@testable import SSOShared
@testable import SSOWeb
@testable import Storage
@testable import TestKit
@testable import WebTestKit

/// One step has replaced those of the builds before 0.1.0 (decision 0096). Their databases open as they are.
@Suite("A database of the last build before 0.1.0", .program, .alsoOnPostgres)
struct BaselineTests {
    private static let programs = ["idp": IdPMigrations.all, "relying-party": RelyingPartyMigrations.all]
    private static let cookie = Base64URL.encode([UInt8](repeating: 7, count: 32))

    // MARK: - Users

    private static func insert(
        _ slots: String, now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at, submitted)
            VALUES (:id, 'ses_old', 'seed', :slots, :now, :now, :end, 1)
            """,
            [
                "id": .blob(SHA256.hash(Array(cookie.utf8))), "slots": .text(slots), "now": .timestamp(now),
                "end": .timestamp(now + .hours(12)),
            ])
    }

    /// The IdP's database with a signed-in user.
    private static func makeIdP(
        now: Timestamp, _ open: @Sendable ([Migration]) async throws -> any Database
    ) async throws {
        try await FormerSchema("idp").make(open)
        // Without a step that it lacks, it is opened by any list that has them.
        let database = try await open(IdPMigrations.all)
        try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO account (id, email, name, created_at)
                VALUES ('usr_old', 'ann@example.com', 'Ann', :now)
                """, ["now": .timestamp(now)])
            let signIn =
                #"{"accountID":"usr_old","authenticatedAt":\#(now.milliseconds),"methods":["email_code"],"signOuts":0}"#
            try insert(#"{"signIn":\#(signIn)}"#, now: now, connection)
        }
        await database.close()
    }

    /// A relying party's, with the same user.
    private static func makeRelyingParty(
        now: Timestamp, _ open: @Sendable ([Migration]) async throws -> any Database
    ) async throws {
        try await FormerSchema("relying-party").make(open)
        let database = try await open(RelyingPartyMigrations.all)
        try await database.write { connection in
            let user =
                #"{"id":"usr_old","email":"ann@example.com","name":"Ann","signedInAt":\#(now.milliseconds),"methods":[]}"#
            try insert(#"{"user":\#(user)}"#, now: now, connection)
        }
        await database.close()
    }

    private static func write(to path: String, now: Timestamp) async throws {
        try await makeIdP(now: now) { try await SQLiteDatabase(path: path, migrations: $0) }
        let client = path.replacing("idp.sqlite", with: "partner-1.sqlite")
        try await makeRelyingParty(now: now) { try await SQLiteDatabase(path: client, migrations: $0) }
    }

    @Test("keeps its users signed in, in both programs, with the same account")
    func signedIn() async throws {
        let now = TestClock().now
        try await TestDeployment.open(preparing: { try await Self.write(to: $0, now: now) }) { deployment in
            let browser = deployment.browser()
            browser.setCookie("idp_session", to: Self.cookie, at: "localhost")
            browser.setCookie("rp_session", to: Self.cookie, at: "127.0.0.2")
            for address in [deployment.origin + "/", deployment.client.origin + "/account"] {
                let page = try await browser.get(address)
                #expect(page.status == 200 && page.text.contains("ann@example.com"), "\(address)")
                #expect(page.reply.all("set-cookie") == [])
            }
            let token = try await browser.token(for: deployment.client, of: deployment)
            let reply = try await deployment.verify(token, as: deployment.client)
            #expect(reply.status == 200 && reply.text.contains("\"id\":\"usr_old\""))
        }
    }

    @Test("lets its signed-in users into no client that lets in a group, until they are in it")
    func access() async throws {
        let now = TestClock().now
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

    @Test("keeps its users signed in on PostgreSQL")
    func signedInOnPostgres() async throws {
        let (fixture, clock) = (try await PostgresFixture.make(), TestClock())
        try await Self.makeIdP(now: clock.now) { try await fixture.open($0) }
        let database = try await fixture.open(IdPMigrations.all)
        let store = SessionStore(
            database: database, clock: clock.clock, randomness: SystemRandomness(),
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)))
        let id = try #require(SessionID(cookieValue: Self.cookie))
        let session = try #require(await store.find(id))
        #expect(session.handle == "ses_old")
        #expect(session.slots[CurrentSignIn.self].signIn?.accountID == "usr_old")
        await database.close()
    }

    // MARK: - The schema

    @Test("has the same tables and indexes as a new one", arguments: programs.keys.sorted())
    func schema(program: String) async throws {
        let (folder, migrations) = (try TemporaryFolder(), try #require(Self.programs[program]))
        let former = folder.path(of: "former")
        try await FormerSchema(program).make { try await SQLiteDatabase(path: former, migrations: $0) }
        func entries(_ name: String) async throws -> [String: String] {
            let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: migrations)
            let rows = try await database.read { connection in
                try connection.query("SELECT type || ' ' || name AS name, COALESCE(sql, '') AS sql FROM sqlite_schema")
                    .map { (try $0.text("name"), SchemaCheck.normalised(try $0.text("sql"))) }
            }
            await database.close()
            return Dictionary(uniqueKeysWithValues: rows)
        }
        let (found, expected) = (try await entries("former"), try await entries("new"))
        #expect(expected.count > 10)
        for name in Set(found.keys).union(expected.keys) { #expect(found[name] == expected[name], "\(name)") }
    }

    @Test("has the same columns and indexes as a new one on PostgreSQL", arguments: programs.keys.sorted())
    func schemaOnPostgres(program: String) async throws {
        let migrations = try #require(Self.programs[program])
        func lines(isFormer: Bool) async throws -> [String] {
            let fixture = try await PostgresFixture.make()
            if isFormer { try await FormerSchema(program).make { try await fixture.open($0) } }
            let database = try await fixture.open(migrations)
            let lines = try await database.read { connection in
                try connection.query(
                    """
                    SELECT concat_ws(' ', table_name, ordinal_position::text, column_name, data_type, domain_name, is_nullable,
                                     column_default) AS line
                      FROM information_schema.columns WHERE table_schema = current_schema()
                    UNION ALL
                    SELECT concat_ws(' ', tablename, indexdef LIKE '% UNIQUE %',
                                     substring(indexdef FROM position(' USING ' IN indexdef))) AS line
                      FROM pg_indexes WHERE schemaname = current_schema()
                    """
                ).map { try $0.text("line") }
            }
            await database.close()
            return lines.sorted()
        }
        let (found, expected) = (try await lines(isFormer: true), try await lines(isFormer: false))
        #expect(expected.count > 20)
        #expect(Set(found).symmetricDifference(expected) == [] && found == expected)
    }

    @Test("opens without a change: a process of that build goes on, and its list of steps is as it was")
    func untouched() async throws {
        for (program, all) in Self.programs {
            // The steps after it are those of any database.
            let migrations = Array(all.prefix(1))
            let folder = try TemporaryFolder()
            let path = folder.path(of: "db")
            try await FormerSchema(program).make { try await SQLiteDatabase(path: path, migrations: $0) }
            #expect(try await SQLiteDatabase.inspect(path: path, migrations: migrations) == [])
            let database = try await SQLiteDatabase(path: path, migrations: migrations)
            try await database.checkReady()
            let names = try await database.read { connection in
                try connection.query("SELECT name FROM schema_migration ORDER BY position").map { try $0.text("name") }
            }
            #expect(names == migrations.first?.replaced)
            await database.close()
        }
    }

    @Test("is refused where it lacks a step, with the build to start once, and stays as it was")
    func older() async throws {
        for (program, migrations) in Self.programs {
            let folder = try TemporaryFolder()
            let path = folder.path(of: "db")
            try await FormerSchema(program, without: 1).make { try await SQLiteDatabase(path: path, migrations: $0) }
            let before = try Data(contentsOf: URL(filePath: path))
            let fixture = try await PostgresFixture.make()
            try await FormerSchema(program, without: 1).make { try await fixture.open($0) }
            let last = try #require(migrations.first?.replaced.dropLast().last)
            for open in [
                { try await SQLiteDatabase(path: path, migrations: migrations) as any Database },
                { try await fixture.open(migrations) as any Database },
            ] {
                let error = await #expect(throws: DatabaseError.self) { _ = try await open() }
                guard case .outOfUse(let words)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(words.contains("before 0.1.0 and lacks steps (its last one is \(last))"), "\(words)")
                #expect(words.contains("Start the build of commit"), "\(words)")
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("the other program's is refused as such", arguments: programs.keys.sorted())
    func foreign(program: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "db")
        try await FormerSchema(program).make { try await SQLiteDatabase(path: path, migrations: $0) }
        let other = try #require(Self.programs.first { $0.key != program }?.value)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await SQLiteDatabase(path: path, migrations: other)
        }
        #expect(error.map { "\($0)" }?.contains("its schema is not ours (step 2 is ") == true)
    }
}
