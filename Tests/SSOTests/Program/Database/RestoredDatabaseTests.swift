import ProbeKit
import SQLiteStorage
import SSOShared
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPSchema
@testable import IdPSignOut
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("What had ended since a backup", .program, .alsoOnPostgres)
struct RestoredDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A database with these accounts, each with a flag for disabled and the subjects of its identities.
    private func database(_ name: String, _ accounts: [(id: String, isDisabled: Bool, subjects: [String])]) async throws
        -> any Database
    {
        let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: IdPMigrations.all)
        for account in accounts {
            try await database.stored.accounts.add(
                AddedAccount(account.id, "\(account.id)@example.com", isDisabled: account.isDisabled))
            try await database.stored.identities.add(
                account.subjects.map { AddedIdentity(account.id, $0, provider: "google") })
        }
        return database
    }

    @Test("an identity that its account no longer has, and a disabled account, had ended; what was lost had not")
    func comparison() async throws {
        let backup = try await database(
            "backup",
            [
                ("kept", false, ["k1"]), ("revoked", false, ["r1", "r2"]), ("moved", false, ["m1"]),
                ("disabled", false, ["d1"]), ("enabled", true, ["e1"]), ("lost", false, ["l1"]),
            ])
        let live = try await database(
            "live",
            [
                ("kept", false, ["k1", "k2"]), ("revoked", false, ["r2"]), ("moved", false, []),
                ("disabled", true, ["d1"]), ("enabled", false, ["e1"]), ("new", true, ["m1", "n1"]),
            ])
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.identities.map(\.subject) == ["m1", "r1"])
        #expect(ended.identities.map(\.email) == ["moved@example.com", "revoked@example.com"])
        #expect(ended.disabled.map(\.email) == ["disabled@example.com"])
        #expect(ended.accounts == 5)
        try await restored.end(ended)
        #expect(try await backup.stored.identities.subjects() == ["d1", "e1", "k1", "l1", "r2"])
        #expect(try await backup.stored.accounts.disabled.count() == 2)
        #expect(try await restored.ended(in: live).isEmpty)
        for database in [backup, live] { await database.close() }
    }

    @Test("an account that was erased since, or is to be, or waited for it then, does not come back enabled")
    func erased() async throws {
        let names = ["due", "erased", "lost", "waiting"]
        let backup = try await database("backup", names.map { ($0, false, []) })
        let live = try await database("live", [("due", false, [])])
        try await backup.stored.accounts.id("waiting").erase(at: Timestamp(milliseconds: 1))
        try await live.stored.accounts.erase(at: Timestamp(milliseconds: 1))
        for name in ["erased", "waiting"] { try await live.stored.audit.add("user_erased", by: "idp", account: name) }
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.disabled.map(\.id) == ["due", "erased", "waiting"] && ended.accounts == 1)
        try await restored.end(ended)
        #expect(try await backup.stored.accounts.disabled.count() == 3)
        for database in [backup, live] { await database.close() }
    }

    @Test("an end date that was moved since is carried out when it comes, also where the one of the backup was")
    func endDate() async throws {
        let backup = try await database("backup", [("ann", false, [])])
        let live = try await database("live", [("ann", false, [])])
        try await backup.stored.accounts.end(at: Timestamp(milliseconds: 1000), isDone: true)
        try await live.stored.accounts.end(at: Timestamp(milliseconds: 5000))
        let restored = RestoredDatabase(database: backup)
        try await restored.endSignIns(now: Timestamp(milliseconds: 2000))
        try await restored.end(restored.ended(in: live))
        let due = try await backup.read { try AccountStore.overdue(at: Timestamp(milliseconds: 5000), limit: 10, $0) }
        #expect(due == ["ann"])
        for database in [backup, live] { await database.close() }
    }

    @Test("sign-ins and printed links of any number of accounts end in transactions that are short enough")
    func manyAccounts() async throws {
        let ids = (0..<250).map { "usr_\($0)" }
        let backup = try await database("backup", ids.map { ($0, false, []) })
        try await backup.stored.clientSignIns.add(ids, at: "wiki", now: Timestamp(milliseconds: 1))
        let strict = RecordingDatabase(backup, statements: 800)
        try await RestoredDatabase(database: strict).endSignIns(now: Timestamp(milliseconds: 2000))
        #expect(try await backup.stored.clientSignIns.open.count() == 0)
        #expect(try await backup.stored.signOutMessages.count() == 250)
        #expect(try await backup.stored.accounts.untouched.count() == 0)
        // A second run, after one that broke off, loses no message, and tells nobody twice.
        try await RestoredDatabase(database: strict).endSignIns(now: Timestamp(milliseconds: 3000))
        #expect(try await backup.stored.signOutMessages.count() == 250)
        await backup.close()
    }

    @Test("a sign-out message that waited for its next try when the backup was made is due at once, and others stay")
    func waitingMessages() async throws {
        let backup = try await database("backup", [("ann", false, [])])
        let (now, later) = (Timestamp(milliseconds: 2000), Timestamp(milliseconds: 9_000_000))
        for (session, isSettled) in [("ses_waits", false), ("ses_told", true)] {
            try await backup.stored.signOutMessages.addTried(
                session, at: "wiki", of: "ann", at: Timestamp(milliseconds: 1), next: later, error: "status_503",
                isSettled: isSettled, isDelivered: isSettled)
        }
        try await RestoredDatabase(database: backup).endSignIns(now: now)
        let queue = SignOutQueue(randomness: SystemRandomness())
        let due = try await backup.read { try queue.due(at: now, except: [], $0) }
        #expect(due.map(\.id) == ["evt_ses_waits"])
        #expect(try await backup.stored.signOutMessages.count() == 2)
        await backup.close()
    }

    @Test("a user who was taken out of a group does not come back into it; one who was lost, or joined since, does")
    func memberships() async throws {
        let accounts = [("in", false, []), ("out", false, [])] as [(id: String, isDisabled: Bool, subjects: [String])]
        let backup = try await database("backup", accounts + [("lost", false, [])])
        let live = try await database("live", accounts)
        try await backup.stored.memberships.add([
            ("in", "g"), ("out", "g"), ("out", "gone"), ("out", "h"), ("lost", "g"),
        ])
        try await live.stored.memberships.add([("in", "g"), ("out", "h"), ("in", "new")])
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.memberships.map { "\($0.email) \($0.group)" } == ["out@example.com g", "out@example.com gone"])
        try await restored.end(ended)
        #expect(try await backup.stored.memberships.summaries() == ["in g", "lost g", "out h"])
        for database in [backup, live] { await database.close() }
    }

    /// A signing key by its id and generation, a client by its id and whether it is enabled, a secret by its client, its
    /// fingerprint and when it was replaced.
    private struct Registry {
        var keys: [(id: String, generation: Int64)] = []
        var clients: [(id: String, isEnabled: Bool)] = []
        var secrets: [(client: String, print: String, replacedAt: Int64?)] = []

        func insert(into database: any Database) async throws {
            try await database.stored.signingKeys.add(keys)
            try await database.stored.clients.add(clients)
            try await database.stored.clientSecrets.add(secrets)
        }

        /// What a database has, one word for each row.
        static func rows(
            of database: any Database
        ) async throws -> (keys: [String], clients: [String], secrets: [String]) {
            (
                try await database.stored.signingKeys.ids(), try await database.stored.clients.enabled.ids(),
                try await database.stored.clientSecrets.summaries()
            )
        }
    }

    @Test(
        "a signing key that leaked and was removed, secrets that were retired and clients that were disabled or removed do not come back, and each client has a secret that works"
    )
    func registry() async throws {
        let backup = try await database("backup", [("a", false, [])])
        let live = try await database("live", [("a", false, [])])
        try await Registry(
            keys: [("leaked", 1)],
            clients: [
                ("kept", true), ("rotated", true), ("grace", true), ("off", true), ("gone", true), ("on", false),
            ],
            secrets: [
                ("kept", "k1", nil), ("rotated", "r1", nil), ("grace", "g1", nil), ("off", "o1", nil),
                ("gone", "x1", nil), ("on", "n1", nil),
            ]
        ).insert(into: backup)
        try await Registry(
            keys: [("next", 2)],
            clients: [
                ("kept", true), ("rotated", true), ("grace", true), ("off", false), ("on", true), ("new", true),
            ],
            secrets: [
                ("kept", "k1", nil), ("rotated", "r2", nil), ("grace", "g1", 5), ("grace", "g2", nil),
                ("off", "o1", nil), ("on", "n1", nil), ("new", "w1", nil),
            ]
        ).insert(into: live)
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.keys.map(\.id) == ["leaked"])
        #expect(ended.clients == ["gone", "off"])
        #expect(ended.secrets.map { "\($0.clientID) \($0.ended)" } == [#"grace ["g1"]"#, #"rotated ["r1"]"#])
        try await restored.end(ended)
        let rows = try await Registry.rows(of: backup)
        #expect(rows.keys.isEmpty && rows.clients == ["grace", "kept", "rotated"])
        #expect(
            rows.secrets == ["gone x1", "grace g1 replaced", "grace g2", "kept k1", "off o1", "on n1", "rotated r2"])
        #expect(try await restored.ended(in: live).isEmpty)
        for database in [backup, live] { await database.close() }
    }

    @Test("compared with a new database, keys and clients stay; one that the audit log has as removed is disabled")
    func registryAfterDataLoss() async throws {
        let (backup, fresh) = (try await database("backup", [("a", false, [])]), try await database("fresh", []))
        try await Registry(
            keys: [("first", 1), ("second", 2)], clients: [("gone", true), ("wiki", true)],
            secrets: [("wiki", "w1", nil)]
        ).insert(into: backup)
        try await Registry(keys: [("other", 1)]).insert(into: fresh)
        let restored = RestoredDatabase(database: backup)
        #expect(try await restored.ended(in: fresh).isEmpty)
        try await fresh.stored.audit.add("client_changed", by: "root", client: "gone", detail: "removed")
        let ended = try await restored.ended(in: fresh)
        #expect(ended.clients == ["gone"] && ended.keys.isEmpty && ended.secrets.isEmpty)
        for database in [backup, fresh] { await database.close() }
    }

    @Test("compared with a new database, nothing had ended and every account is lost")
    func afterDataLoss() async throws {
        let backup = try await database("backup", [("ann", false, ["a1"])])
        let fresh = try await database("fresh", [("bob", false, [])])
        let ended = try await RestoredDatabase(database: backup).ended(in: fresh)
        #expect(ended.isEmpty && ended.accounts == 0)
        for database in [backup, fresh] { await database.close() }
    }

    @Test(
        "an address, an end date, an invitation and a client that were changed do not come back, nor an address's old owner"
    )
    func changes() async throws {
        let accounts =
            ["moved", "left", "withdrawn", "a", "b"].map { ($0, false, []) }
            as [(id: String, isDisabled: Bool, subjects: [String])]
        let backup = try await database("backup", accounts + [("gone", false, [])])
        let live = try await database("live", accounts)
        let wide = #"{"access":"everyone"}"#
        try await Registry(clients: [("wiki", true)]).insert(into: backup)
        try await Registry(clients: [("wiki", true)]).insert(into: live)
        try await backup.stored.accounts.id("withdrawn").setAdded()
        try await backup.stored.clients.setEntry(wide)
        try await live.stored.accounts.id("moved").setAddress("gone@example.com")
        try await live.stored.accounts.id("left").end(at: Timestamp(milliseconds: 7))
        for (id, address) in [("a", "x"), ("b", "a@example.com"), ("a", "b@example.com")] {
            try await live.stored.accounts.id(id).setAddress(address)
        }
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(
            ended.changes.map { "\($0.id) \($0.column)" } == [
                "a email", "b email", "left ends_at", "moved email", "withdrawn added_at", "wiki entry",
            ])
        #expect(ended.displaced.map(\.id) == ["gone"] && ended.accounts == 5)
        try await restored.end(ended)
        let rows = try await backup.stored.accounts.summaries() + backup.stored.clients.entries()
        #expect(
            rows == [
                "a b@example.com 0", "b a@example.com 0", "gone gone@address-taken.invalid 1",
                "left left@example.com 0", "moved gone@example.com 0", "withdrawn withdrawn@example.com 0", "{}",
            ])
        #expect(try await backup.stored.accounts.added.count() == 0)
        #expect(try await restored.ended(in: live).isEmpty)
        for database in [backup, live] { await database.close() }
    }

    @Test("every column of the schema has one decision, and no decision is about a column that is not there")
    func everyColumn() async throws {
        let database = try await database("schema", [])
        let found = try await database.stored.columns()
        for (table, column) in found {
            #expect(
                RestoredColumn.tables[table]?.decision(on: column) != nil,
                "\(table).\(column): what a restore makes of it belongs into RestoredColumn.tables")
        }
        #expect(Set(found.map(\.table)) == Set(RestoredColumn.tables.keys))
        for (table, decisions) in RestoredColumn.tables {
            guard case .columns(let columns) = decisions else { continue }
            let listed = columns.flatMap(\.value)
            #expect(listed.sorted() == found.filter { $0.table == table }.map(\.column).sorted(), "\(table)")
        }
        await database.close()
    }
}
