import Foundation

/// Brings a schema to our version, or says why it will not touch it.
///
/// Owns the table `schema_migration`, the list of what was applied, in order. Does not know any step's content. Going back is not
/// supported: an older program refuses a newer database.
struct Migrator: Sendable {
    /// What is to be done, given what the database says was applied.
    enum Plan: Equatable {
        case nothing
        case apply(from: Int)
        /// The database has steps we do not know at the end of ours: a newer version wrote it.
        case newer(String)
        /// The lists part ways: another program's database, or a step was renamed or moved.
        case foreign(position: Int, found: String)
    }

    let migrations: [Migration]

    func plan(applied: [String]) -> Plan {
        for (position, name) in applied.enumerated() {
            guard position < migrations.count else { return .newer(name) }
            guard migrations[position].name.utf8.elementsEqual(name.utf8) else {
                return .foreign(position: position + 1, found: name)
            }
        }
        return applied.count == migrations.count ? .nothing : .apply(from: applied.count)
    }

    /// The applied steps, oldest first. Empty for a database without any table.
    ///
    /// - Throws: `refused` for a database that has tables, and none of ours: it belongs to another program.
    func applied(_ connection: any SQLConnection) throws(DatabaseFailure) -> [String] {
        var tables: [String] = []
        for row in try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            tables.append(try row.text("name"))
        }
        guard tables.contains("schema_migration") else {
            guard let stranger = tables.first(where: { !$0.hasPrefix("sqlite_") }) else { return [] }
            throw .refused("its tables are not ours (\(stranger))")
        }
        var names: [String] = []
        for row in try connection.query("SELECT name FROM schema_migration ORDER BY position") {
            names.append(try row.text("name"))
        }
        return names
    }

    /// Applies what is missing. The caller holds the write lock and looks at the plan again under it: another process may have been faster.
    func apply(from first: Int, _ connection: any SQLConnection) throws(DatabaseFailure) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                position INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at INTEGER NOT NULL)
            """)
        let now = Int64(Date().timeIntervalSince1970)
        for (index, migration) in migrations.enumerated().dropFirst(first) {
            for statement in migration.sql { try connection.execute(statement) }
            try connection.execute(
                "INSERT INTO schema_migration (position, name, applied_at) VALUES (:position, :name, :applied_at)",
                ["position": .integer(Int64(index) + 1), "name": .text(migration.name), "applied_at": .integer(now)])
        }
    }
}
