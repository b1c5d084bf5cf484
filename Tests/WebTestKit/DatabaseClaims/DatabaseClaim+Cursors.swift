import Storage
import Testing

extension DatabaseClaim {
    /// Rows that are read where they lie.
    static let cursors = [
        DatabaseClaim("rows that are read where they lie are those of a query, in its order", sameRows),
        DatabaseClaim("a wrong type, a NULL and a missing column are misuses also there", wrongColumnsInPlace),
        DatabaseClaim("columns can be read in any order, several times or not at all", anyOrder),
        DatabaseClaim("of two columns with one name the first one is read", sameNames),
        DatabaseClaim("an error of the body ends the reading and reaches the caller as it is", throwingBody),
        DatabaseClaim("a statement can run again while its rows are read", nested),
        DatabaseClaim("rows can be changed while others are read", changes),
        DatabaseClaim("a row that is read after its call is a misuse", keptRow),
        DatabaseClaim("texts and blobs are bound whole wherever their bytes come from", slices),
    ]

    private static let itemRows = "SELECT id, owner, used_by FROM item ORDER BY id"

    @Sendable private static func sameRows(_ database: any Database) async throws {
        let none = try await database.read { try $0.rows(itemRows) { try $0.integer("id") } }
        #expect(none.isEmpty)
        try await database.add(items: [3, 1, 2])
        try await database.write { try $0.execute("UPDATE item SET used_by = id WHERE id > :id", ["id": 1]) }
        @Sendable func line(_ row: any SQLColumns) throws -> String {
            try "\(row.integer("id")) \(row.text("owner")) \(row.optionalInteger("used_by") ?? -1)"
        }
        let (read, copied) = try await database.read { connection in
            (try connection.rows(itemRows) { try line($0) }, try connection.query(itemRows).map { try line($0) })
        }
        #expect(read == ["1 owner-1 -1", "2 owner-2 2", "3 owner-3 3"])
        #expect(read == copied)
        let some = try await database.read {
            try $0.rows("SELECT id FROM item WHERE owner = :owner", ["owner": "owner-2"]) { try $0.integer("id") }
        }
        #expect(some == [2])
    }

    @Sendable private static func wrongColumnsInPlace(_ database: any Database) async throws {
        try await database.add(items: [1])
        let reads: [@Sendable (any SQLColumns) throws -> Void] = [
            { _ = try $0.text("nowhere") }, { _ = try $0.optionalText("nowhere") }, { _ = try $0.text("id") },
            { _ = try $0.integer("owner") }, { _ = try $0.blob("owner") }, { _ = try $0.integer("used_by") },
        ]
        for (number, read) in reads.enumerated() {
            let kind = try await DatabaseError.kind {
                _ = try await database.read { try $0.rows(itemRows) { try read($0) } }
            }
            #expect(kind == .misuse, "\(number)")
        }
        #expect(try await database.items() == 1)
    }

    @Sendable private static func anyOrder(_ database: any Database) async throws {
        try await database.add(items: [1, 2])
        let read = try await database.read { connection in
            try connection.rows(itemRows) { row in
                try "\(row.text("owner")) \(row.integer("id")) \(row.text("owner")) \(row.integer("id"))"
            }
        }
        #expect(read == ["owner-1 1 owner-1 1", "owner-2 2 owner-2 2"])
        #expect(try await database.read { try $0.rows(itemRows) { _ in 1 } } == [1, 1])
    }

    @Sendable private static func sameNames(_ database: any Database) async throws {
        let sql = "SELECT 1 AS a, 2 AS b, 3 AS a"
        @Sendable func numbers(_ row: any SQLColumns) throws -> [Int64] {
            try ["a", "b", "a", "a", "b"].map { try row.integer($0) }
        }
        let (read, copied) = try await database.read { connection in
            (try connection.rows(sql) { try numbers($0) }, try connection.query(sql).map { try numbers($0) })
        }
        #expect(read == [[1, 2, 1, 1, 2]] && copied == read)
    }

