import Testing

@testable import PostgresStorage
@testable import TestKit

@Suite("Statements of the stores for PostgreSQL", .deployment)
struct PostgresStatementTests {
    @Test(
        "a name becomes a number, the same one everywhere, and nothing else changes",
        arguments: [
            ("SELECT 1", "SELECT 1", []),
            ("SELECT :a, :b, :a", "SELECT $1, $2, $1", ["a", "b"]),
            ("UPDATE t SET a = :a_1 WHERE b=:b", "UPDATE t SET a = $1 WHERE b=$2", ["a_1", "b"]),
            ("SELECT ':a', 'it''s :b', \":c\", :d", "SELECT ':a', 'it''s :b', \":c\", $1", ["d"]),
            ("SELECT a::text, :b::bigint", "SELECT a::text, $1::bigint", ["b"]),
            ("SELECT 1 -- :a\n, :b", "SELECT 1 -- :a\n, $1", ["b"]), ("SELECT 1 -- :a", "SELECT 1 -- :a", []),
            ("SELECT 'é', :a", "SELECT 'é', $1", ["a"]), ("SELECT 'open :a", "SELECT 'open :a", []),
            (":a", "$1", ["a"]), (":", ":", []), ("a[1:2]", "a[1$1]", ["2"]),
        ] as [(String, String, [String])])
    func translated(sql: String, text: String, names: [String]) {
        let statement = PostgresStatement(sql)
        #expect(statement.text == text)
        #expect(statement.names == names)
    }
}
