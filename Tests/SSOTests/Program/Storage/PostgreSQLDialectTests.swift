import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPGate
@testable import IdPMail
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPSchema
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// Both engines have to understand the stores' SQL. Each statement is prepared there, on the tables that the steps of the schema
/// make there.
@Suite("The stores' SQL on both engines", .program)
struct PostgreSQLDialectTests {
    private static let idp = "idp"
    private static let relyingParty = "relying-party"
    private static let migrations = [idp: IdPMigrations.all, relyingParty: RelyingPartyMigrations.all]

    /// The databases that a statement in this file is for.
    private static func databases(of file: String) -> [String] {
        // The relying party lists no sessions.
        if file.hasSuffix("/Session/SessionUser.swift") { return [idp] }
        return switch file.split(separator: "/")[1] {
        case "IdP": [idp]
        case "RelyingParty": [relyingParty]
        case "SSOWeb", "Storage": [idp, relyingParty]
        default: []
        }
    }

    /// What asks the server about its roles.
    private static func isOfPostgres(_ file: String) -> Bool { file.hasSuffix("/Program/OtherRoles.swift") }

    /// A copy between databases names any table, and DatabaseCopyTests runs it on both engines.
    private static func isOfCopy(_ file: String) -> Bool {
        ["CopyTable.swift", "DatabaseCopy.swift"].contains { file.hasSuffix("/Program/\($0)") }
    }

    @Test("both engines apply each step of the schema, and understand each statement in the sources")
    func sources() async throws {
        let literals = try SQLLiteral.inSources()
        #expect(literals.allSatisfy { !Self.databases(of: $0.file).isEmpty }, "a file that has no database")
        try await PostgreSQLServer.open { server in
            for (database, migrations) in Self.migrations {
                let failures = try await server.create(database, migrations)
                #expect(failures.isEmpty, "\(failures)")
                let statements = literals.filter { !$0.isSchema && Self.databases(of: $0.file).contains(database) }
                    .compactMap(\.statement)
                #expect(statements.contains { $0.hasPrefix("UPDATE session SET ") }, "the scan has found nothing")
                let refused = try await server.prepare(statements.map { .init($0, [:]) }, in: database)
                #expect(refused.isEmpty, "\(refused)")
                let common = literals.filter { !$0.isSchema && !Self.isOfPostgres($0.file) }
                    .filter { Self.databases(of: $0.file).contains(database) }.compactMap(\.statement)
                let onSQLite = try SQLiteDialect.refused(common, by: migrations)
                #expect(onSQLite.isEmpty, "\(onSQLite)")
            }
        }
    }

    private static let steps = migrations.values.joined().flatMap { $0.sql + $0.sqliteSQL }
        .map(RecordingDatabase.Statement.normalised)

    @Test("each statement in the sources that changes tables is part of a step of the schema")
    func schema() throws {
        let steps = Self.steps
        let literals = try SQLLiteral.inSources().filter(\.isSchema)
        #expect(literals.count > 10, "the scan has found nothing")
        let others = literals.filter { literal in !steps.contains { literal.makes($0) } }
        // The migrator makes the table of the steps.
        #expect(others.map(\.file) == ["Sources/Storage/Migrations.swift"], "\(others)")
    }

