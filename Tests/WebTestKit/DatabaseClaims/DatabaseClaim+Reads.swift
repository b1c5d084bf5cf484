import Dispatch
import Storage
import Testing

@testable import TestKit

extension DatabaseClaim {
    /// What a read sees.
    static let reads = [
        DatabaseClaim(
            "a read after a write sees it, for a thousand pairs at once over two connections", opening: ownWrites),
        DatabaseClaim("a read sees one snapshot, also when another commits between its statements", opening: snapshot),
        DatabaseClaim("a read cannot write", readOnly),
        DatabaseClaim("a query without a row returns none", noRows),
    ]

    @Sendable private static func ownWrites(_ open: @escaping Open) async throws {
        let databases = [try await open(steps), try await open(steps)]
        let seen = try await atOnce(1000) { number in
            try await databases[number % 2].add(items: [Int64(number)])
            return try await databases[(number / 2) % 2].number(
                "SELECT COUNT(*) AS n FROM item WHERE id = :id", ["id": .integer(Int64(number))])
        }
        #expect(seen == Array(repeating: 1, count: 1000))
        for database in databases { await database.close() }
    }

    @Sendable private static func snapshot(_ open: @escaping Open) async throws {
        let (reader, writer) = (try await open(steps), try await open(steps))
        let (hasRead, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let counts = reader.read { connection in
            let first = try connection.query("SELECT COUNT(*) AS n FROM item").first?.integer("n")
            hasRead.signal()
            if hasWritten.wait(timeout: .now() + 30) == .timedOut { throw BodyError(number: -1) }
            return [first, try connection.query("SELECT COUNT(*) AS n FROM item").first?.integer("n")]
        }
        try await onOwnThread { if hasRead.wait(timeout: .now() + 30) == .timedOut { throw BodyError(number: -1) } }
        try await writer.add(items: [1])
        // Once for each run of the body.
        for _ in 1...4 { hasWritten.signal() }
        // The snapshot of before, or a later one where the engine runs the body again.
        let seen = try await counts
        #expect(seen == [0, 0] || seen == [1, 1], "\(seen)")
        #expect(try await reader.items() == 1)
        for database in [reader, writer] { await database.close() }
    }

    @Sendable private static func readOnly(_ database: any Database) async throws {
        try await database.add(items: [1])
        for sql in [
            "INSERT INTO item (id, owner) VALUES (2, 'x')", "UPDATE item SET used_by = 1", "DELETE FROM item",
            "DELETE FROM item RETURNING id",
        ] {
            await #expect(throws: DatabaseError.self, "\(sql)") { try await database.read { try $0.query(sql) } }
        }
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE used_by IS NULL") == 1)
        #expect(try await database.items() == 1)
    }

    @Sendable private static func noRows(_ database: any Database) async throws {
        let rows = try await database.read { try $0.query("SELECT id FROM item WHERE id = :id", ["id": 1]) }
        #expect(rows.isEmpty)
        try await database.add(items: [1])
        let count = try await database.read { try $0.query("SELECT id FROM item WHERE id = :id", ["id": 1]).count }
        #expect(count == 1)
    }
}
