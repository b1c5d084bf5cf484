import SQLiteStorage
import SSOClient
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

@Suite("Used states", .program)
struct UsedStateStoreTests {
    private static func open(_ folder: TemporaryFolder) async throws -> any Database {
        try await SQLiteDatabase(path: folder.path(of: "rp.sqlite"), migrations: RelyingPartyMigrations.all)
    }

    @Test("of a hundred uses over two processes' connections exactly one is the first")
    func oneWinner() async throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        let databases = [try await Self.open(folder), try await Self.open(folder)]
        let stores = databases.map { UsedStateStore(database: $0, clock: clock.clock) }
        let uses = try await withThrowingTaskGroup(of: StateUse.self) { group in
            for number in 0..<100 {
                group.addTask { try await stores[number % 2].use("state", callback: [UInt8(number)]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(uses.count { $0 == .first } == 1)
        #expect(uses.allSatisfy { $0 == .first || $0 == .again(repeats: false, recently: true, failed: false) })
        for database in databases { await database.close() }
    }

    @Test("a repetition within ten seconds differs from another callback, from a later one, and from a failure")
    func repetition() async throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        let database = try await Self.open(folder)
        let store = UsedStateStore(database: database, clock: clock.clock)
        #expect(try await store.use("state", callback: [1]) == .first)
        #expect(try await store.use("state", callback: [1]) == .again(repeats: true, recently: true, failed: false))
        #expect(try await store.use("state", callback: [2]) == .again(repeats: false, recently: true, failed: false))
        #expect(try await store.use("State", callback: [1]) == .first, "another state")
        try await store.noteFailure("state")
        #expect(try await store.use("state", callback: [1]) == .again(repeats: true, recently: true, failed: true))
        clock.advance(by: .seconds(10))
        #expect(try await store.use("State", callback: [1]) == .again(repeats: true, recently: false, failed: false))
        #expect(try await store.use("State", callback: [2]) == .again(repeats: false, recently: false, failed: false))
        await database.close()
    }

    @Test("a row lasts longer than every cookie with its state, is purged then, and holds no state")
    func purge() async throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        let database = try await Self.open(folder)
        let store = UsedStateStore(database: database, clock: clock.clock)
        for number in 1...5 { _ = try await store.use("state-\(number)", callback: [1]) }
        clock.advance(by: PendingSignIns.lifetime + ClockSkew.tolerated * 2)
        #expect(try await store.purge(limit: 100) == 0)
        #expect(try await store.use("state-1", callback: [1]) != .first)
        clock.advance(by: ClockSkew.tolerated * 2)
        #expect(try await store.purge(limit: 2) == 2)
        #expect(try await store.purge(limit: 100) == 3)
        await database.close()
    }
}
