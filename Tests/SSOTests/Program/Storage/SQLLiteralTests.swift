import Testing

@testable import TestKit

@Suite("SQL literals of the sources", .program)
struct SQLLiteralTests {
    @Test(
        "a statement is found wherever it stands, with its interpolations left out",
        arguments: [
            (#"query("SELECT 1 AS n")"#, [["SELECT 1 AS n"]]),
            (#"query("SELECT \(Self.columns) FROM a WHERE \(f("x", (1)))")"#, [["SELECT", "FROM a WHERE", ""]]),
            (#"let a = "UPDATE a SET b = 1" // "DELETE FROM a""#, [["UPDATE a SET b = 1"]]),
            ("let a = #\"DELETE FROM a WHERE b = \"c\" AND \\(d)\"#", [["DELETE FROM a WHERE b = \"c\" AND \\(d)"]]),
            ("let a = #/[\"]/#; let b = \"DROP TABLE a\"", [["DROP TABLE a"]]),
            (#"let a = "WITH \"a\" AS (SELECT 1) SELECT 2""#, [["WITH \"a\" AS (SELECT 1) SELECT 2"]]),
            (#"let a = "\(b("DELETE FROM a"))", c = "DELETE""#, [["DELETE FROM a"]]),
            (#"let a = "", b = "INSERT INTO a (b) VALUES (:b)""#, [["INSERT INTO a (b) VALUES (:b)"]]),
            (
                "\"\"\"\n  CREATE TABLE a (\n    b TEXT, \\\n  c \"d\")\n  \"\"\"",
                [["CREATE TABLE a ( b TEXT, c \"d\")"]]
            ),
            (#"let a = "Select an account", b = "a SELECT 1""#, []),
        ] as [(String, [[String]])])
    func found(source: String, expected: [[String]]) {
        #expect(SQLLiteral.all(in: source, file: "a.swift").map(\.parts) == expected)
    }

    @Test("a literal is named by its file and line")
    func place() {
        let source = "// \"\n\nlet a = \"\"\"\n    SELECT 1\n    \"\"\"\nlet b = \"SELECT 2\""
        #expect(SQLLiteral.all(in: source, file: "a.swift").map(\.place) == ["a.swift:3", "a.swift:6"])
    }

    @Test(
        "a literal with interpolations makes the statements with its own parts in their order",
        arguments: [
            ("SELECT a FROM b WHERE c = 1 ORDER BY d", true), ("SELECT FROM b WHERE ORDER BY d", true),
            ("SELECT a FROM b WHERE c = 1", false), ("DELETE FROM b WHERE c = 1 ORDER BY d", false),
            ("SELECT a ORDER BY d", false), ("SELECT a WHERE c = 1 FROM b ORDER BY d", false),
        ])
    func makes(statement: String, expected: Bool) {
        let literal = SQLLiteral(place: "a.swift:1", parts: ["SELECT", "FROM b WHERE", "ORDER BY d"])
        #expect(literal.makes(statement) == expected)
        #expect(!SQLLiteral(place: "a.swift:1", parts: ["SELECT"]).makes(statement))
    }
}
