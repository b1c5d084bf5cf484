import Storage
import Testing

extension DatabaseClaim {
    /// Values on their way into a statement and out of a row.
    static let values = [
        DatabaseClaim("every kind of value is read as it was written, of any size", roundTrip),
        DatabaseClaim("NULL of each type is NULL, in a column and in a condition", nulls),
        DatabaseClaim("a wrong type, a NULL and a missing column are misuses, not traps", wrongColumns),
        DatabaseClaim("a text with a NUL byte is a misuse: it could be cut there", nulByte),
        DatabaseClaim(
            "a statement with a missing value is a misuse, and values that it does not name are ignored", names),
        DatabaseClaim("one value may stand in several places", repeatedName),
        DatabaseClaim("values of one run do not reach the next one of the same statement", leftovers),
        DatabaseClaim("texts are equal and sorted byte by byte", textOrder),
        DatabaseClaim("counts, sums, extremes and conditions are integers", integers),
    ]

    @Sendable private static func roundTrip(_ database: any Database) async throws {
        let samples: [(number: Int64, words: String, bytes: [UInt8])] = [
            (.min, "", []), (.max, "naïve ✓ 😀 e\u{301} \u{FEFF}", [0, 255, 0]),
            (0, " '\"\\;--\r\n\t%_:a $1 ", [UInt8](0...255)),
            (-1, String(repeating: "é", count: 100_000), [UInt8](repeating: 0, count: 100_000)),
        ]
        try await database.write { connection in
            for (id, sample) in samples.enumerated() {
                try connection.execute(
                    "INSERT INTO sample (id, number, words, bytes) VALUES (:id, :number, :words, :bytes)",
                    [
                        "id": .integer(Int64(id)), "number": .integer(sample.number), "words": .text(sample.words),
                        "bytes": .blob(sample.bytes),
                    ])
            }
        }
        let rows = try await database.read {
            try $0.query("SELECT number, words, bytes FROM sample ORDER BY id")
        }
        #expect(try rows.map { try $0.integer("number") } == samples.map(\.number))
        // Strings that look the same are equal in Swift, also with other bytes.
        #expect(try rows.map { Array(try $0.text("words").utf8) } == samples.map { Array($0.words.utf8) })
        #expect(try rows.map { try $0.blob("bytes") } == samples.map(\.bytes))
        // The same in a condition, and in a result without a table.
        for (id, sample) in samples.enumerated() {
            let found = try await database.read {
                try $0.query(
                    """
                    SELECT id, :number AS number, :words AS words, :bytes AS bytes FROM sample
                     WHERE number = :number AND words = :words AND bytes = :bytes
                    """,
                    ["number": .integer(sample.number), "words": .text(sample.words), "bytes": .blob(sample.bytes)])
            }
            let row = try #require(found.first)
            #expect(try found.count == 1 && row.integer("id") == Int64(id))
            #expect(try row.integer("number") == sample.number && row.blob("bytes") == sample.bytes)
            #expect(try row.text("words").utf8.elementsEqual(sample.words.utf8))
        }
    }

    @Sendable private static func nulls(_ database: any Database) async throws {
        let values: SQLArguments = ["words": .null(.text), "bytes": .null(.blob), "number": .null(.integer)]
        try await database.write { connection in
            try connection.execute(
                "INSERT INTO sample (id, words, bytes, number) VALUES (1, :words, :bytes, :number)", values)
            try connection.execute("INSERT INTO sample (id, words, bytes, number) VALUES (2, 'a', :bytes, 7)", values)
        }
        let rows = try await database.read { try $0.query("SELECT words, bytes, number FROM sample ORDER BY id") }
        #expect(try rows.map { try $0.optionalText("words") } == [nil, "a"])
        #expect(try rows.map { try $0.optionalBlob("bytes") } == [nil, nil])
        #expect(try rows.map { try $0.optionalInteger("number") } == [nil, 7])
        for condition in ["words = :words", "number = :number", "bytes = :bytes", "words <> :words"] {
            #expect(try await database.number("SELECT COUNT(*) AS n FROM sample WHERE \(condition)", values) == 0)
        }
        let sql = """
            SELECT COUNT(*) AS n FROM sample WHERE COALESCE(:words, words) = words AND COALESCE(:number, number) = number
            """
        #expect(try await database.number(sql, values) == 1)
        #expect(try await database.number("SELECT COUNT(*) AS n FROM sample WHERE bytes IS NULL") == 2)
    }

