import Storage
import Testing

@testable import IdPSchema
@testable import SQLiteStorage
@testable import TestKit

@Suite("What a new row asks of SQLite", .program)
struct NewRowTests {
    @Test("a new row of no table makes a temporary table for the condition of an index")
    func noTemporaryTable() throws {
        #expect(try Self.tablesWithTemporaries(IdPMigrations.all) == [])
        let listed = [
            "CREATE TABLE a (b TEXT NOT NULL)", "CREATE INDEX c ON a (b) WHERE b NOT IN ('d', 'e', 'f')",
        ]
        #expect(try Self.tablesWithTemporaries([Migration(name: "v001-a", sql: listed)]) == ["a"])
    }

    /// The tables that the steps make, whose new row makes a temporary table.
    private static func tablesWithTemporaries(_ steps: [Migration]) throws -> [String] {
        let connection = SQLiteConnection(try SQLiteHandle(path: ":memory:", .readWrite))
        try Migrator(migrations: steps).apply(from: 0, on: .sqlite, connection)
        let tables = try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        return try tables.map { try $0.text("name") }.filter { table in
            let columns = try connection.query("SELECT name FROM pragma_table_info(:table)", ["table": .text(table)])
                .map { try $0.text("name") }
            let values = columns.map { ":\($0)" }.joined(separator: ", ")
            let steps = try connection.query(
                "EXPLAIN INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values))",
                SQLArguments(columns.map { ($0, .null(.text)) }))
            return try steps.contains { try $0.text("opcode") == "OpenEphemeral" }
        }
    }
}