    private struct Stop: Error, Equatable { let id: Int64 }

    @Sendable private static func throwingBody(_ database: any Database) async throws {
        try await database.add(items: [1, 2, 3])
        let kept = try await database.write { connection in
            do {
                try connection.forEachRow(itemRows, [:]) { row in
                    if try row.integer("id") == 2 { throw Stop(id: 2) }
                }
            } catch let error as Stop {
                // The statement is at its end, and the transaction goes on.
                try connection.execute("UPDATE item SET used_by = :id WHERE id = :id", ["id": .integer(error.id)])
            }
            return try connection.rows(itemRows) { try $0.optionalInteger("used_by") }
        }
        #expect(kept == [nil, 2, nil])
        await #expect(throws: Stop(id: 1)) {
            _ = try await database.write { connection in
                try connection.execute("UPDATE item SET used_by = 7")
                try connection.forEachRow(itemRows, [:]) { throw Stop(id: try $0.integer("id")) }
            }
        }
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE used_by = 7") == 0)
    }

    @Sendable private static func nested(_ database: any Database) async throws {
        try await database.add(items: [1, 2, 3])
        let above = "SELECT id FROM item WHERE id > :least ORDER BY id"
        @Sendable func pairs(_ connection: any SQLConnection) throws -> [String] {
            try connection.rows(above, ["least": 0]) { outer in
                let first = try outer.integer("id")
                let inner = try connection.rows(above, ["least": .integer(first)]) { try $0.integer("id") }
                // The outer row is still the same one.
                return try "\(outer.integer("id")): \(inner.map(String.init).joined(separator: " "))"
            }
        }
        for _ in 1...2 {
            #expect(try await database.read { try pairs($0) } == ["1: 2 3", "2: 3", "3: "])
            #expect(try await database.write { try pairs($0) } == ["1: 2 3", "2: 3", "3: "])
        }
    }

    @Sendable private static func changes(_ database: any Database) async throws {
        try await database.add(items: [1, 2, 3])
        try await database.write { connection in
            try connection.forEachRow("SELECT id FROM item ORDER BY id", [:]) { row in
                let id = try row.integer("id")
                try connection.execute(
                    "INSERT INTO sample (id, words) VALUES (:id, :words)",
                    ["id": .integer(id), "words": .text("of \(id)")])
            }
        }
        let words = try await database.read {
            try $0.rows("SELECT words FROM sample ORDER BY id") { try $0.text("words") }
        }
        #expect(words == ["of 1", "of 2", "of 3"])
    }

    @Sendable private static func keptRow(_ database: any Database) async throws {
        try await database.add(items: [1])
        let kind = try await DatabaseError.kind {
            _ = try await database.read { connection in
                var kept: (any SQLColumns)?
                try connection.forEachRow(itemRows, [:]) { kept = $0 }
                return try kept?.integer("id")
            }
        }
        #expect(kind == .misuse)
    }

    @Sendable private static func slices(_ database: any Database) async throws {
        let (text, bytes) = (String(repeating: "äbc\u{1F600}", count: 9_000), (0..<90_000).map { UInt8($0 % 251) })
        let samples: [(String, [UInt8])] = [
            (String(text.dropFirst(7).prefix(20)), Array(bytes[3..<40])), (String(text.prefix(1)), Array(bytes[0..<1])),
            (String(text.dropFirst()), Array(bytes.dropFirst(5))), ("", []),
            (String(text.reversed().prefix(15)), bytes.reversed()),
        ]
        for (words, bytes) in samples {
            let rows = try await database.read {
                try $0.rows("SELECT :words AS words, :bytes AS bytes", ["bytes": .blob(bytes), "words": .text(words)]) {
                    (try $0.text("words"), try $0.blob("bytes"))
                }
            }
            #expect(rows.count == 1 && rows.allSatisfy { $0.utf8.elementsEqual(words.utf8) && $1 == bytes })
        }
    }
}
