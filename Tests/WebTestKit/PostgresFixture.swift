import Foundation
import Logging
import Storage
import Synchronization

@testable import PostgresStorage
@testable import TestKit

/// A schema of its own on the PostgreSQL of this run, for one test.
struct PostgresFixture: Sendable {
    private static let count = Mutex(0)

    let server: PostgreSQLServer
    let schema: String

    /// Makes an empty schema.
    static func make() async throws -> PostgresFixture {
        let server = try await PostgreSQLServer.shared()
        let number = count.withLock { count in
            count += 1
            return count
        }
        let fixture = PostgresFixture(server: server, schema: "test_\(number)")
        try await fixture.run("CREATE SCHEMA \(fixture.schema)")
        return fixture
    }

    /// Makes the functions of SQLite by which tests look at rows and change them.
    func addFunctionsOfSQLite() async throws {
        let path = "string_to_array(substr($2, 3), '.')"
        let functions = [
            ("hex(bytea) RETURNS text", "SELECT upper(encode($1, 'hex'))"),
            ("instr(text, text) RETURNS bigint", "SELECT strpos($1, $2)::bigint"),
            ("json_extract(text, text) RETURNS text", "SELECT $1::jsonb #>> \(path)"),
            ("json_remove(text, text) RETURNS text", "SELECT ($1::jsonb #- \(path))::text"),
            ("json_set(text, text, json) RETURNS text", "SELECT jsonb_set($1::jsonb, \(path), $3::jsonb)::text"),
            ("json_set(text, text, bigint) RETURNS text", "SELECT jsonb_set($1::jsonb, \(path), to_jsonb($3))::text"),
        ]
        let statements = functions.map { "CREATE FUNCTION \($0) LANGUAGE sql AS $body$\($1)$body$;" }
        try await run("DO $all$ BEGIN \(statements.joined(separator: " ")) END $all$")
    }

    /// Deletes all rows, if the schema is as so many steps make it.
    ///
    /// - Returns: false when a test has changed the schema, or a connection of before is still in a transaction.
    func empty(steps: Int) async throws -> Bool {
        let schemaOfTables = "'\(schema)'::regnamespace"
        let foreign = try await run(
            """
            SELECT (SELECT COUNT(*) FROM \(schema).schema_migration) = \(steps)
               AND NOT EXISTS (SELECT 1 FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
                                WHERE NOT tgisinternal AND relnamespace = \(schemaOfTables))
               AND NOT EXISTS (SELECT 1 FROM pg_locks JOIN pg_class c ON c.oid = relation
                                WHERE relnamespace = \(schemaOfTables))
            """)
        guard foreign == ["t"] else { return false }
        try await run(
            """
            DO $all$ DECLARE name text; BEGIN
                FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)' AND tablename <> 'schema_migration'
                LOOP EXECUTE format('DELETE FROM \(schema).%I', name); END LOOP;
            END $all$
            """)
        return true
    }

    /// What a setting names it by.
    var url: String {
        let socket = server.socket.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgres://postgres@\(socket)/postgres?options=-csearch_path%3D\(schema)"
    }

    func address(readers: Int = 2) throws -> PostgresAddress {
        try PostgresAddress(url, allowsPlaintext: false, readers: readers, program: "test")
    }

    func open(
        _ migrations: [Migration], readers: Int = 2, timing: PostgresTiming = .patient,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        voidGrants: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws -> PostgresDatabase {
        try await PostgresDatabase(
            try address(readers: readers), migrations: migrations, logger: logger, timing: timing,
            voidGrants: voidGrants)
    }

    /// Runs one statement in a session of its own, and returns the texts of its first row.
    @discardableResult
    func run(_ sql: String) async throws -> [String?] {
        let parameters = try address().parameters
        return try await onOwnThread {
            let session = try PostgresSession.open(parameters, answeringWithin: TestTimeout.limit)
            session.deadline = .now + TestTimeout.limit
            // A new database takes seconds on a busy machine, and the product's limit is two.
            _ = try session.texts(
                "SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)")
            return try session.texts(sql)
        }
    }
}

extension PostgresFixture {
    /// Makes an empty database with a role of its own, for tests in which no other connection of the role may exist.
    ///
    /// - Returns: what a setting names it by.
    static func makeDatabase() async throws -> String {
        let fixture = try await make()
        let name = "own_\(fixture.schema)"
        try await fixture.run("CREATE ROLE \(name) LOGIN")
        try await fixture.run(
            "CREATE DATABASE \(name) OWNER \(name) TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8'"
        )
        let socket = fixture.server.socket.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgres://\(name)@\(socket)/\(name)"
    }
}

extension PostgresTiming {
    /// For whole programs on such a machine, whose clients wait longer than those of production.
    static let busy: PostgresTiming = {
        var timing = PostgresTiming()
        (timing.patience, timing.limit) = (.seconds(5), .seconds(10))
        return timing
    }()

    /// For tests whose subject is not time, on a machine that does other things.
    static let patient: PostgresTiming = {
        var timing = PostgresTiming()
        (timing.patience, timing.limit, timing.runs) = (.seconds(30), .seconds(60), 100)
        return timing
    }()
}
