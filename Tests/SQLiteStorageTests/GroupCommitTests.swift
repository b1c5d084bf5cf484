import Dispatch
import Foundation
import SQLiteStorage
import Storage
import Testing

@testable import TestKit
@testable import WebTestKit

@Suite("Group commit")
struct GroupCommitTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    @Test("a hundred writes at once each get their own result, and all of them are stored")
    func ownResults() async throws {
        let database = try await fixture.open()
        let results = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
            for id in Int64(1)...100 {
                group.addTask {
                    let stored = try await database.write { connection in
                        try connection.query(
                            "INSERT INTO token (id, owner) VALUES (:id, :owner) RETURNING id",
                            ["id": .integer(id), "owner": .text("\(id)")]
                        ).first?.integer("id")
                    }
                    return (id, try #require(stored))
                }
            }
            return try await group.reduce(into: [(Int64, Int64)]()) { $0.append($1) }
        }
        #expect(results.count == 100)
        #expect(results.allSatisfy { $0.0 == $0.1 })
        #expect(try await database.count() == 100)
    }

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

    @Test("a conflict concerns only its own body: it may continue, and the others are not affected")
    func conflict() async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        let words = try await database.write { connection in
            do {
                try connection.execute("INSERT INTO token (id, owner) VALUES (2, 'owner-1')")
                return "none"
            } catch DatabaseError.conflict(let words) {
                try connection.execute("INSERT INTO token (id, owner) VALUES (3, 'another')")
                return words
            }
        }
        #expect(words.contains("token.owner"))
        #expect(!words.contains("owner-1"))
        #expect(try await database.count() == 2)
    }

    @Test("one winner of 100 concurrent uses, over three databases on one file", arguments: 1...5)
    func oneWinner(round: Int) async throws {
        let databases = [try await fixture.open(), try await fixture.open(), try await fixture.open()]
        try await databases[0].insertToken(7)
        let winners = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for caller in Int64(1)...100 {
                group.addTask {
                    try await databases[Int(caller % 3)].write { connection in
                        try connection.query(
                            "UPDATE token SET used_by = :caller WHERE id = 7 AND used_by IS NULL RETURNING used_by",
                            ["caller": .integer(caller)]
                        ).first?.integer("used_by")
                    }
                }
            }
            return try await group.reduce(into: [Int64]()) { if let winner = $1 { $0.append(winner) } }
        }
        #expect(winners.count == 1)
        let stored = try await databases[2].read {
            try $0.query("SELECT used_by FROM token WHERE id = 7").first?.integer("used_by")
        }
        #expect(stored == winners.first)
    }

    @Test("writes are serialisable: bodies that read, decide and write lose nothing, over two databases on one file")
    func serialisable() async throws {
        let databases = [try await fixture.open(), try await fixture.open()]
        try await databases[0].write {
            try $0.execute("INSERT INTO token (id, owner, used_by) VALUES (1, 'counter', 0)")
        }
        let seen = try await withThrowingTaskGroup(of: Int64.self) { group in
            for caller in 1...200 {
                group.addTask {
                    try await databases[caller % 2].write { connection in
                        let count = try connection.query("SELECT used_by AS n FROM token").first?.integer("n") ?? -1
                        try connection.execute("UPDATE token SET used_by = :n", ["n": .integer(count + 1)])
                        return count
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(seen.sorted() == Array(0..<200))
        let final = try await databases[1].read { try $0.query("SELECT used_by AS n FROM token").first?.integer("n") }
        #expect(final == 200)
    }

    @Test("a read sees one snapshot, also when another database commits between its statements")
    func snapshot() async throws {
        let (reader, writer) = (try await fixture.open(), try await fixture.open())
        let (hasRead, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let counts = reader.read { connection in
            let first = try connection.query("SELECT count(*) AS n FROM token").first?.integer("n")
            hasRead.signal()
            if hasWritten.wait(timeout: .now() + 30) == .timedOut { throw BodyError(number: -1) }
            return [first, try connection.query("SELECT count(*) AS n FROM token").first?.integer("n")]
        }
        try await onOwnThread { if hasRead.wait(timeout: .now() + 30) == .timedOut { throw BodyError(number: -1) } }
        try await writer.insertToken(1)
        hasWritten.signal()
        #expect(try await counts == [0, 0])
        #expect(try await reader.count() == 1)
    }

    @Test("a body that runs again after a rollback has the effect of one run")
    func rerun() async throws {
        let database = RerunningDatabase(try await fixture.open())
        let ids = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for id in Int64(1)...20 {
                group.addTask {
                    try await database.write {
                        try $0.query(
                            "INSERT INTO token (id, owner) VALUES (:id, :id) RETURNING id", ["id": .integer(id)]
                        ).first?.integer("id")
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ids) == Set(1...20))
        let count = try await database.read { try $0.query("SELECT count(*) AS n FROM token").first?.integer("n") }
        #expect(count == 20)
    }

    @Test("a read after a write sees it, for a thousand concurrent pairs")
    func readYourWrites() async throws {
        let database = try await fixture.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in Int64(1)...1_000 {
                group.addTask {
                    try await database.insertToken(id)
                    let seen = try await database.read {
                        try $0.query("SELECT id FROM token WHERE id = :id", ["id": .integer(id)]).count
                    }
                    #expect(seen == 1)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a read cannot write")
    func readOnlyReads() async throws {
        let database = try await fixture.open()
        await #expect(throws: DatabaseError.self) {
            try await database.read { try $0.execute("INSERT INTO token (id, owner) VALUES (1, 'x')") }
        }
        #expect(try await database.count() == 0)
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
