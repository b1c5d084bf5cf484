import SQLiteStorage
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPSchema
@testable import SSOWeb
@testable import TestKit

/// What a restore makes of passkeys, and of who has signed in.
@Suite("Passkeys and first sign-ins after a restore", .program, .alsoOnPostgres)
struct RestoredPasskeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A database with these accounts, each with the moment of its first sign-in, and its passkeys.
    private func database(
        _ name: String, _ accounts: [(id: String, begunAt: Int64?, passkeys: [String])]
    ) async throws -> any Database {
        let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: IdPMigrations.all)
        try await database.write { connection in
            for account in accounts {
                try connection.execute(
                    "INSERT INTO account (id, email, name, created_at, begun_at) VALUES (:id, :email, 'N', 1, :begun)",
                    [
                        "id": .text(account.id), "email": .text("\(account.id)@example.com"),
                        "begun": .optional(account.begunAt.map(Timestamp.init(milliseconds:))),
                    ])
                for passkey in account.passkeys {
                    let values: SQLArguments = ["id": .text(passkey), "account": .text(account.id)]
                    try connection.execute(
                        """
                        INSERT INTO account_identity (kind, issuer, subject, account_id, created_at)
                        VALUES ('passkey', 'id.example', :id, :account, 1)
                        """, values)
                    try connection.execute(
                        """
                        INSERT INTO passkey (id, account_id, rp_id, credential_id, public_key, algorithm, sign_count,
                                             is_verified, is_backup_eligible, is_backed_up, transports, aaguid, name)
                        VALUES (:id, :account, 'id.example', :id, :key, -7, 0, 1, 1, 1, '', :key, 'N')
                        """, values.merging(["key": .blob([1])]))
                }
            }
        }
        return database
    }

    private func untouched(_ database: any Database) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT id FROM account WHERE begun_at IS NULL ORDER BY id").map { try $0.text("id") }
        }
    }

    private static let accounts: [(id: String, begunAt: Int64?, passkeys: [String])] = [
        ("begun", 1, []), ("later", nil, []), ("lost", nil, []), ("never", nil, []),
    ]

    @Test("only an account that the replaced database has, without a sign-in, still counts as one without")
    func compared() async throws {
        let backup = try await database("backup", Self.accounts)
        let live = try await database("live", [("begun", nil, []), ("later", 5, []), ("never", nil, [])])
        let restored = RestoredDatabase(database: backup)
        try await restored.endSignIns(now: Timestamp(milliseconds: 9), comparing: live)
        #expect(try await untouched(backup) == ["never"])
        try await restored.end(restored.ended(in: live))
        #expect(try await untouched(backup) == ["never"])
        for database in [backup, live] { await database.close() }
    }

    @Test("without the replaced database every account counts as one that somebody has signed in to")
    func alone() async throws {
        let backup = try await database("backup", Self.accounts)
        try await RestoredDatabase(database: backup).endSignIns(now: Timestamp(milliseconds: 9))
        #expect(try await untouched(backup) == [])
        await backup.close()
    }

    @Test("a passkey that was removed after the backup, or added after it, is gone, and a row says so")
    func passkeys() async throws {
        let backup = try await database("backup", [("ann", 1, ["kept", "removed"]), ("gone", 1, ["x"])])
        let live = try await database("live", [("ann", 1, ["kept", "added"]), ("new", 1, ["y"])])
        let restored = RestoredDatabase(database: backup)
        try await restored.endSignIns(now: Timestamp(milliseconds: 9), comparing: live)
        try await restored.end(restored.ended(in: live))
        let (left, rows) = try await backup.read { connection in
            (
                try connection.query("SELECT id FROM passkey ORDER BY id").map { try $0.text("id") },
                try connection.query(
                    """
                    SELECT account_id || ' ' || detail AS row FROM audit_event
                     WHERE event = 'passkey_removed' AND cause = 'restored' ORDER BY detail
                    """
                ).map { try $0.text("row") }
            )
        }
        #expect(left == ["kept", "x"])
        #expect(rows == ["ann added", "ann removed"])
        for database in [backup, live] { await database.close() }
    }
}
