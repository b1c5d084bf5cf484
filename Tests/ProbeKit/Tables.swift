import Storage

extension StoredRows {
    /// The names of all tables.
    ///
    /// - Parameter onPostgres: whether this database is one of PostgreSQL, whatever the deployments of this run have.
    package func tables(onPostgres: Bool = TestedEngine.isPostgres) async throws -> [String] {
        try await database.read { try Self.names($0, onPostgres) }
    }

    /// The names of the tables of a file that have this column.
    package func tables(with column: String) async throws -> [String] {
        try await columns().filter { $0.column == column }.map(\.table)
    }

    /// Every column of a file of the programs, without the table of its migrations.
    package func columns() async throws -> [(table: String, column: String)] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'schema_migration'
                """
            ).map { (try $0.text("table"), try $0.text("column")) }
        }
    }

    /// The number of rows of every table, by name: what changes nothing changes none of them.
    package func counts() async throws -> [String: Int64] {
        try await database.read { connection in
            try Dictionary(
                uniqueKeysWithValues: Self.names(connection, TestedEngine.isPostgres).map { name in
                    (name, try connection.query("SELECT COUNT(*) AS n FROM \"\(name)\"")[0].integer("n"))
                })
        }
    }

    /// The tables that have this text in a value, but for a part of a longer number.
    package func tables(holding text: String) async throws -> [String] {
        var found: [String] = []
        for table in try await tables() {
            let rows = try await texts(of: table)
            if rows.contains(where: { Self.holds($0, text) }) { found.append(table) }
        }
        return found
    }

    private static func holds(_ row: String, _ text: String) -> Bool {
        row.ranges(of: text).contains { range in
            row[..<range.lowerBound].last?.isNumber != true && row[range.upperBound...].first?.isNumber != true
        }
    }

    private static func names(_ connection: any SQLConnection, _ isPostgres: Bool) throws -> [String] {
        try connection.query(
            isPostgres
                ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
                : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).map { try $0.text("name") }
    }

    package func rename(table: String, to name: String) async throws {
        try await change(["ALTER TABLE \(table) RENAME TO \(name)"])
    }

    /// Lets a table take no row, until ``takeRows(in:)``.
    package func refuseRows(in table: String) async throws {
        guard TestedEngine.isPostgres else {
            return try await change([
                "CREATE TRIGGER no_room BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no room'); END"
            ])
        }
        let function = "BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '23000'; END"
        try await change([
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $body$\(function)$body$",
            "CREATE TRIGGER no_room BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION no_room()",
        ])
    }

    package func takeRows(in table: String) async throws {
        try await change([TestedEngine.isPostgres ? "DROP TRIGGER no_room ON \(table)" : "DROP TRIGGER no_room"])
    }

    /// Lets no row of a table change.
    package func refuseUpdates(of table: String) async throws {
        guard TestedEngine.isPostgres else {
            return try await change([
                "CREATE TRIGGER frozen BEFORE UPDATE ON \(table) BEGIN SELECT RAISE(ABORT, 'frozen'); END"
            ])
        }
        let function = "BEGIN RAISE EXCEPTION 'frozen' USING ERRCODE = '23000'; END"
        try await change([
            "CREATE FUNCTION frozen() RETURNS trigger LANGUAGE plpgsql AS $body$\(function)$body$",
            "CREATE TRIGGER frozen BEFORE UPDATE ON \(table) FOR EACH ROW EXECUTE FUNCTION frozen()",
        ])
    }
}
