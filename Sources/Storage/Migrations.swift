import Foundation

/// One step of the schema. It holds only strings, so that a later change of code cannot change an old step.
///
/// The list is append-only: a released step is never changed, moved or removed. All pending steps run in one transaction.
///
/// During an upgrade a process of the former release works on the new schema. So a step only adds (CONTRIBUTING.md, "Change the
/// schema"), or says in its name which step a process must know to work beside it.
public struct Migration: Sendable {
    /// Unique, with its number: `v033-passkeys`. A step that removes or changes something ends in
    /// `.needs-vNNN`: processes that do not know step NNN no longer fit. Their versions are older than the one that stopped
    /// to use what is removed.
    public let name: String
    /// One statement each, run in order.
    public let sql: [String]
    /// Further statements, for SQLite alone: what only its files are better for.
    package let sqliteSQL: [String]
    /// The names of former steps whose place this one takes: a database that has all of them has this one. Only in the first of
    /// a list.
    let replaced: [String]
    /// The version of the program that has this list. The step is kept with it.
    let version: String?

    /// - Parameter replaced: the names of former steps that a database may have in place of this one, which made the same tables.
    public init(name: String, replacing replaced: [String] = [], sql: [String] = [], onSQLite: [String] = []) {
        self.init(name: name, replaced: replaced, sql: sql, sqliteSQL: onSQLite, version: nil)
    }

    private init(name: String, replaced: [String], sql: [String], sqliteSQL: [String], version: String?) {
        self.name = name
        self.replaced = replaced
        (self.sql, self.sqliteSQL) = (sql, sqliteSQL)
        self.version = version
    }

    /// The same step in the list of a program of this version.
    public func written(by version: String) -> Migration {
        Migration(name: name, replaced: replaced, sql: sql, sqliteSQL: sqliteSQL, version: version)
    }

    /// The number of the step that a process must know to work beside the step with this name; nil for a step that only
    /// adds. A name that cannot be read needs more than any process knows.
    static func neededStep(of name: String) -> Int? {
        guard let mark = name.range(of: ".needs-v") else { return nil }
        return Int(name[mark.upperBound...]) ?? .max
    }
}

