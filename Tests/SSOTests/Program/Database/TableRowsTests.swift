import Foundation
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import RelyingParty
@testable import SQLiteStorage
@testable import TestKit

/// Threat 304.
@Suite("The rows of each table", .program, .alsoOnPostgres)
struct TableRowsTests {
    /// A line of the table in docs/operations.md, without the name of the table.
    private static func lines() throws -> [String: [String]] {
        let text = try String(
            contentsOf: TestVectors.repository.appending(path: "docs/operations.md"), encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## Rows of each table\n").last?.components(separatedBy: "\n## ").first)
        var lines: [String: [String]] = [:]
        for line in section.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let name = try #require(cells[0].split(separator: "`").first.map(String.init))
            #expect(lines.updateValue(Array(cells.dropFirst()), forKey: name) == nil, "\(name) is there twice")
        }
        return lines
    }

    private static func tables(_ migrations: [Migration]) async throws -> Set<String> {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase(path: folder.path(of: "a.sqlite"), migrations: migrations)
        let names = try await database.read { connection in
            try connection.query("SELECT name FROM sqlite_master WHERE type = 'table'").map { try $0.text("name") }
        }
        await database.close()
        return Set(names.filter { !$0.hasPrefix("sqlite_") && !$0.contains("migration") })
    }

    @Test("the documents say of each table who makes rows, how many, of what size, and what removes them")
    func documented() async throws {
        let tables = try await Self.tables(IdPMigrations.all).union(Self.tables(RelyingPartyMigrations.all))
        let lines = try Self.lines()
        #expect(tables.subtracting(lines.keys).isEmpty, "tables without a line")
        #expect(Set(lines.keys).subtracting(tables).isEmpty, "lines without a table")
        #expect(tables.count >= 30)
        for (table, cells) in lines {
            #expect(cells.count == 4 && cells.allSatisfy { !$0.isEmpty }, "\(table)")
            #expect(Int(cells[2].replacing(",", with: "")) ?? 0 > 0, "\(table): bytes of a row")
        }
    }
}
