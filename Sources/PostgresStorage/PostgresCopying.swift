import Foundation
package import Storage

/// PostgreSQL as one end of a copy between databases (`idp database copy`).
extension PostgresDatabase {
    /// Lets `body` read the database in one snapshot. Nobody else uses it, and the writers' lock keeps others from it meanwhile. Then
    /// marks it as moved.
    ///
    /// - Parameter target: where it moves to; nil for a source that goes on.
    /// - Throws: ``DatabaseError/refused(_:)`` for a database that is in use, empty, not ours, or of another step of the schema.
    package static func copySource(
        _ address: PostgresAddress, migrations: [Migration], movingTo target: String?, _ body: CopyBody
    ) throws(DatabaseError) -> ([CopiedTable], CopiedSource) {
        let opening = PostgresOpening(address: address, migrator: Migrator(migrations: migrations))
        return try opening.copySource(movingTo: target, body)
    }

    /// Takes the mark of a copy from the database.
    ///
    /// - Returns: whether there was one.
    package static func unmark(_ address: PostgresAddress) throws(DatabaseError) -> Bool {
        try PostgresOpening(address: address, migrator: Migrator(migrations: [])).unmark()
    }

    /// Lets `body` fill the database in one transaction, which makes the schema if it is missing.
    ///
    /// - Throws: what `body` throws, and as ``copySource(_:migrations:_:)``. Then the database is as it was.
    package static func copyTarget(
        _ address: PostgresAddress, migrations: [Migration], _ body: CopyBody
    ) throws(DatabaseError) -> [CopiedTable] {
        try PostgresOpening(address: address, migrator: Migrator(migrations: migrations)).copyTarget(body)
    }
}

extension PostgresOpening {
    fileprivate func copySource(
        movingTo target: String?, _ body: CopyBody
    ) throws(DatabaseError) -> ([CopiedTable], CopiedSource) {
        let connection = try connect()
        guard let first = try missingSteps(connection) else {
            try checkUnused(connection)
            // Before the snapshot, which the first statement takes, also one that waits for the lock: then the snapshot has what the
            // last owner of the lock has committed.
            _ = try connection.query(Self.sessionLock("pg_advisory_lock"))
            defer {
                try? connection.rollBack()
                _ = try? connection.query(Self.sessionLock("pg_advisory_unlock"))
            }
            connection.queue(.beginRead)
            let copy = PostgresCopyConnection(connection)
            try copy.liftLimits()
            let tables = try body(copy)
            guard let target else { return (tables, .kept) }
            do throws(DatabaseError) {
                try? connection.rollBack()
                try change(connection) { connection throws(DatabaseError) in try MovedDatabase.mark(target, connection)
                }
            } catch {
                return (tables, .unmarked("\(error)"))
            }
            return (tables, .marked)
        }
        throw first == 0 ? refusal("it has no tables", "Name the database to copy") : olderSchema
    }

    /// The lock of ``PostgresControl/lock``, which the session keeps beyond its transactions.
    private static func sessionLock(_ function: String) -> String {
        "SELECT \(function)((5460815::bigint << 32) | current_schema()::text::regnamespace::oid::bigint)::text AS done"
    }

    fileprivate func unmark() throws(DatabaseError) -> Bool {
        let connection = try connect()
        guard
            try !connection.query(
                "SELECT to_regclass('schema_migration')::text AS name WHERE to_regclass('schema_migration') IS NOT NULL"
            ).isEmpty
        else { throw refusal("it has no tables", "Name the database that was copied") }
        var wasMarked = false
        try change(connection) { connection throws(DatabaseError) in wasMarked = try MovedDatabase.unmark(connection) }
        return wasMarked
    }

