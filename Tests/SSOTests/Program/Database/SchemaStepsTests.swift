import Foundation
import SSOShared
import Testing

@testable import IdPSchema
@testable import RelyingParty
@testable import SQLiteStorage
@testable import SSOWeb
@testable import Storage
@testable import TestKit
@testable import WebTestKit

/// During an upgrade processes of the former release work on the schema of the new one (CONTRIBUTING.md, "Change the
/// schema").
@Suite("Steps of the schema", .program, .alsoOnPostgres)
struct SchemaStepsTests {
    private static let programs = ["idp": IdPMigrations.all, "relying-party": RelyingPartyMigrations.all]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shape(_ migrations: [Migration], _ name: String) async throws -> SchemaShape {
        let database = try await SQLiteDatabase(path: folder.path(of: name), migrations: migrations)
        let shape = try await database.read { try SchemaShape($0) }
        await database.close()
        return shape
    }

    @Test(
        "statements of the former release work after each step, or the step says which step a process must know",
        arguments: programs.keys.sorted())
    func onlyAdds(program: String) async throws {
        let all = try #require(Self.programs[program])
        var before = try await shape(Array(all.prefix(1)), program)
        for count in all.indices.dropFirst().map({ $0 + 1 }) {
            let (step, after) = (all[count - 1].name, try await shape(Array(all.prefix(count)), program))
            let breaks = before.breaks(in: after)
            if Migration.neededStep(of: step) == nil {
                #expect(breaks == [], "\(step): expand first, and contract in a later release (CONTRIBUTING.md)")
            }
            before = after
        }
    }

    @Test(
        "every kind of step that breaks statements of the former release is found, and additions are not",
        arguments: [
            ("ALTER TABLE token RENAME TO grant_", "table token is missing"),
            ("ALTER TABLE token RENAME COLUMN owner TO holder", "column token.owner is missing"),
            ("ALTER TABLE note DROP COLUMN body", "column note.body is missing"),
            ("DROP TABLE note", "table note is missing"),
            ("CREATE UNIQUE INDEX one ON token (used_by)", "unique index of token on [\"used_by\"] is new"),
            (
                "CREATE UNIQUE INDEX one ON token (used_by) WHERE used_by > 0",
                "unique index of token on [\"used_by\"] is new"
            ),
            ("CREATE TRIGGER t AFTER INSERT ON token BEGIN SELECT 1; END", "trigger t is new"),
            (
                "ALTER TABLE note ADD COLUMN kind INTEGER CHECK (kind > 0)",
                "table note has a new rule for its rows"
            ),
            (
                """
                DROP TABLE note;
                CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, body BLOB, kind TEXT NOT NULL)
                """, "column note.kind is required and has no default"
            ),
            (
                "DROP TABLE note; CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, body BLOB NOT NULL)",
                "column note.body is changed"
            ),
            (
                """
                DROP TABLE token; CREATE TABLE token (id INTEGER NOT NULL PRIMARY KEY, owner TEXT NOT NULL, used_by INTEGER)
                """, "unique index of token on [\"owner\"] is missing"
            ),
            ("CREATE TABLE other (id INTEGER NOT NULL, name TEXT UNIQUE)", nil),
            ("ALTER TABLE note ADD COLUMN kind TEXT NOT NULL DEFAULT 'a'", nil),
            ("ALTER TABLE note ADD COLUMN digest BLOB; CREATE UNIQUE INDEX d ON note (digest)", nil),
            ("CREATE INDEX plain ON token (used_by)", nil),
        ] as [(String, String?)])
    func kinds(sql: String, words: String?) async throws {
        let statements = sql.contains("TRIGGER") ? [sql] : sql.split(separator: ";").map(String.init)
        let before = try await shape(StorageFixture.migrations, "a")
        let later = StorageFixture.migrations + [Migration(name: "v002-step", sql: statements)]
        let breaks = before.breaks(in: try await shape(later, "b"))
        if let words { #expect(breaks.contains(words), "\(breaks)") } else { #expect(breaks == []) }
    }

    @Test("the steps are numbered on from the baseline, which has the number of the last step that it has replaced")
    func numbers() throws {
        for (program, all) in Self.programs {
            let first = try #require(all.first)
            #expect(first.replaced.count == (program == "idp" ? 32 : 8))
            for (index, name) in (first.replaced.dropLast() + all.map(\.name)).enumerated() {
                #expect(name.hasPrefix(String(format: "v%03d-", index + 1)), "\(name)")
            }
        }
    }

    @Test("a step that was released never changes: Tests/Vectors/schema/released-steps.txt has its digest")
    func released() throws {
        let file = TestVectors.folder.appending(path: "schema/released-steps.txt")
        let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        var counts: [String: Int] = [:]
        for line in expected.map(String.init) {
            let program = String(line.prefix { $0 != " " })
            let all = try #require(Self.programs[program], "\(line)")
            let index = counts[program, default: 0]
            counts[program] = index + 1
            #expect(index < all.count && line == Self.line(program, all[min(index, all.count - 1)]), "\(line)")
        }
        for (program, all) in Self.programs {
            #expect(counts[program, default: 0] > 0)
            // What a release appends to the file.
            for step in all.dropFirst(counts[program, default: 0]) {
                print("not released yet:", Self.line(program, step))
            }
        }
    }

    private static func line(_ program: String, _ step: Migration) -> String {
        let text = step.sql.map(SchemaCheck.normalised).joined(separator: "\n")
        return "\(program) \(step.name) \(Hex.encode(SHA256.hash(Array(text.utf8)).prefix(8)))"
    }
}
