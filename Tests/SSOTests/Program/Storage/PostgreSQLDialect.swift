import Storage

@testable import TestKit
@testable import WebTestKit

/// The stores' SQL as PostgreSQL takes it. It may differ in two things alone: a value is `$1` in place of `:name`, and in the
/// schema `BYTEA` stands for `BLOB`.
enum PostgreSQLDialect {
    /// A statement that was refused.
    struct Failure: Sendable, CustomStringConvertible {
        let sql: String
        let words: String
        var description: String { "\(words)\n    \(sql)" }
    }

    /// `PREPARE name (types) AS …`. Without types PostgreSQL finds those of the values itself.
    static func preparation(of statement: RecordingDatabase.Statement, named name: String) -> String {
        var names: [String] = []
        let sql = statement.sql.replacing(#/'[^']*'|:([A-Za-z_][A-Za-z0-9_]*)/#) { match -> String in
            guard let value = match.1.map(String.init) else { return String(match.0) }
            let number = names.firstIndex(of: value) ?? names.count
            if number == names.count { names.append(value) }
            return "$\(number + 1)"
        }
        let types = names.compactMap { statement.types[$0] }.map(Self.name)
        let list = types.isEmpty ? "" : " (\(types.joined(separator: ", ")))"
        return "PREPARE \(name)\(list) AS \(sql)"
    }

    /// The types that a client of PostgreSQL binds values with.
    private static func name(_ type: SQLType) -> String {
        switch type {
        case .integer: "BIGINT"
        case .text: "TEXT"
        case .blob: "BYTEA"
        }
    }

    /// A step of the schema.
    static func schema(_ sql: String) -> String { sql.replacing(#/\bBLOB\b/#, with: "BYTEA") }
}

extension PostgreSQLServer {
    /// Makes a database with all steps of the schema, and returns those that PostgreSQL refuses.
    ///
    /// The statements come from ``Migrator``, which runs them on a connection that only writes them down.
    func create(_ database: String, _ migrations: [Migration]) async throws -> [PostgreSQLDialect.Failure] {
        let made = try await run(["CREATE DATABASE \"\(database)\""])
        if let words = made.errors[0] { throw ProbeFailure(words) }
        let notes = NotedStatements()
        try Migrator(migrations: migrations).apply(from: 0, on: .postgres, notes)
        // What has values is a statement of the migrator, prepared with all others.
        let steps = notes.statements.filter { $0.types.isEmpty }.map(\.sql)
        let outcome = try await run(steps.map(PostgreSQLDialect.schema), in: database)
        return outcome.errors.sorted { $0.key < $1.key }.map { .init(sql: steps[$0.key], words: $0.value) }
    }

    /// Prepares statements, and returns those that PostgreSQL refuses.
    func prepare(
        _ statements: [RecordingDatabase.Statement], in database: String
    ) async throws -> [PostgreSQLDialect.Failure] {
        let lines = statements.enumerated().map { PostgreSQLDialect.preparation(of: $1, named: "s\($0)") }
        let outcome = try await run(lines + ["SELECT count(*) FROM pg_prepared_statements"], in: database)
        // A quotation mark that does not end would hide the statements after it.
        guard outcome.rows == ["\(statements.count - outcome.errors.count)"] else {
            throw ProbeFailure("of \(statements.count) statements PostgreSQL has prepared \(outcome)")
        }
        return outcome.errors.sorted { $0.key < $1.key }.map { .init(sql: lines[$0.key], words: $0.value) }
    }
}

/// A connection that writes down what it is to run.
private final class NotedStatements: SQLConnection {
    private(set) var statements: [RecordingDatabase.Statement] = []

    func afterCommit(_ action: @escaping CommitAction) {}

    func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
        statements.append(.init(sql, values))
        return []
    }

    func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
        _ = try query(sql, values)
    }

    func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
        statements.append(.init(sql, values))
        return 0
    }
}
