import ProbeKit
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
        for account in accounts {
            try await database.stored.accounts.add(
                AddedAccount(
                    account.id, "\(account.id)@example.com",
                    begunAt: account.begunAt.map(Timestamp.init(milliseconds:))))
            try await database.stored.passkeys.add(account.passkeys, of: account.id)
        }
        return database
    }

    private func untouched(_ database: any Database) async throws -> [String] {
        try await database.stored.accounts.untouched.ids()
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
        #expect(try await backup.stored.passkeys.ids() == ["kept", "x"])
        let removed = backup.stored.audit.of("passkey_removed").cause("restored")
        #expect(try await removed.accountsAndDetails() == ["ann added", "ann removed"])
        for database in [backup, live] { await database.close() }
    }
}
