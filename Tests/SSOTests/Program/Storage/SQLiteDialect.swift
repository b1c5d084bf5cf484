import Storage

@testable import SQLiteStorage

/// The stores' SQL as SQLite takes it.
enum SQLiteDialect {
    /// Prepares statements on the tables that the steps make, and returns those that SQLite refuses.
    static func refused(_ statements: [String], by steps: [Migration]) throws -> [PostgreSQLDialect.Failure] {
        let handle = try SQLiteHandle(path: ":memory:", .readWrite)
        try Migrator(migrations: steps).apply(from: 0, on: .sqlite, SQLiteConnection(handle))
        return statements.compactMap { sql in
            do {
                let hasNames = try handle.statement(sql).hasNameless == false
                return hasNames ? nil : .init(sql: sql, words: "a value has no name")
            } catch {
                return .init(sql: sql, words: "\(error)")
            }
        }
    }
}
