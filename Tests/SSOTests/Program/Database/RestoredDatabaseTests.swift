import SQLiteStorage
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPSchema
@testable import SSOWeb
@testable import TestKit

@Suite("What had ended since a backup", .program, .alsoOnPostgres)
struct RestoredDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A database with these accounts, each with a flag for disabled and the subjects of its identities.
    private func database(_ name: String, _ accounts: [(id: String, isDisabled: Bool, subjects: [String])]) async throws
        -> any Database
    {
        let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: IdPMigrations.all)
        try await database.write { connection in
            for account in accounts {
                try connection.execute(
                    "INSERT INTO account (id, email, name, disabled, created_at) VALUES (:id, :email, 'N', :disabled, 1)",
                    [
                        "id": .text(account.id), "email": .text("\(account.id)@example.com"),
                        "disabled": .integer(account.isDisabled ? 1 : 0),
                    ])
                for subject in account.subjects {
                    try connection.execute(
                        """
                        INSERT INTO account_identity (kind, issuer, subject, account_id, created_at, provider)
                        VALUES ('external', 'https://op.example', :subject, :account, 1, 'google')
                        """, ["subject": .text(subject), "account": .text(account.id)])
                }
            }
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
        let rest = try await backup.read {
            try $0.query("SELECT subject FROM account_identity ORDER BY subject").map { try $0.text("subject") }
        }
        #expect(rest == ["d1", "e1", "k1", "l1", "r2"])
        #expect(try await backup.read { try $0.query("SELECT id FROM account WHERE disabled = 1").count } == 2)
        #expect(try await restored.ended(in: live).isEmpty)
        for database in [backup, live] { await database.close() }
    }

    @Test("an account that was erased since, or is to be, or waited for it then, does not come back enabled")
    func erased() async throws {
        let names = ["due", "erased", "lost", "waiting"]
        let backup = try await database("backup", names.map { ($0, false, []) })
        let live = try await database("live", [("due", false, [])])
        try await backup.write { try $0.execute("UPDATE account SET erase_at = 1 WHERE id = 'waiting'") }
        try await live.write { connection in
            try connection.execute("UPDATE account SET erase_at = 1")
            for (number, name) in ["erased", "waiting"].enumerated() {
                try connection.execute(
                    """
                    INSERT INTO audit_event (id, created_at, event, actor, account_id)
                    VALUES (:id, 1, 'user_erased', 'idp', :account)
                    """, ["id": .blob([UInt8(number)]), "account": .text(name)])
            }
        }
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.disabled.map(\.id) == ["due", "erased", "waiting"] && ended.accounts == 1)
        try await restored.end(ended)
        #expect(try await backup.read { try $0.query("SELECT id FROM account WHERE disabled = 1").count } == 3)
        for database in [backup, live] { await database.close() }
    }

    @Test("an end date that was moved since is carried out when it comes, also where the one of the backup was")
    func endDate() async throws {
        let backup = try await database("backup", [("ann", false, [])])
        let live = try await database("live", [("ann", false, [])])
        try await backup.write { _ = try $0.execute("UPDATE account SET ends_at = 1000, end_done = 1") }
        try await live.write { _ = try $0.execute("UPDATE account SET ends_at = 5000") }
        let restored = RestoredDatabase(database: backup)
        try await restored.endSignIns(now: Timestamp(milliseconds: 2000))
        try await restored.end(restored.ended(in: live))
        let due = try await backup.read { try AccountStore.overdue(at: Timestamp(milliseconds: 5000), limit: 10, $0) }
        #expect(due == ["ann"])
        for database in [backup, live] { await database.close() }
    }

    @Test("a user who was taken out of a group does not come back into it; one who was lost, or joined since, does")
    func memberships() async throws {
        let accounts = [("in", false, []), ("out", false, [])] as [(id: String, isDisabled: Bool, subjects: [String])]
        let backup = try await database("backup", accounts + [("lost", false, [])])
        let live = try await database("live", accounts)
        func join(_ database: any Database, _ rows: String) async throws {
            try await database.write { connection in
                try connection.execute("INSERT INTO group_member (account_id, group_id, joined_at) VALUES \(rows)")
                return
            }
        }
        try await join(backup, "('in', 'g', 1), ('out', 'g', 1), ('out', 'gone', 1), ('out', 'h', 1), ('lost', 'g', 1)")
        try await join(live, "('in', 'g', 1), ('out', 'h', 1), ('in', 'new', 1)")
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.memberships.map { "\($0.email) \($0.group)" } == ["out@example.com g", "out@example.com gone"])
        try await restored.end(ended)
        let rest = try await backup.read {
            try $0.query("SELECT account_id || ' ' || group_id AS row FROM group_member ORDER BY 1")
                .map { try $0.text("row") }
        }
        #expect(rest == ["in g", "lost g", "out h"])
        for database in [backup, live] { await database.close() }
    }

    /// A signing key by its id and generation, a client by its id and whether it is enabled, a secret by its client, its
    /// fingerprint and when it was replaced.
    private struct Registry {
        var keys: [(id: String, generation: Int64)] = []
        var clients: [(id: String, isEnabled: Bool)] = []
        var secrets: [(client: String, print: String, replacedAt: Int64?)] = []

        func insert(into database: any Database) async throws {
            let (keys, clients, secrets) = (keys, clients, secrets)
            try await database.write { connection in
                for key in keys {
                    try connection.execute(
                        """
                        INSERT INTO signing_key (kid, algorithm, generation, public_key, private_key, created_at, used_from)
                        VALUES (:id, 'RS256', :generation, '{}', :sealed, 1, 1)
                        """,
                        ["id": .text(key.id), "generation": .integer(key.generation), "sealed": .blob([1])])
                }
                for client in clients {
                    try connection.execute(
                        """
                        INSERT INTO client (id, entry, is_enabled, created_at, changed_at)
                        VALUES (:id, '{}', :enabled, 1, 1)
                        """, ["id": .text(client.id), "enabled": .integer(client.isEnabled ? 1 : 0)])
                }
                for secret in secrets {
                    try connection.execute(
                        """
                        INSERT INTO client_secret (client_id, fingerprint, secret, added_at, replaced_at, ends_after)
                        VALUES (:client, :print, :sealed, 1, :replaced, 7)
                        """,
                        [
                            "client": .text(secret.client), "print": .text(secret.print),
                            "sealed": .blob(Array(secret.print.utf8)), "replaced": .optional(secret.replacedAt),
                        ])
                }
            }
        }

        /// What a database has, one word for each row.
        static func rows(
            of database: any Database
        ) async throws -> (keys: [String], clients: [String], secrets: [String]) {
            try await database.read { connection in
                (
                    try connection.query("SELECT kid AS row FROM signing_key ORDER BY 1").map { try $0.text("row") },
                    try connection.query("SELECT id AS row FROM client WHERE is_enabled = 1 ORDER BY 1")
                        .map { try $0.text("row") },
                    try connection.query(
                        """
                        SELECT client_id || ' ' || fingerprint
                            || CASE WHEN replaced_at IS NULL THEN '' ELSE ' replaced' END AS row
                          FROM client_secret ORDER BY 1
                        """
                    ).map { try $0.text("row") }
                )
            }
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
        try await fresh.write { connection in
            try connection.execute(
                """
                INSERT INTO audit_event (id, created_at, event, actor, client_id, detail)
                VALUES (:id, 1, 'client_changed', 'root', 'gone', 'removed')
                """, ["id": .blob([1])])
            return
        }
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
        func run(_ database: any Database, _ statements: [String]) async throws {
            try await database.write { connection in
                for statement in statements { try connection.execute(statement) }
            }
        }
        try await run(
            backup, ["UPDATE account SET added_at = 1 WHERE id = 'withdrawn'", "UPDATE client SET entry = '\(wide)'"])
        try await run(
            live,
            [
                "UPDATE account SET email = 'gone@example.com' WHERE id = 'moved'",
                "UPDATE account SET ends_at = 7 WHERE id = 'left'",
                "UPDATE account SET email = 'x' WHERE id = 'a'",
                "UPDATE account SET email = 'a@example.com' WHERE id = 'b'",
                "UPDATE account SET email = 'b@example.com' WHERE id = 'a'",
            ])
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(
            ended.changes.map { "\($0.id) \($0.column)" } == [
                "a email", "b email", "left ends_at", "moved email", "withdrawn added_at", "wiki entry",
            ])
        #expect(ended.displaced.map(\.id) == ["gone"] && ended.accounts == 5)
        try await restored.end(ended)
        let rows = try await backup.read { connection in
            try connection.query("SELECT id || ' ' || email || ' ' || disabled AS row FROM account ORDER BY id")
                .map { try $0.text("row") }
                + connection.query("SELECT entry AS row FROM client").map { try $0.text("row") }
        }
        #expect(
            rows == [
                "a b@example.com 0", "b a@example.com 0", "gone gone@address-taken.invalid 1",
                "left left@example.com 0", "moved gone@example.com 0", "withdrawn withdrawn@example.com 0", "{}",
            ])
        #expect(try await backup.read { try $0.query("SELECT 1 FROM account WHERE added_at IS NOT NULL").isEmpty })
        #expect(try await restored.ended(in: live).isEmpty)
        for database in [backup, live] { await database.close() }
    }

    @Test("every column of the schema has one decision, and no decision is about a column that is not there")
    func everyColumn() async throws {
        let database = try await database("schema", [])
        let found = try await database.read { connection in
            try connection.query(
                """
                SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'schema_migration'
                """
            ).map { (table: try $0.text("table"), column: try $0.text("column")) }
        }
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