    /// Runs one durable change.
    private func change(
        _ connection: PostgresConnection, _ body: (PostgresConnection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        connection.session.deadline = .now + .seconds(10)
        connection.queue(.beginWrite)
        connection.queue(.lock)
        try body(connection)
        do throws(PostgresError) {
            guard case .kept = try connection.commit() else { throw PostgresError.lost("not kept") }
        } catch {
            throw refusal("the mark was not committed: \(error)", "Look at the server's log")
        }
    }

    fileprivate func copyTarget(_ body: CopyBody) throws(DatabaseError) -> [CopiedTable] {
        let connection = try connect()
        if try missingSteps(connection) != 0 { try checkUnused(connection) }
        let tables = try fill(connection, body)
        let unknown = refusal(
            "whether the copy is kept is unknown", "Look with idp database status, or empty it and copy again")
        do throws(PostgresError) {
            guard case .kept = try connection.commit() else { throw PostgresError.lost("not kept") }
        } catch {
            throw error.cause == .lost ? unknown : refusal("the copy was not committed: \(error)", "Copy again")
        }
        return tables
    }

    /// Everything before the commit. PostgreSQL rolls back when the connection closes.
    private func fill(_ connection: PostgresConnection, _ body: CopyBody) throws(DatabaseError) -> [CopiedTable] {
        connection.queue(.beginWrite)
        let copy = PostgresCopyConnection(connection)
        try copy.liftLimits()
        _ = try copy.query(Self.migrationLock)
        connection.queue(.lock)
        if let first = try missingSteps(connection) {
            guard first == 0 else { throw olderSchema }
            connection.session.deadline = .now + PostgresCopyConnection.limit
            try makeDomain(connection)
            try migrator.apply(from: 0, on: .postgres, copy)
            for table in [TimelineTable.schema, NodeTable.schema] { try copy.execute(table) }
        }
        return try body(copy)
    }

    private var olderSchema: DatabaseError {
        refusal("it lacks steps of the schema that this version has", "Start this version on it once, and stop it")
    }

    /// Refuses a database that others use: a live node, or another connection of the role. The tables must be there.
    ///
    /// A connection that was closed a moment ago may still be listed, also one of this start.
    private func checkUnused(_ connection: PostgresConnection) throws(DatabaseError) {
        connection.session.deadline = .now + .seconds(10)
        let nodes = try NodeTable.all(connection).count { $0.silence <= NodeTable.lifetimeMilliseconds }
        guard nodes == 0 else {
            throw refusal("\(nodes) nodes use it", "Stop them, and wait ten seconds")
        }
        let end = ContinuousClock.now + .seconds(2)
        while true {
            let rows = try connection.query(
                """
                SELECT DISTINCT COALESCE(application_name, '') AS name FROM pg_stat_activity
                 WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
                   AND backend_type = 'client backend' ORDER BY name
                """)
            var names: [String] = []
            for row in rows { names.append(try row.text("name")) }
            guard !names.isEmpty else { return }
            guard end > .now else {
                throw refusal(
                    "other connections of the role use it (\(names.joined(separator: ", ")))",
                    "Stop the programs, and close psql and poolers")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}

private struct PostgresCopyConnection: CopyConnection {
    /// For one statement: a table of many rows is read and written in slices.
    static let limit = Duration.seconds(600)

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func afterCommit(_ action: @escaping CommitAction) { connection.afterCommit(action) }

    /// Takes back, for this transaction, what bounds the statements of a program that serves.
    func liftLimits() throws(DatabaseError) {
        _ = try query(
            """
            SELECT set_config('statement_timeout', '0', true) AS statement,
                   set_config('idle_in_transaction_session_timeout', '0', true) AS idle
            """)
    }

    func query(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> [SQLRow] {
        connection.session.deadline = .now + Self.limit
        return try connection.query(sql, values)
    }

    func forEachRow(_ sql: String, _ values: SQLArguments, _ body: (any SQLColumns) throws -> Void) throws {
        connection.session.deadline = .now + Self.limit
        try connection.forEachRow(sql, values, body)
    }

    func execute(_ sql: String, _ values: SQLArguments) throws(DatabaseError) -> Int {
        connection.session.deadline = .now + Self.limit
        return try connection.execute(sql, values)
    }

    func tables() throws(DatabaseError) -> Set<String> {
        try names(
            """
            SELECT relname AS name FROM pg_class
             WHERE relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'p')
               AND relname NOT IN ('database_timeline', 'node')
            """)
    }

    func columns(of table: String) throws(DatabaseError) -> [CopiedColumn] {
        // `indkey` counts from 0.
        try columns(
            of: table,
            """
            SELECT attname AS name, format_type(COALESCE(NULLIF(typbasetype, 0), atttypid), NULL) AS type,
                   COALESCE(array_position(indkey::int2[], attnum), -1)::bigint + 1 AS place
              FROM pg_attribute
              JOIN pg_class ON pg_class.oid = attrelid
              JOIN pg_type ON pg_type.oid = atttypid
              LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
             WHERE relname = :name AND relnamespace = current_schema()::text::regnamespace
               AND attnum > 0 AND NOT attisdropped
             ORDER BY attnum
            """, isShort: { $0 == "integer" })
    }

    func expression(for column: CopiedColumn) -> String { column.name }

    func misfit(of column: CopiedColumn) -> String? { nil }
}
