import Dispatch
import Storage
import Synchronization
import Testing

@testable import TestKit

extension DatabaseClaim {
    /// What a transaction keeps, and what transactions at the same time do to each other.
    static let writes = [
        DatabaseClaim("300 writes at once each get their own result, and all of them are stored", ownResults),
        DatabaseClaim("a body that throws leaves nothing, and its caller gets its error", throwingBody),
        DatabaseClaim("of 100 conditional updates at once one succeeds, over three connections", opening: oneWinner),
        DatabaseClaim(
            "bodies that read a number and write it back lose nothing, over two connections", opening: counter),
        DatabaseClaim("bodies that look for a row and add one where there is none add one", opening: lookAndAdd),
        DatabaseClaim("a body that runs again has the effect of one run", rerun),
        DatabaseClaim(
            "what a body asks for after the commit happens once, before its caller goes on, and never when the body throws",
            afterCommit),
        DatabaseClaim("2000 rows in one transaction are all stored, or none", largeBatch),
        DatabaseClaim("a write is complete also when its caller was cancelled", cancelled),
        DatabaseClaim("after it is closed each call fails as unavailable", closed),
    ]

    @Sendable private static func ownResults(_ database: any Database) async throws {
        let results = try await atOnce(300) { number in
            try await database.write { connection in
                try connection.query(
                    "INSERT INTO item (id, owner) VALUES (:id, :owner) RETURNING id",
                    ["id": .integer(Int64(number)), "owner": .text("\(number)")]
                ).first?.integer("id") == Int64(number)
            }
        }
        #expect(results == Array(repeating: true, count: 300))
        #expect(try await database.items() == 300)
    }

    @Sendable private static func throwingBody(_ database: any Database) async throws {
        try await database.add(items: [1000])
        let errors = await withTaskGroup(of: BodyError?.self) { group in
            for id in Int64(1)...60 {
                group.addTask {
                    do {
                        try await database.write { connection in
                            try connection.add(item: id)
                            try connection.execute("DELETE FROM item WHERE id = :id", ["id": .integer(id - 1)])
                            if id.isMultiple(of: 2) {
                                try connection.execute("DELETE FROM item WHERE id = 1000")
                                throw BodyError(number: id)
                            }
                        }
                        return nil
                    } catch {
                        return error as? BodyError ?? BodyError(number: -1)
                    }
                }
            }
            return await group.reduce(into: []) { if let error = $1 { $0.append(error.number) } } as [Int64]
        }
        #expect(errors.sorted() == Array(stride(from: 2, through: 60, by: 2)))
        #expect(try await database.items() == 31)
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE id = 1000") == 1)
    }

    /// Bodies that throw make all bodies of their batch run again.
    @Sendable private static func afterCommit(_ database: any Database) async throws {
        let said = Mutex<[Int64]>([])
        let early = try await atOnce(60) { caller in
            let id = Int64(caller)
            do {
                try await database.write { connection in
                    try connection.add(item: id)
                    connection.afterCommit { outcome in said.withLock { if outcome == .kept { $0.append(id) } } }
                    if id.isMultiple(of: 2) { throw BodyError(number: id) }
                }
                return said.withLock { !$0.contains(id) }
            } catch { return false }
        }
        #expect(!early.contains(true))
        #expect(said.withLock { $0.sorted() } == (0..<60).filter { !$0.isMultiple(of: 2) })
    }

    @Sendable private static func oneWinner(_ open: @escaping Open) async throws {
        let databases = [try await open(steps), try await open(steps), try await open(steps)]
        for item in Int64(1)...5 {
            try await databases[0].add(items: [item])
            let winners = try await atOnce(100) { caller in
                try await databases[caller % 3].write { connection in
                    try connection.query(
                        "UPDATE item SET used_by = :caller WHERE id = :id AND used_by IS NULL RETURNING used_by",
                        ["caller": .integer(Int64(caller)), "id": .integer(item)]
                    ).first?.integer("used_by")
                }
            }.compactMap(\.self)
            #expect(winners.count == 1)
            let stored = try await databases[2].number(
                "SELECT used_by AS n FROM item WHERE id = :id", ["id": .integer(item)])
            #expect(stored == winners.first)
        }
        for database in databases { await database.close() }
    }

