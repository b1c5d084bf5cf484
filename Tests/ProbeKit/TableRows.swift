import Foundation
import Storage

/// A table of the programs. The types say whose rows a probe has.
package protocol StoredTable: Sendable {
    static var name: String { get }
}

/// Rows of one table: all, or those that its conditions leave. A condition is one more name: `stored.grants.unused.voided`.
package struct TableRows<Table: StoredTable>: Sendable {
    let database: any Database
    private var conditions: [String] = []
    private var values: SQLArguments = [:]

    init(database: any Database) { self.database = database }

    /// How many there are.
    package func count() async throws -> Int { try await number("COUNT(*)") ?? 0 }

    /// Deletes them.
    package func delete() async throws { try await execute("DELETE FROM \(Table.name)\(scope)") }

    // MARK: - What the probes of this target are made of

    /// Those of them that fulfil this condition, too.
    func with(_ condition: String, _ values: SQLArguments = [:]) -> Self {
        var narrowed = self
        narrowed.conditions.append("(\(condition))")
        narrowed.values.append(values)
        return narrowed
    }

    private var scope: String { conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ") }

    /// A number of them; nil for the sum of no rows.
    func number(_ expression: String) async throws -> Int? {
        // The same type for both engines: PostgreSQL's sum of large numbers has another one.
        let sql = "SELECT CAST((SELECT \(expression) FROM \(Table.name)\(scope)) AS BIGINT) AS n"
        return try await database.read { [values] in
            try $0.query(sql, values)[0].optionalInteger("n").map { Int($0) }
        }
    }

    /// A text of each, in order.
    func texts(_ expression: String, by order: String? = nil) async throws -> [String] {
        let sql = "SELECT \(expression) AS text FROM \(Table.name)\(scope) ORDER BY \(order ?? "1")"
        return try await database.read { [values] in try $0.query(sql, values).map { try $0.text("text") } }
    }

    func rows(_ columns: String) async throws -> [SQLRow] {
        let sql = "SELECT \(columns) FROM \(Table.name)\(scope)"
        return try await database.read { [values] in try $0.query(sql, values) }
    }

    func set(_ assignments: String, _ further: SQLArguments = [:]) async throws {
        try await execute("UPDATE \(Table.name) SET \(assignments)\(scope)", further)
    }

    /// Adds rows in one transaction, each with values by column.
    func insert(_ rows: [SQLArguments]) async throws {
        try await database.write { connection in
            for row in rows {
                let names = row.pairs.map(\.0)
                try connection.execute(
                    """
                    INSERT INTO \(Table.name) (\(names.joined(separator: ", ")))
                    VALUES (\(names.map { ":\($0)" }.joined(separator: ", ")))
                    """, row)
            }
        }
    }

    private func execute(_ sql: String, _ further: SQLArguments = [:]) async throws {
        let values = values.merging(further)
        try await database.write { connection in
            try connection.execute(sql, values)
            return
        }
    }
}

/// A text as SQL writes it.
func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

/// The condition that a column has this text in it.
func contains(_ column: String, _ text: String) -> String {
    let pattern = text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    return "\(column) LIKE \(quoted("%\(pattern)%")) ESCAPE '\\'"
}

/// Which engine the deployments of this run have.
package enum TestedEngine {
    package static let isPostgres = ProcessInfo.processInfo.environment["SSO_TEST_DATABASE"] == "postgres"

    /// How to sort the rows of a table with `created_at`, the newest first, also where the clock stood still.
    static var newestFirst: String { isPostgres ? "created_at DESC, ctid DESC" : "rowid DESC" }
}