/// Applies the migrations that a database lacks, or refuses the database.
///
/// Owns the table `schema_migration`: the applied steps in order, each with the version that wrote it. There is no way back: an older program refuses a newer
/// database.
package struct Migrator: Sendable {
    /// What to do about a database, given its applied steps.
    package enum Plan: Equatable {
        /// All steps are applied.
        case nothing
        /// The steps from this index on are missing.
        case apply(from: Int)
        /// A newer version wrote it: there are unknown steps after ours.
        case newer(String)
        /// It was copied to this place, which is used instead.
        case moved(to: String)
        /// It lacks some of the steps that are not kept any more. This one is its last.
        case older(String)
        /// The lists differ: it belongs to another program, or a step was renamed or moved.
        case foreign(position: Int, found: String)
    }

    package enum Engine: Sendable { case sqlite, postgres }

    /// All steps, the oldest one first.
    package let migrations: [Migration]

    /// A migrator with these steps, the oldest one first.
    package init(migrations: [Migration]) { self.migrations = migrations }

    /// How many steps are not kept, because the first one has replaced them.
    private var dropped: Int { max(0, (migrations.first?.replaced.count ?? 0) - 1) }

    /// Compares the applied steps with ours.
    package func plan(applied: [String]) -> Plan {
        if let target = applied.last.flatMap(MovedDatabase.target) { return .moved(to: target) }
        let steps = withoutReplaced(applied)
        for (position, name) in steps.enumerated() {
            guard position < migrations.count else { return .newer(name) }
            guard migrations[position].name.utf8.elementsEqual(name.utf8) else {
                guard position == 0 else { return .foreign(position: dropped + position + 1, found: name) }
                let known = zip(applied, migrations[0].replaced).prefix { $0.utf8.elementsEqual($1.utf8) }.count
                return known == applied.count
                    ? .older(applied[known - 1]) : .foreign(position: known + 1, found: applied[known])
            }
        }
        return steps.count == migrations.count ? .nothing : .apply(from: steps.count)
    }

    /// The steps as this list counts them.
    private func withoutReplaced(_ applied: [String]) -> [String] {
        guard let first = migrations.first, !first.replaced.isEmpty, applied.starts(with: first.replaced) else {
            return applied
        }
        return [first.name] + applied.dropFirst(first.replaced.count)
    }

    /// The step because of which this version's statements do not fit a database with these steps; nil when they fit.
    package func misfit(applied: [String]) -> String? {
        switch plan(applied: applied) {
        case .nothing: nil
        case .apply(let first): migrations[first].name
        case .older(let found), .foreign(_, let found): found
        // Not the place: anybody may ask whether a process is ready.
        case .moved: "moved"
        case .newer:
            withoutReplaced(applied).dropFirst(migrations.count).first {
                (Migration.neededStep(of: $0) ?? 0) > dropped + migrations.count
            }
        }
    }

    /// The applied steps, oldest first. Empty for a database without tables.
    ///
    /// - Parameter tables: selects the `name` of one table: that of the steps if it is there, otherwise any. How to list them
    ///   differs between databases.
    /// - Throws: `refused` for a database with tables but not ours: it belongs to another program.
    package func applied(_ connection: any SQLConnection, tables: String) throws(DatabaseError) -> [String] {
        guard let name = try connection.query(tables).first?.text("name") else { return [] }
        guard name == "schema_migration" else { throw .refused("its tables are not ours (\(name))") }
        var names: [String] = []
        for row in try connection.query("SELECT name FROM schema_migration ORDER BY position") {
            names.append(try row.text("name"))
        }
        return names
    }

    /// The refusal of a database that a newer version wrote: what is wrong, and what to do.
    ///
    /// The last step names the version to install: an older one would refuse the database again.
    package func newer(_ step: String, _ connection: any SQLConnection) throws(DatabaseError) -> (String, String) {
        let problem = "it was written by a newer version (step \(step))"
        let last = try connection.query("SELECT version FROM schema_migration ORDER BY position DESC LIMIT 1").first
        guard let version = try last?.optionalText("version") else { return (problem, "Install that version") }
        return (problem, "Install version \(version) or a later one")
    }

    /// A statement that needs a commit and changes nothing.
    package static let emptyChange = """
        UPDATE schema_migration SET name = name WHERE position = (SELECT MAX(position) FROM schema_migration)
        """

    /// The refusal of a database that was copied elsewhere: what is wrong, and what to do.
    package static func moved(to target: String) -> (String, String) {
        (
            "it has moved to \(target)",
            "Name that place in the settings. To use this one again, take the mark back with the command database unmark"
        )
    }

    /// The refusal of a database that lacks steps which are not kept: what is wrong, and what to do.
    package static func older(_ step: String) -> (String, String) {
        (
            "it was written before 0.1.0 and lacks steps (its last one is \(step))",
            "Start the build of commit \(lastBuildWithAllSteps) on it once, which applies the steps that it lacks, then this one"
        )
    }

    /// The last commit whose build applies every step to a database.
    private static let lastBuildWithAllSteps = "6153b4fb"

    /// Applies the missing steps. The caller holds the write lock and has made the plan under it: another process may have
    /// been faster.
    package func apply(
        from first: Int, on engine: Engine, _ connection: any SQLConnection
    ) throws(DatabaseError) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                position INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at BIGINT NOT NULL, version TEXT)
            """)
        let now = Int64(Date().timeIntervalSince1970)
        for (index, migration) in migrations.enumerated().dropFirst(first) {
            let sql = migration.sql + (engine == .sqlite ? migration.sqliteSQL : [])
            for statement in sql { try connection.execute(statement) }
            try connection.execute(
                """
                INSERT INTO schema_migration (position, name, applied_at, version)
                VALUES (:position, :name, :applied_at, :version)
                """,
                [
                    "position": .integer(Int64(dropped + index) + 1), "name": .text(migration.name),
                    "applied_at": .integer(now), "version": .optional(migration.version),
                ])
        }
    }
}
