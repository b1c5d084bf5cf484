import ProbeKit
import SQLiteStorage
import Storage
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPSchema
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("What a restore adds from the database that it replaces", .program)
struct AddedRowsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A database whose accounts have these usernames.
    private func database(_ name: String, _ accounts: [(id: String, username: String?)]) async throws -> any Database {
        let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: IdPMigrations.all)
        let stored = database.stored
        for account in accounts {
            try await stored.accounts.add(AddedAccount(account.id, "\(account.id)@example.com"))
            guard let username = account.username else { continue }
            try await stored.usedUsernames.add(digest: SHA256.hash(username))
            try await stored.accounts.id(account.id).setUsername(username)
        }
        return database
    }

    private func usernames(_ database: any Database) async throws -> [String] {
        try await database.stored.accounts.usernames()
    }

    /// A service that knows its users by their usernames must not take one for another.
    @Test(
        "no name that a lost account had becomes another user's, and an account keeps the name that it was given since")
    func usernames() async throws {
        let backup = try await database("backup", [("old", "old"), ("ann", nil), ("ben", nil)])
        let live = try await database("live", [("old", "old"), ("ann", "ann"), ("ben", nil), ("lost", "ben")])
        let restored = RestoredDatabase(database: backup)
        let ended = try await restored.ended(in: live)
        #expect(ended.isEmpty, "nothing that a user could miss")
        // As with --keep-identities.
        try await restored.end(ended.lasting)
        #expect(try await usernames(backup) == ["ann ann", "ben -", "old old"])
        let ben = try #require(try await backup.read { try AccountStore.find("ben", $0) })
        try await backup.write { _ = try Usernames.name(of: ben, SystemRandomness(), $0) }
        #expect(try await usernames(backup) == ["ann ann", "ben ben2", "old old"])
        try await restored.end(restored.ended(in: live))
        #expect(try await usernames(backup) == ["ann ann", "ben ben2", "old old"], "a second time it changes nothing")
        for database in [backup, live] { await database.close() }
    }

    @Test("a name that the backup gave to another account stays there: the restore does not fail")
    func otherHistory() async throws {
        let backup = try await database("backup", [("ann", nil), ("other", "ann")])
        let live = try await database("live", [("ann", "ann"), ("other", nil)])
        let restored = RestoredDatabase(database: backup)
        try await restored.end(restored.ended(in: live))
        #expect(try await usernames(backup) == ["ann -", "other ann"])
        for database in [backup, live] { await database.close() }
    }

    @Test("a refresh token that its provider was not told of yet is told of after the restore")
    func revocations() async throws {
        let (backup, live) = (try await database("backup", []), try await database("live", []))
        for (database, tokens) in [(backup, [1]), (live, [1, 2])] {
            for token in tokens {
                try await database.stored.revocations.add(
                    [UInt8(token)], at: "https://op.example", provider: "work",
                    createdAt: Timestamp(milliseconds: Int64(token)), due: Timestamp(milliseconds: 1))
            }
        }
        let restored = RestoredDatabase(database: backup)
        try await restored.end(restored.ended(in: live))
        let waiting = try await backup.write {
            try TokenRevocations.take(at: Timestamp(milliseconds: 2), limit: 10, $0)
        }
        #expect(Set(waiting.map(\.sealedToken)) == [[1], [2]] && waiting.allSatisfy { $0.provider == "work" })
        for database in [backup, live] { await database.close() }
    }
}
