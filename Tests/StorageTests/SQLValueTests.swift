import Storage
import Testing

@testable import WebTestKit

@Suite("Values and rows")
struct SQLValueTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    private func open() async throws -> any Database { try await fixture.open() }

    private let sql = "SELECT :n AS n, :i AS i, :t AS t, :b AS b"
    private let values: [String: SQLValue] = [
        "n": .null(.text), "i": .integer(.min), "t": "naïve ✓", "b": .blob([0, 255, 0]),
    ]

    @Test("every kind of value is read as it was written")
    func roundTrip() async throws {
        let database = try await open()
        let (sql, values) = (sql, values)
        let row = try #require(try await database.read { try $0.query(sql, values) }.first)
        #expect(try row.optionalText("n") == nil)
        #expect(try row.integer("i") == .min)
        #expect(try row.text("t") == "naïve ✓")
        #expect(try row.blob("b") == [0, 255, 0])
    }

    @Test("a wrong type, a NULL and a missing column are errors, not traps", arguments: ["n", "t", "nowhere"])
    func wrongColumn(name: String) async throws {
        let database = try await open()
        let (sql, values) = (sql, values)
        let row = try #require(try await database.read { try $0.query(sql, values) }.first)
        #expect(throws: DatabaseError.self) { try row.integer(name) }
    }

    @Test("a text with a NUL byte is refused: SQLite would cut it there")
    func nul() async throws {
        let database = try await open()
        await #expect(throws: DatabaseError.misuse("a text value holds a NUL byte")) {
            try await database.read { try $0.query("SELECT :t AS t", ["t": "ann@x.example\0@evil.example"]) }
        }
    }

    @Test(
        "a statement with a missing value is a misuse",
        arguments: [["a": SQLValue.integer(1)], ["a": 1, "B": 2], [:]])
    func names(values: [String: SQLValue]) async throws {
        let database = try await open()
        do {
            _ = try await database.read { try $0.query("SELECT :a AS a, :b AS b", values) }
            Issue.record("it was accepted")
        } catch DatabaseError.misuse {
        }
    }

    @Test("an unknown table and a syntax error are misuses that the next statement survives")
    func badSQL() async throws {
        let database = try await open()
        for sql in ["SELECT * FROM nowhere", "SELEC 1", ""] {
            do {
                _ = try await database.write { try $0.query(sql) }
                Issue.record("it was accepted: \(sql)")
            } catch DatabaseError.misuse {
            }
        }
        try await database.insertToken(1)
    }

    @Test("values of one run do not reach the next one of the same statement")
    func noLeftovers() async throws {
        let database = try await open()
        await #expect(throws: DatabaseError.self) {
            try await database.write { connection in
                _ = try connection.query("SELECT :a AS a", ["a": .text("secret")])
                return try connection.query("SELECT :a AS a", [:])
            }
        }
    }

    @Test("empty texts and blobs are not NULL, and long ones are returned complete")
    func sizes() async throws {
        let database = try await open()
        let (text, bytes) = (String(repeating: "é", count: 100_000), [UInt8](repeating: 0, count: 100_000))
        let rows = try await database.read { connection in
            try connection.query(
                "SELECT :t AS t, :b AS b UNION ALL SELECT '', x'' UNION ALL SELECT :e, :z",
                ["t": .text(text), "b": .blob(bytes), "e": .text(""), "z": .blob([])])
        }
        #expect(try rows.map { try $0.text("t") } == [text, "", ""])
        #expect(try rows.map { try $0.blob("b") } == [bytes, [], []])
    }

    @Test("a value prints only its kind")
    func printing() {
        let values: [SQLValue] = [.text("secret"), .blob([1]), .integer(7), .null(.blob)]
        #expect("\(values)" == "[<text>, <blob>, <integer>, NULL]")
    }

    @Test("an optional value without content is NULL of its type")
    func optionals() {
        #expect(SQLValue.optional(String?.none) == .null(.text))
        #expect(SQLValue.optional(Int64?.none) == .null(.integer))
        #expect(SQLValue.optional([UInt8]?.none) == .null(.blob))
        #expect(SQLValue.optional("text") == .text("text"))
    }

    @Test("execute counts the rows it changed")
    func changes() async throws {
        let database = try await open()
        for id in Int64(1)...3 { try await database.insertToken(id) }
        let counts = try await database.write { connection in
            [
                try connection.execute("UPDATE token SET used_by = 1 WHERE id > :id", ["id": 1]),
                try connection.execute("UPDATE token SET used_by = 1 WHERE id > :id", ["id": 9]),
                try connection.execute("DELETE FROM token"),
            ]
        }
        #expect(counts == [2, 0, 3])
    }
}