    @Sendable private static func counter(_ open: @escaping Open) async throws {
        let databases = [try await open(steps), try await open(steps)]
        try await databases[0].write {
            try $0.execute("INSERT INTO item (id, owner, used_by) VALUES (1, 'counter', 0)")
        }
        let seen = try await atOnce(200) { caller in
            try await databases[caller % 2].write { connection in
                let count = try connection.query("SELECT used_by AS n FROM item").first?.integer("n") ?? -1
                try connection.execute("UPDATE item SET used_by = :n", ["n": .integer(count + 1)])
                return count
            }
        }
        #expect(seen.sorted() == Array(0..<200))
        #expect(try await databases[1].number("SELECT used_by AS n FROM item") == 200)
        for database in databases { await database.close() }
    }

    /// No two of these bodies touch the same row, so that a lock on rows is not enough.
    @Sendable private static func lookAndAdd(_ open: @escaping Open) async throws {
        let databases = [try await open(steps), try await open(steps)]
        let added = try await atOnce(50) { caller in
            try await databases[caller % 2].write { connection in
                guard try connection.query("SELECT 1 AS n FROM item").isEmpty else { return false }
                try connection.add(item: Int64(caller))
                return true
            }
        }
        #expect(added.count { $0 } == 1)
        #expect(try await databases[0].items() == 1)
        for database in databases { await database.close() }
    }

    @Sendable private static func rerun(_ database: any Database) async throws {
        try await database.write { try $0.execute("INSERT INTO item (id, owner, used_by) VALUES (0, 'sum', 0)") }
        let ids = try await atOnce(20) { number in
            try await database.write { connection in
                try connection.execute("UPDATE item SET used_by = used_by + 1 WHERE id = 0")
                return try connection.query(
                    "INSERT INTO item (id, owner) VALUES (:id, :owner) RETURNING id",
                    ["id": .integer(Int64(number) + 1), "owner": .text("\(number)")]
                ).first?.integer("id")
            }
        }
        #expect(Set(ids) == Set((1...20).map { Int64($0) }))
        #expect(try await database.items() == 21)
        #expect(try await database.number("SELECT used_by AS n FROM item WHERE id = 0") == 20)
    }

    @Sendable private static func largeBatch(_ database: any Database) async throws {
        try await database.add(items: Array(1...2000))
        #expect(try await database.items() == 2000)
        let kind = try await DatabaseError.kind { try await database.add(items: Array(2001...4000) + [1]) }
        #expect(kind == .conflict)
        #expect(try await database.items() == 2000)
        let rows = try await database.read { try $0.query("SELECT id FROM item ORDER BY id DESC") }
        #expect(try rows.map { try $0.integer("id") } == (1...2000).reversed())
    }

    @Sendable private static func cancelled(_ database: any Database) async throws {
        let gate = DispatchSemaphore(value: 0)
        let holder = await database.hold(gate)
        let waiting = Task { try await database.add(items: [1]) }
        waiting.cancel()
        // Once for each run of the body that waits for it.
        for _ in 1...2 { gate.signal() }
        try await holder.value
        try await waiting.value
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.add(items: [2])
        }
        try await before.value
        #expect(try await database.items() == 2)
    }

    @Sendable private static func closed(_ database: any Database) async throws {
        try await database.add(items: [1])
        await database.close()
        #expect(try await DatabaseError.kind { try await database.add(items: [2]) } == .unavailable)
        #expect(try await DatabaseError.kind { _ = try await database.items() } == .unavailable)
        #expect(try await DatabaseError.kind { try await database.checkReady() } == .unavailable)
    }
}
