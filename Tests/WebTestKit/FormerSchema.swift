import Foundation
import Storage

@testable import TestKit

/// The schema as the last build before 0.1.0 made it: the statements of its steps, in Tests/Vectors/schema.
struct FormerSchema: Sendable {
    private let statements: [String]

    /// - Parameters:
    ///   - program: `idp` or `relying-party`.
    ///   - missing: how many of the last steps were not applied yet.
    init(_ program: String, without missing: Int = 0) throws {
        let file = TestVectors.folder.appending(path: "schema/\(program)-before-0.1.0.sql")
        let steps = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n-- v")
        statements = steps.dropLast(missing).joined(separator: "\n-- v").components(separatedBy: ";\n")
            .map { statement in
                statement.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
            }
            .filter { !$0.isEmpty }
    }

    /// Makes the tables in an empty database, and closes it.
    ///
    /// - Parameter open: opens the database with these steps.
    func make(_ open: ([Migration]) async throws -> any Database) async throws {
        // PostgreSQL gets the tables of its engine with the first step.
        let database = try await open([Migration(name: "v001-nothing", sql: [])])
        try await database.write { [statements] connection in
            try connection.execute("DROP TABLE schema_migration")
            for statement in statements { try connection.execute(statement) }
        }
        await database.close()
    }
}