    @Sendable private static func wrongColumns(_ database: any Database) async throws {
        let values: SQLArguments = ["n": .null(.text), "i": 1, "t": "1", "b": .blob([49])]
        let rows = try await database.read { try $0.query("SELECT :n AS n, :i AS i, :t AS t, :b AS b", values) }
        let row = try #require(rows.first)
        #expect(try row.integer("i") == 1 && row.text("t") == "1" && row.blob("b") == [49])
        for name in ["n", "t", "b", "nowhere"] {
            #expect(try await DatabaseError.kind { _ = try row.integer(name) } == .misuse, "\(name)")
        }
        for name in ["n", "i", "b", "nowhere"] {
            #expect(try await DatabaseError.kind { _ = try row.text(name) } == .misuse, "\(name)")
        }
        for name in ["n", "i", "t", "nowhere"] {
            #expect(try await DatabaseError.kind { _ = try row.blob(name) } == .misuse, "\(name)")
        }
        #expect(try await DatabaseError.kind { _ = try row.optionalInteger("t") } == .misuse)
        #expect(try await DatabaseError.kind { _ = try row.optionalText("nowhere") } == .misuse)
    }

    @Sendable private static func nulByte(_ database: any Database) async throws {
        let address = SQLValue.text("ann@x.example\0@evil.example")
        let read = try await DatabaseError.kind {
            _ = try await database.read { try $0.query("SELECT :t AS t", ["t": address]) }
        }
        #expect(read == .misuse)
        let write = try await DatabaseError.kind {
            _ = try await database.write {
                try $0.execute("INSERT INTO item (id, owner) VALUES (1, :owner)", ["owner": address])
            }
        }
        #expect(write == .misuse)
        #expect(try await database.items() == 0)
    }

    @Sendable private static func names(_ database: any Database) async throws {
        for values in [["a": 1], ["a": 1, "B": 2], [:]] as [SQLArguments] {
            let kind = try await DatabaseError.kind {
                _ = try await database.read { try $0.query("SELECT :a AS a, :b AS b", values) }
            }
            #expect(kind == .misuse, "\(values.pairs.map(\.0))")
        }
        let more: SQLArguments = [
            "id": 1, "owner": "ann", "other": .blob([1]), "ID": "wrong", "none": .null(.text),
        ]
        try await database.write { try $0.execute("INSERT INTO item (id, owner) VALUES (:id, :owner)", more) }
        #expect(try await database.number("SELECT id AS n FROM item WHERE owner = :owner", more) == 1)
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item", more) == 1)
    }

    @Sendable private static func repeatedName(_ database: any Database) async throws {
        let count = try await database.write { connection in
            try connection.execute(
                "INSERT INTO sample (id, number, words) VALUES (:id, :id, :words)", ["id": 7, "words": "a"])
            return try connection.execute(
                "UPDATE sample SET number = :id + :id WHERE id = :id AND words = :words AND (:words = 'a' OR :id = 0)",
                ["words": "a", "id": 7])
        }
        #expect(count == 1)
        #expect(try await database.number("SELECT number AS n FROM sample") == 14)
    }

    @Sendable private static func leftovers(_ database: any Database) async throws {
        let kind = try await DatabaseError.kind {
            _ = try await database.write { connection in
                _ = try connection.query("SELECT :a AS a", ["a": "secret"])
                return try connection.query("SELECT :a AS a", [:])
            }
        }
        #expect(kind == .misuse)
    }

    @Sendable private static func textOrder(_ database: any Database) async throws {
        let texts = ["a", "B", "é", "e\u{301}", "ä", "Z", "_", "aa", "a b", "a-c", "😀", "\u{FFFD}", ""]
        try await database.write { connection in
            for (id, text) in texts.enumerated() {
                try connection.execute(
                    "INSERT INTO item (id, owner) VALUES (:id, :owner)",
                    ["id": .integer(Int64(id)), "owner": .text(text)])
            }
        }
        let rows = try await database.read { try $0.query("SELECT owner FROM item ORDER BY owner") }
        let sorted = texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try rows.map { Array(try $0.text("owner").utf8) } == sorted)
        for (text, count) in [("é", 1), ("e\u{301}", 1), ("A", 0), ("b", 0), ("a ", 0)] as [(String, Int64)] {
            let sql = "SELECT COUNT(*) AS n FROM item WHERE owner = :owner"
            #expect(try await database.number(sql, ["owner": .text(text)]) == count, "\(text)")
        }
    }

    @Sendable private static func integers(_ database: any Database) async throws {
        let sql = """
            SELECT COUNT(*) AS n, COALESCE(SUM(CASE WHEN used_by > :least THEN 1 ELSE 0 END), 0) AS above,
                   MAX(used_by) AS latest, CASE WHEN EXISTS (SELECT 1 FROM item) THEN 1 ELSE 0 END AS is_there
              FROM item
            """
        func numbers() async throws -> [Int64?] {
            let row = try #require(try await database.read { try $0.query(sql, ["least": 1]) }.first)
            return try ["n", "above", "latest", "is_there"].map { try row.optionalInteger($0) }
        }
        #expect(try await numbers() == [0, 0, nil, 0])
        try await database.add(items: [1, 2, 3])
        try await database.write { try $0.execute("UPDATE item SET used_by = id") }
        #expect(try await numbers() == [3, 2, 3, 1])
    }
}
