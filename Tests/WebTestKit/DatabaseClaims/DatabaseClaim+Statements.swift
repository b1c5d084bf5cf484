import Storage
import Testing

@testable import TestKit

extension DatabaseClaim {
    /// What one statement does.
    static let statements = [
        DatabaseClaim("execute counts the rows that it inserted, updated or deleted", counts),
        DatabaseClaim("RETURNING gives the rows that a statement changed, and none where it changed none", returning),
        DatabaseClaim("ON CONFLICT keeps the row that is there, or changes it", onConflict),
        DatabaseClaim(
            "a violated constraint is a conflict, whose words have no value, and the body may continue", conflicts),
        DatabaseClaim("rows without a value do not collide in a unique column", uniqueNulls),
        DatabaseClaim("a partial unique index binds only its rows", partialIndex),
        DatabaseClaim("a bounded number of rows is deleted in order", boundedDelete),
        DatabaseClaim("what is sent is kept with its transaction, also alone, and the next statement sees it", sent),
        DatabaseClaim("what is sent and fails is a conflict of its own body, which may continue", sentInVain),
        DatabaseClaim("SQL that is wrong or empty is a misuse, and the next call works", badSQL),
    ]

    @Sendable private static func counts(_ database: any Database) async throws {
        let counts = try await database.write { connection in
            [
                try connection.execute("INSERT INTO item (id, owner) VALUES (1, 'a'), (2, 'b'), (3, 'c')"),
                try connection.execute("INSERT INTO item (id, owner) VALUES (1, 'd') ON CONFLICT (id) DO NOTHING"),
                try connection.execute("INSERT INTO sample (id, words) SELECT id, owner FROM item WHERE id > 1"),
                try connection.execute("UPDATE item SET used_by = 1 WHERE id > :id", ["id": 1]),
                // A row counts also when it has the value already.
                try connection.execute("UPDATE item SET used_by = 1 WHERE id > :id", ["id": 1]),
                try connection.execute("UPDATE item SET used_by = 1 WHERE id > :id", ["id": 9]),
                try connection.execute("DELETE FROM item WHERE id = 1"), try connection.execute("DELETE FROM item"),
                try connection.execute("DELETE FROM item"),
            ]
        }
        #expect(counts == [3, 0, 2, 2, 2, 0, 1, 2, 0])
    }

    @Sendable private static func returning(_ database: any Database) async throws {
        let found = try await database.write { connection in
            func owners(_ sql: String) throws -> [String] { try connection.query(sql).map { try $0.text("owner") } }
            return [
                try owners("INSERT INTO item (id, owner) VALUES (1, 'a') RETURNING owner"),
                try owners("INSERT INTO item (id, owner) VALUES (1, 'b') ON CONFLICT (id) DO NOTHING RETURNING owner"),
                try owners("UPDATE item SET owner = 'c', used_by = 1 WHERE used_by IS NULL RETURNING owner"),
                try owners("UPDATE item SET owner = 'd', used_by = 2 WHERE used_by IS NULL RETURNING owner"),
                try owners("DELETE FROM item WHERE id = 1 RETURNING owner"),
                try owners("DELETE FROM item WHERE id = 1 RETURNING owner"),
            ]
        }
        #expect(found == [["a"], [], ["c"], [], ["c"], []])
    }

    private static let insert = "INSERT INTO item (id, owner) VALUES (:id, :id || '')"

