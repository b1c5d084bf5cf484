import Storage

/// What a restore adds from the database that it replaces: usernames that were given after the backup, and refresh tokens that
/// their provider was not told of yet.
///
/// A service may know its users by their usernames, so a name that was lost must not become another user's. A token of an
/// identity that was removed would stay valid at its provider.
struct AddedRows: Sendable, Equatable {
    /// By table, in the order of ``RestoredColumn/columns(of:_:)``.
    private var rows: [String: Set<[SQLValue]>] = [:]
    /// By the id of their account.
    private var usernames: [String: String] = [:]

    init() {}

    /// Those that a database has.
    init(_ connection: any SQLConnection) throws {
        for table in RestoredColumn.tables.keys {
            let columns = RestoredColumn.columns(of: table, .added)
            guard !columns.isEmpty else { continue }
            let found = try connection.query("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
            rows[table] = Set(found.map { row in row.values.map { $0 ?? .null(.text) } })
        }
        for row in try connection.query("SELECT id, username FROM account WHERE username IS NOT NULL") {
            usernames[try row.text("id")] = try row.text("username")
        }
    }

    /// Those that another database does not have.
    func missing(in other: AddedRows) -> AddedRows {
        var missing = self
        missing.rows = rows.reduce(into: [:]) { $0[$1.key] = $1.value.subtracting(other.rows[$1.key] ?? []) }
        missing.usernames = usernames.filter { other.usernames[$0.key] == nil }
        return missing
    }

    /// Adds them. An account without a username gets the one that it was given since.
    func add(_ connection: any SQLConnection) throws {
        for (table, rows) in rows {
            let columns = RestoredColumn.columns(of: table, .added)
            let values = columns.map { ":\($0)" }.joined(separator: ", ")
            for row in rows {
                try connection.execute(
                    "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values)) ON CONFLICT DO NOTHING",
                    SQLArguments(zip(columns, row)))
            }
        }
        for (id, name) in usernames {
            try connection.execute(
                """
                UPDATE account SET username = :name
                 WHERE id = :id AND username IS NULL AND NOT EXISTS (SELECT 1 FROM account WHERE username = :name)
                """, ["id": .text(id), "name": .text(name)])
        }
    }
}