    @Test("both engines understand each statement that is put together at run time, with the types of its values")
    func recorded() async throws {
        let literals = try SQLLiteral.inSources().filter { !$0.isSchema }
        let statements = try await Set(Self.statementsOfRun())
        let unknown = statements.filter { statement in !literals.contains { $0.makes(statement.sql) } }
        #expect(unknown.isEmpty, "not a literal of the sources: \(unknown.map(\.sql))")
        for literal in literals where literal.statement == nil && !Self.isOfCopy(literal.file) {
            if Self.steps.contains(where: literal.makes) { continue }
            #expect(
                statements.contains { literal.makes($0.sql) },
                "\(literal.place) never runs in statementsOfRun(): add what runs it")
        }
        try await PostgreSQLServer.open { server in
            #expect(try await server.create(Self.idp, IdPMigrations.all).isEmpty)
            let refused = try await server.prepare(statements.sorted { $0.sql < $1.sql }, in: Self.idp)
            #expect(refused.isEmpty, "\(refused)")
        }
        let onSQLite = try SQLiteDialect.refused(statements.map(\.sql), by: IdPMigrations.all)
        #expect(onSQLite.isEmpty, "\(onSQLite)")
    }

    @Test("SQLite refuses what only PostgreSQL understands, and a name that is in no table")
    func refusedBySQLite() throws {
        let steps = [Migration(name: "v001-a", sql: ["CREATE TABLE a (b BLOB UNIQUE)"])]
        let statements = [
            "SELECT missing FROM a", "SELECT \"text\" FROM a", "SELECT b::text FROM a", "SELECT ? FROM a",
        ]
        #expect(try SQLiteDialect.refused(statements + ["SELECT b FROM a"], by: steps).map(\.sql) == statements)
    }

    @Test("what only SQLite understands is refused, and so is a step of the schema")
    func refused() async throws {
        try await PostgreSQLServer.open { server in
            let steps = [Migration(name: "v001-a", sql: ["CREATE TABLE a (b BLOB UNIQUE)", "PRAGMA user_version = 1"])]
            let failures = try await server.create("other", steps)
            #expect(failures.map(\.sql) == ["PRAGMA user_version = 1"], "\(failures)")
            let statements = [
                "INSERT OR IGNORE INTO a (b) VALUES (:b)", "SELECT b FROM a WHERE b = :b AND ':c' <> :d OR :b IS NULL",
                "SELECT randomblob(32) AS c", "SELECT missing FROM a",
            ]
            let refused = try await server.prepare(statements.map { .init($0, [:]) }, in: "other")
            #expect(refused.count == 3, "\(refused)")
            #expect(refused.map(\.words).contains { $0.contains("missing") })
            let typed = RecordingDatabase.Statement("SELECT b FROM a WHERE b = :b", ["b": .integer(1)])
            #expect(try await server.prepare([typed], in: "other").count == 1, "a number is no BYTEA")
            await #expect(throws: ProbeFailure.self) {
                try await server.prepare([.init("SELECT 'a", [:]), .init("SELECT 1", [:])], in: "other")
            }
        }
    }

    /// What a run of the identity provider sends to its database. Reaches every literal with interpolations.
    private static func statementsOfRun() async throws -> [RecordingDatabase.Statement] {
        var recorded: RecordingDatabase?
        func wrap(_ database: any Database) -> any Database {
            let wrapped = RecordingDatabase(database, readsAtOnce: true)
            recorded = wrapped
            return wrapped
        }
        try await ProviderDeployment.open(
            [.oidc, .apple], settings: HandoffApp.settings, clientKeys: OIDCSteps.bothProtocols, wrapping: wrap
        ) { place in
            let (deployment, database) = (place.deployment, try #require(recorded))
            // Sign-in by email, a provider added, the home page, and a grant that replaces one and is redeemed twice.
            let browser = try await place.owner(adding: .apple)
            #expect(try await browser.get(deployment.origin + "/sessions").status == 200)
            _ = try await browser.token(for: deployment.client, of: deployment)
            _ = try await eventually("a reader is open") { try database.readAtOnce { _ in true } }
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            // OpenID Connect: a code for tokens, userinfo, and a refresh token that is used, refused and revoked.
            let code = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access"])
            let tokens = try await deployment.oidcToken(code, as: deployment.client).json()
            #expect(try await deployment.oidcUserInfo(tokens["access_token"]?.text ?? "").status == 200)
            let refresh = tokens["refresh_token"]?.text ?? ""
            for _ in 0..<2 { #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 200) }
            _ = try await deployment.oidcPost(OIDCPath.revoke, [("token", refresh)], as: deployment.client)
            // An app that adds a provider, and shows the last page twice.
            let (app, other) = (try await place.linkingApp(), deployment.browser())
            let page = try await place.park(app, in: other)
            let again = try await other.get(page.address)
            #expect(try await app.finish(again.handoffCode()).status == 201)
            // The provider takes its identity back.
            let standIn = try place.standIn(.apple)
            let notification = try standIn.notification("consent-revoked", subject: standIn.user.subject)
            #expect(try await place.sendAppleNotification(notification).status == 200)
            // A client in the database, and a value that an earlier key has sealed.
            let changes = OperatorChanges(database, by: .program, clock: deployment.clock.clock)
            _ = try await changes.make(deployment.addition(AddedClient()))
            _ = try await changes.make(EnableClient("wiki", false, deployment.registrar))
            try await database.write { try ClientGrants.end("sso", of: "wiki", at: deployment.clock.now, $0) }
            let change = EndedSinceBackup.Change(
                table: "account", keys: ["id"], key: [.text("usr_1")], column: "ends_at", before: .null(.integer),
                now: .integer(1))
            try await database.write { try change.set(change.now, $0) }
            try await database.write { try AddedRows($0).add($0) }
            let (new, old) = (TestSecret.new(), TestSecret.new())
            let earlier = ClientSecretBox(
                keys: try DerivedKeys.parse(old, setting: "K"), randomness: SystemRandomness())
            let sealed = try earlier.box.seal([1])
            try await database.write { connection in
                try ClientStore().insert(
                    sealed, SecretName(client: "wiki", fingerprint: "0"), at: deployment.clock.now, connection)
            }
            let bothKeys = try DerivedKeys.parse("\(new),\(old)", setting: "K")
            let values = SealedValueStore(database: database, columns: .all(bothKeys, SystemRandomness()))
            #expect(try await values.renew().first?.old == 1)
            let passkey = PasskeyID(relyingParty: "localhost", credential: [1])
            let found = try await database.read { connection in
                let one = try PasskeyStore.find(passkey, connection) == nil ? 0 : 1
                let owners = try PasskeyStore.owners(atMost: 1, connection).count
                return try one + PasskeyStore.all(of: "usr_1", connection).count + owners
            }
            #expect(found == 0)
            // What no page shows here.
            let queue = MailQueue(
                database: database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 1000))
            let second = QueuedMail(
                id: "second", address: "link ann@example.com", kind: "browser_link", subjectID: nil,
                expiresAt: deployment.clock.now + .minutes(10))
            try await database.write {
                try queue.enqueue(
                    second, oncePer: .hours(6), hasAccount: true, now: deployment.clock.now, $0)
            }
            // An email whose code has ended while it waited.
            let late = QueuedMail(
                id: "late", address: "link bob@example.com", kind: "browser_link", subjectID: nil,
                expiresAt: deployment.clock.now)
            _ = try await database.write {
                try queue.enqueue(late, oncePer: .hours(6), hasAccount: true, now: deployment.clock.now, $0)
            }
            _ = try await queue.exchange([], forNext: 1)
            let administration = AccountAdministration(database: database)
            #expect(try await administration.page().count == 1)
            #expect(
                try await administration.details(
                    of: "ann@example.com", file: ClientRegistry([]))?.row.state == .active)
            let moment = deployment.clock.now
            #expect(
                try await database.read { try ImportPlan(ImportFile(Array("email\n".utf8)), .init(), at: moment, $0) }
                    .steps.isEmpty)
            try await GroupSteps.close(deployment.client.id, deployment, database)
            let group = try await database.read { connection in try GroupStore.find("nowhere", connection) }
            #expect(group == nil)
            let audit = AuditStore(database: database, clock: deployment.clock.clock, randomness: SystemRandomness())
            var search = AuditSearch()
            (search.client, search.event, search.reference) = (deployment.client.id, "token_issued", "ABCDEFGH")
            search.user = .init(account: "usr_1", addresses: [[1]])
            _ = try await audit.page(search)
            _ = try await audit.newest(.backupMade, since: deployment.clock.clock.now())
            _ = try await audit.newest(of: "usr_1", before: nil, limit: 1)
            // A client asks about a session. Later what it was told is purged, and a session is gone by time.
            _ = try await deployment.answer("ses_1", of: "usr_1", as: deployment.client)
            let now = deployment.clock.now
            try await database.write { connection in
                try ClientSignIns().note(
                    "ses_gone", kind: "sso", client: "wiki", account: "usr_1", at: now, connection)
            }
            _ = try await ClientSignInPurge(database: database, clock: ServiceClock { now + .days(91) }).purge(
                limit: 10)
            _ = try await database.read { try ClientSignIns().accounts(after: "", limit: 1, $0) }
            _ = try await database.read { try ClientSignIns().open(of: "usr_1", $0) }
            _ = try await database.read {
                try SignOutQueue(randomness: SystemRandomness()).all(isWaiting: true, limit: 1, $0)
            }
            try await database.write { try gate(at: now, $0) }
            _ = try await database.read { try admin($0) }
            try await database.write { try ownAddress(at: now, $0) }
            #expect(try await SignOutEveryone(OperatorChanges(database, by: .program)).make().accounts == 1)
        }
        return try #require(recorded).takeTypedStatements()
    }

    /// What a user has said beside the name, and the change of the address.
    private static func ownAddress(at now: Timestamp, _ connection: any SQLConnection) throws {
        let picture = ProfilePicture(kind: .png, stored: [1])
        try ProfileStore.noteNameAnswered(by: "usr_1", at: now, connection)
        try ProfileStore.set(picture, of: "usr_1", connection)
        _ = (try ProfileStore.profile(of: "usr_1", connection), try ProfileStore.picture(of: "usr_1", connection))
        _ = try ProfileStore.removePicture(of: "usr_1", connection)
        _ = try AccountStore.unmarkInvited("usr_1", connection)
        _ = try AddressChangeStore.find("adr_1", connection)
        _ = try AddressChangeStore.waiting(session: "ses_1", of: "usr_1", at: now, connection)
        _ = try AddressChangeStore.countGuess(on: "adr_1", session: "ses_1", of: "usr_1", at: now, connection)
        _ = try AddressChangeStore.stoppable("adr_1", at: now, connection)
    }

    /// What admin pages read.
    private static func admin(_ connection: any SQLConnection) throws {
        guard let account = try AccountStore.find(email: "ann@example.com", connection) else { return }
        #expect(try RoleStore.role(of: account, named: AdminAddresses(), connection) == nil)
        let moment = Timestamp(milliseconds: 0)
        let causes = (event: "signed_in", causes: ["operator", "erased"])
        _ = try AuditStore.rows(of: ["signed_in"], withCauses: causes, after: [], limit: 1, connection)
        _ = try RoleStore.all(connection)
        _ = try AccountStore.isInvited(account.id, connection)
        _ = try AuditStore.newest(of: ["signed_in"], since: moment, limit: 1, connection)
        _ = try AuditStore.counts(of: ["signed_in"], by: .cause, since: moment, connection)
        _ = try AuditStore.row([1], connection)
        _ = try AuditStore.newest(AuditSearch(), before: nil, limit: 1, connection)
        _ = try AuditStore.rows(ofFlow: "flw_1", limit: 1, connection)
    }

    /// A session at a service behind the gate, and the keys of its apps.
    private static func gate(at now: Timestamp, _ connection: any SQLConnection) throws {
        let (key, id) = (try Secret<AppKeyKind>(), try GateSessionID())
        let made = try AppKeyStore.insert(
            key, id: "key_1", client: "wiki", .account("usr_1", strength: .any), name: "a", at: now,
            expiresAt: now + .days(1), connection)
        #expect(made)
        #expect(try AppKeyStore.find(key.digest, at: "wiki", now: now, connection) != nil)
        #expect(try AppKeyStore.keys(of: "usr_1", now: now, connection).count == 1)
        #expect(try AppKeyStore.keys(at: "wiki", now: now, connection).count == 1)
        for ended: AppKeyStore.Ended in [
            .ofAccount("usr_1", id: "key_1"), .ofClient("wiki", id: "key_1"), .allOfAccount("usr_1"),
            .allOfClient("wiki"),
        ] { try AppKeyStore.end(ended, connection) }
        let store = GateSessionStore(
            lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)), eligibility: .ofCommand)
        try store.insert(
            id, client: "wiki", account: "usr_1", ClientSignInName(session: "ses_1", beginnings: 0), at: now, connection
        )
        #expect(try store.find(id, at: "wiki", now: now, connection) == nil)
        #expect(try store.end(id, at: "wiki", connection) != nil)
    }
}