    @Sendable private static func sent(_ database: any Database) async throws {
        try await database.write { try $0.send(insert, ["id": .integer(1)]) }
        let seen = try await database.write { connection in
            for id in 2...4 as ClosedRange<Int64> { try connection.send(insert, ["id": .integer(id)]) }
            return try connection.query("SELECT COUNT(*) AS n FROM item").first?.integer("n")
        }
        #expect(seen == 4)
        struct GivenUp: Error {}
        await #expect(throws: GivenUp.self) {
            try await database.write { connection in
                try connection.send(insert, ["id": .integer(5)])
                throw GivenUp()
            }
        }
        #expect(try await database.items() == 4)
        // A body that was undone says nothing to the next one.
        try await database.write { try $0.send(insert, ["id": .integer(5)]) }
        #expect(try await database.items() == 5)
        // Many at once share transactions.
        let all = try await atOnce(40) { number in
            try await database.write { try $0.send(insert, ["id": .integer(Int64(number) + 100)]) }
            return true
        }
        #expect(all.count == 40)
        #expect(try await database.items() == 45)
    }

    @Sendable private static func sentInVain(_ database: any Database) async throws {
        try await database.write { try $0.send(insert, ["id": .integer(1)]) }
        for before in [[], [2, 3]] as [[Int64]] {
            let kind = try await DatabaseError.kind {
                try await database.write { connection in
                    for id in before { try connection.send(insert, ["id": .integer(id)]) }
                    try connection.send(insert, ["id": .integer(1)])
                }
            }
            #expect(kind == .conflict)
        }
        #expect(try await database.items() == 1)
        let kinds = try await atOnce(40) { number in
            try await DatabaseError.kind {
                try await database.write { connection in
                    try connection.send(insert, ["id": .integer(Int64(number) + 100)])
                    guard number.isMultiple(of: 4) else { return }
                    do throws(DatabaseError) { try connection.send(insert, ["id": .integer(1)]) } catch {
                        guard number.isMultiple(of: 8) else { throw error }
                        try connection.send(
                            "UPDATE item SET used_by = 7 WHERE id = :id",
                            [
                                "id": .integer(Int64(number) + 100)
                            ])
                    }
                }
            }
        }
        #expect(kinds.count { $0 == .conflict } == 5 && kinds.count { $0 == nil } == 35)
        #expect(try await database.items() == 36)
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE used_by = 7") == 5)
    }

    @Sendable private static func onConflict(_ database: any Database) async throws {
        func note(_ number: Int64, _ words: String, _ rule: String) async throws {
            try await database.write {
                try $0.execute(
                    """
                    INSERT INTO sample (id, number, words) VALUES (1, :number, :words)
                        ON CONFLICT (id) \(rule)
                    """, ["number": .integer(number), "words": .text(words)])
            }
        }
        let change = """
            DO UPDATE SET number = excluded.number, words = CASE WHEN :number > 2 THEN sample.words ELSE excluded.words END
            """
        var seen: [String] = []
        for (number, rule) in [(1, "DO NOTHING"), (2, change), (3, change), (4, "DO NOTHING")] as [(Int64, String)] {
            try await note(number, "words-\(number)", rule)
            let rows = try await database.read { try $0.query("SELECT number, words FROM sample") }
            seen += try rows.map { "\(try $0.integer("number")) \(try $0.text("words"))" }
        }
        #expect(seen == ["1 words-1", "2 words-2", "3 words-2", "3 words-2"])
    }

    @Sendable private static func conflicts(_ database: any Database) async throws {
        let violations = [
            "INSERT INTO item (id, owner) VALUES (2, :secret)", "INSERT INTO item (id, owner) VALUES (1, 'other')",
            "INSERT INTO item (id, owner) VALUES (2, NULL)",
            "INSERT INTO part (id, item_id, amount) VALUES (1, 99, 1)",
            "INSERT INTO part (id, item_id, amount) VALUES (1, 1, 0)",
            "INSERT INTO item (id, owner) VALUES (7, 'seven'), (8, :secret)", "DELETE FROM item WHERE owner = 'used'",
        ]
        let secret: SQLArguments = ["secret": "top-secret"]
        try await database.write { connection in
            try connection.execute("INSERT INTO item (id, owner) VALUES (1, :secret), (5, 'used')", secret)
            try connection.execute("INSERT INTO part (id, item_id, amount) VALUES (50, 5, 1)")
        }
        let found = try await database.write { connection in
            try violations.enumerated().map { number, sql in
                do throws(DatabaseError) {
                    try connection.execute(sql, secret)
                    return "none: \(sql)"
                } catch {
                    // The body goes on in the same transaction.
                    try connection.add(item: Int64(100 + number))
                    return error.kind == .conflict ? "\(error)" : "\(error.kind): \(sql)"
                }
            }
        }
        for words in found { #expect(words.hasPrefix("database conflict: ") && !words.contains("secret"), "\(words)") }
        #expect(found.first?.contains("owner") == true, "the column is named")
        #expect(try await database.items() == 2 + Int64(violations.count))
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE id IN (2, 7, 8)") == 0)
        #expect(try await database.number("SELECT COUNT(*) AS n FROM part") == 1)
    }

    @Sendable private static func uniqueNulls(_ database: any Database) async throws {
        try await database.add(items: [1, 2, 3])
        func add(_ id: Int64, digest: [UInt8]?) async throws {
            try await database.write {
                try $0.execute(
                    "INSERT INTO part (id, item_id, digest, amount) VALUES (:id, :id, :digest, 1)",
                    ["id": .integer(id), "digest": .optional(digest)])
            }
        }
        try await add(1, digest: nil)
        try await add(2, digest: nil)
        try await add(3, digest: [1])
        #expect(try await database.number("SELECT COUNT(*) AS n FROM part") == 3)
        let kind = try await DatabaseError.kind {
            _ = try await database.write { try $0.execute("UPDATE part SET digest = :digest", ["digest": .blob([1])]) }
        }
        #expect(kind == .conflict)
    }

    @Sendable private static func partialIndex(_ database: any Database) async throws {
        try await database.add(items: [1])
        func add(_ id: Int64) async throws {
            try await database.write {
                try $0.execute("INSERT INTO part (id, item_id, amount) VALUES (:id, 1, 1)", ["id": .integer(id)])
            }
        }
        try await add(1)
        #expect(try await DatabaseError.kind { try await add(2) } == .conflict)
        for id in Int64(2)...4 {
            try await database.write { try $0.execute("UPDATE part SET ended_at = 7 WHERE ended_at IS NULL") }
            try await add(id)
        }
        #expect(try await database.number("SELECT COUNT(*) AS n FROM part WHERE ended_at = 7") == 3)
        #expect(try await database.number("SELECT id AS n FROM part WHERE ended_at IS NULL") == 4)
    }

    @Sendable private static func boundedDelete(_ database: any Database) async throws {
        try await database.add(items: Array(1...9))
        try await database.write { try $0.execute("UPDATE item SET used_by = 10 - id") }
        let sql = """
            DELETE FROM item WHERE id IN (SELECT id FROM item WHERE id < :end ORDER BY used_by DESC, id LIMIT :limit)
            """
        for (limit, count, left) in [(0, 0, 9), (2, 2, 7), (100, 5, 2)] as [(Int64, Int, Int64)] {
            let deleted = try await database.write { try $0.execute(sql, ["end": 8, "limit": .integer(limit)]) }
            #expect(deleted == count)
            #expect(try await database.items() == left)
            if limit == 2 { #expect(try await database.number("SELECT MIN(id) AS n FROM item") == 3) }
        }
    }

    @Sendable private static func badSQL(_ database: any Database) async throws {
        for (id, sql) in ["SELECT * FROM nowhere", "SELECT nothing FROM item", "SELEC 1", ""].enumerated() {
            let write = try await DatabaseError.kind { _ = try await database.write { try $0.query(sql) } }
            let read = try await DatabaseError.kind { _ = try await database.read { try $0.query(sql) } }
            #expect(write == .misuse && read == .misuse, "\(sql)")
            try await database.add(items: [Int64(id)])
            #expect(try await database.items() == Int64(id) + 1)
        }
    }
}
