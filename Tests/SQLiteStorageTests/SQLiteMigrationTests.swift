import Dispatch
import Foundation
import SQLiteStorage
import Storage
import Testing

@testable import TestKit
@testable import WebTestKit

@Suite("Migrations of a file", .rules)
struct SQLiteMigrationTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    @Test(
        "of four programs that start at the same moment without a file each is ready, and each step runs once",
        arguments: 1...10)
    func atOnce(round: Int) async throws {
        let steps =
            StorageFixture.migrations + [Migration(name: "v002-first", sql: ["INSERT INTO note (body) VALUES (x'01')"])]
        let databases = try await withThrowingTaskGroup(of: SQLiteDatabase.self) { group in
            for _ in 1...4 { group.addTask { try await fixture.open(steps) } }
            return try await group.reduce(into: [SQLiteDatabase]()) { $0.append($1) }
        }
        for database in databases {
            try await database.checkReady()
            #expect(try await database.count("note") == 1)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
        #expect(names == ["test.sqlite", "test.sqlite-shm", "test.sqlite-wal"])
    }

    @Test("a program that starts while another holds the write lock need not wait for it")
    func startsDuringWriteLock() async throws {
        let first = try await fixture.open()
        let gate = DispatchSemaphore(value: 0)
        let holder = await first.hold(gate)
        let second = try await fixture.open(patience: .milliseconds(50))
        #expect(try await second.count() == 0)
        gate.signal()
        try await holder.value
    }
}
