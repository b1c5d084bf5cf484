import Storage
import Testing

@testable import TestKit

extension DatabaseClaim {
    /// The steps of the schema.
    static let openings = [
        DatabaseClaim("steps are applied once and in their order, and further ones later", opening: onceInOrder),
        DatabaseClaim(
            "of four that open it at the same moment each is ready, and each step runs once", opening: atSameMoment),
        DatabaseClaim("a step that fails applies nothing of the pending ones", opening: failingStep),
        DatabaseClaim(
            "an older version keeps working beside a newer one that has added a step, but does not start again",
            opening: olderVersion),
        DatabaseClaim("an older version is not ready beside a step that needs a later one", opening: neededStep),
        DatabaseClaim("a database with other steps is refused", opening: otherSteps),
        DatabaseClaim("each step keeps its version, and a refusal names the one to install", opening: stepVersions),
    ]

    private static func list(_ database: any Database) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT name FROM schema_migration ORDER BY position").map { try $0.text("name") }
        }
    }

    @Sendable private static func onceInOrder(_ open: @escaping Open) async throws {
        let all =
            steps + [
                Migration(name: "v002-row", sql: ["INSERT INTO item (id, owner) VALUES (1, 'a')"]),
                Migration(
                    name: "v003-column",
                    sql: [
                        "ALTER TABLE item ADD COLUMN label TEXT NOT NULL DEFAULT 'none'",
                        "INSERT INTO sample (id, words) SELECT id, label FROM item",
                    ]),
            ]
        for count in [1, 1, 2, 3, 3] {
            let database = try await open(Array(all.prefix(count)))
            try await database.checkReady()
            #expect(try await list(database) == all.prefix(count).map(\.name))
            #expect(try await database.items() == (count > 1 ? 1 : 0))
            let copies = try await database.number("SELECT COUNT(*) AS n FROM sample WHERE words = 'none'")
            #expect(copies == (count > 2 ? 1 : 0))
            await database.close()
        }
    }

    @Sendable private static func stepVersions(_ open: @escaping Open) async throws {
        let all =
            steps + [
                Migration(name: "v002-nothing", sql: []),
                Migration(name: "v003-row", sql: ["INSERT INTO item (id, owner) VALUES (1, 'a')"]),
            ]
        for count in 1...3 {
            await (try await open(all.prefix(count).map { $0.written(by: "0.\(count).0") })).close()
        }
        let database = try await open(all.map { $0.written(by: "0.4.0") })
        let versions = try await database.read { connection in
            try connection.query("SELECT version FROM schema_migration ORDER BY position").map {
                try $0.optionalText("version")
            }
        }
        #expect(versions == ["0.1.0", "0.2.0", "0.3.0"])
        await database.close()
        for older in [Array(all.prefix(2)), steps] {
            let error = await #expect(throws: DatabaseError.self) { _ = try await open(older) }
            let words = error.map { "\($0)" } ?? ""
            #expect(words.contains("newer version (step \(all[older.count].name))"), "\(words)")
            #expect(words.contains("Install version 0.3.0 or a later one."), "\(words)")
        }
    }

    @Sendable private static func atSameMoment(_ open: @escaping Open) async throws {
        let all = steps + [Migration(name: "v002-row", sql: ["INSERT INTO item (id, owner) VALUES (1, 'a')"])]
        let databases = try await atOnce(4) { _ in try await open(all) }
        for database in databases {
            try await database.checkReady()
            #expect(try await database.items() == 1)
            #expect(try await list(database) == all.map(\.name))
        }
        for database in databases { await database.close() }
    }

    @Sendable private static func failingStep(_ open: @escaping Open) async throws {
        let bad = [
            Migration(name: "v002-good", sql: ["INSERT INTO item (id, owner) VALUES (1, 'a')"]),
            Migration(name: "v003-bad", sql: ["CREATE TABLE other (id BIGINT NOT NULL)", "NONSENSE"]),
        ]
        // Of a database without tables, and of one with some.
        for _ in 1...2 {
            await #expect(throws: DatabaseError.self) { _ = try await open(steps + bad) }
            let database = try await open(steps)
            #expect(try await list(database) == steps.map(\.name))
            #expect(try await database.items() == 0)
            #expect(
                try await DatabaseError.kind { _ = try await database.number("SELECT COUNT(*) AS n FROM other") }
                    == .misuse)
            await database.close()
        }
    }

    @Sendable private static func olderVersion(_ open: @escaping Open) async throws {
        let old = try await open(steps)
        let new = try await open(steps + [Migration(name: "v002-new", sql: ["CREATE TABLE other (id BIGINT)"])])
        try await old.checkReady()
        try await old.add(items: [1])
        #expect(try await new.items() == 1)
        #expect(try await DatabaseError.kind { _ = try await open(steps) } == .refused)
        for database in [old, new] { await database.close() }
    }

    @Sendable private static func neededStep(_ open: @escaping Open) async throws {
        let old = try await open(steps)
        let needed = "v002-drop.needs-v002"
        let new = try await open(steps + [Migration(name: needed, sql: ["DROP TABLE part"])])
        try await new.checkReady()
        await #expect(throws: DatabaseError.schema(step: needed)) { try await old.checkReady() }
        for database in [old, new] { await database.close() }
    }

    @Sendable private static func otherSteps(_ open: @escaping Open) async throws {
        let database = try await open(steps)
        for other in [[Migration(name: "v001-other", sql: [])], []] {
            #expect(try await DatabaseError.kind { _ = try await open(other) } == .refused)
        }
        #expect(try await database.items() == 0)
        await database.close()
    }
}
