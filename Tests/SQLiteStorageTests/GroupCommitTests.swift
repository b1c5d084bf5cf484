import Dispatch
import Foundation
import SQLiteStorage
import Storage
import Synchronization
import Testing

@testable import TestKit
@testable import WebTestKit

@Suite("Group commit", .rules)
struct GroupCommitTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    @Test("writes that wait together share one commit")
    func sharedCommit() async throws {
        let database = try await fixture.open()
        let gate = DispatchSemaphore(value: 0)
        let holder = await database.hold(gate)
        let before = fixture.size(fixture.path + "-wal")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in Int64(1)...64 { group.addTask { try await database.insertToken(id) } }
            try await database.queued(64)
            gate.signal()
            try await group.waitForAll()
        }
        try await holder.value
        // One commit writes each changed page once; 64 commits would write the same pages 64 times, 4 KiB each.
        #expect(fixture.size(fixture.path + "-wal") - before < 20 * 4_120)
        #expect(try await database.count() == 64)
    }

    @Test("a body that throws loses its own changes and none of the others'", arguments: [1, 2, 60])
    func throwingBody(count: Int64) async throws {
        let database = try await fixture.open()
        let gate = DispatchSemaphore(value: 0)
        let holder = await database.hold(gate)
        let outcomes = await withTaskGroup(of: (Int64, BodyError?).self) { group in
            for id in 1...count {
                group.addTask {
                    do {
                        try await database.write { connection in
                            try connection.execute(
                                "INSERT INTO token (id, owner) VALUES (:id, :id)", ["id": .integer(id)])
                            if id.isMultiple(of: 3) || count == 1 { throw BodyError(number: id) }
                        }
                        return (id, nil)
                    } catch {
                        return (id, error as? BodyError)
                    }
                }
            }
            gate.signal()
            return await group.reduce(into: [(Int64, BodyError?)]()) { $0.append($1) }
        }
        try await holder.value
        for (id, error) in outcomes {
            #expect(error == (id.isMultiple(of: 3) || count == 1 ? BodyError(number: id) : nil))
        }
        let kept = outcomes.filter { $0.1 == nil }.count
        #expect(try await database.count() == kept)
    }

    @Test(
        "bodies of one commit run once and without savepoints, and once more apart when one of them throws",
        arguments: [false, true])
    func runs(oneThrows: Bool) async throws {
        let database = try await fixture.open()
        let gate = DispatchSemaphore(value: 0)
        let holder = await database.hold(gate)
        let runs = RunCounts()
        await withTaskGroup(of: Void.self) { group in
            for id in Int64(1)...8 {
                group.addTask {
                    try? await database.write { connection in
                        runs.counts.withLock { $0[id, default: 0] += 1 }
                        try connection.execute(
                            "INSERT INTO token (id, owner) VALUES (:id, :id)", ["id": .integer(id)])
                        if oneThrows, id == 8 { throw BodyError(number: id) }
                    }
                }
            }
            try? await database.queued(8)
            gate.signal()
        }
        try await holder.value
        let counted = runs.counts.withLock { $0.values.sorted() }
        // One that throws ends the first run, wherever it stands in the batch.
        #expect(
            oneThrows
                ? counted.allSatisfy { (1...2).contains($0) } && counted.last == 2
                : counted == Array(repeating: 1, count: 8))
        #expect(try await database.count() == (oneThrows ? 7 : 8))
    }

    @Test("close finishes waiting writes, then refuses new ones")
    func closing() async throws {
        let database = try await fixture.open()
        let gate = DispatchSemaphore(value: 0)
        let holder = await database.hold(gate)
        async let waiting: Void = database.insertToken(1)
        try await database.queued(1)
        async let closed: Void = database.close()
        gate.signal()
        try await holder.value
        try await waiting
        await closed
        await #expect(throws: DatabaseError.unavailable("the database is closed")) {
            try await database.insertToken(2)
        }
        await #expect(throws: DatabaseError.unavailable("the database is closed")) { try await database.count() }
        // Everything is in one file now: a copy of it alone is a backup.
        #expect(fixture.size(fixture.path + "-wal") <= 0)
        #expect(try await fixture.open().count() == 1)
    }
}

/// How often the body of each number has run.
private final class RunCounts: Sendable {
    let counts = Mutex<[Int64: Int]>([:])
}
