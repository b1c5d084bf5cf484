import CPostgres
import Foundation
import Storage

/// Opens a database for the first time in a process: refuses one that does not fit, applies the migrations.
struct PostgresOpening: Sendable {
    private static let oldestVersion = 15
    /// How long a start waits for the locks that the steps need.
    private static let patience = Duration.seconds(120)
    static let migrationLock = """
        SELECT pg_advisory_xact_lock((5460816::bigint << 32) | current_schema()::text::regnamespace::oid::bigint)::text AS done
        """

    let address: PostgresAddress
    let migrator: Migrator

    /// Applies the missing steps.
    ///
    /// - Throws: ``DatabaseError/refused(_:)``.
    func migrate() throws(DatabaseError) {
        let connection = try connect()
        // Without a lock first: a program that starts beside busy ones need not wait for them.
        guard try missingSteps(connection) != nil else { return }
        if let names = try texts(connection.session, PostgresSession.standbyWait).first.flatMap(\.self) {
            throw refusal(
                "\(PostgresSession.words(aboutWaitFor: names)), and it is away", "Start it, or change that setting")
        }
        let end = ContinuousClock.now + Self.patience
        while try !applySteps(connection) {
            guard end > .now else {
                throw refusal(
                    "a step of the schema has waited two minutes for a table in use",
                    "Look for a long transaction in pg_stat_activity and end it")
            }
            // Whatever queued behind the step goes first.
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    /// Checks whether the database could be opened, and changes nothing.
    ///
    /// - Parameter connections: how many must be open at once.
    /// - Returns: the names of the steps that opening it would apply to what is there; nil for a database without tables.
    func inspect(connections: Int = 1) throws(DatabaseError) -> [String]? {
        let connection = try connect()
        var others: [PostgresSession] = []
        defer { others.forEach { $0.close() } }
        for number in stride(from: 2, through: connections, by: 1) {
            do throws(PostgresError) {
                others.append(try PostgresSession.connect(address.parameters, answeringWithin: .seconds(4)))
            } catch {
                // A pooler may send a later connection to another server.
                if [PostgresSession.standbyAnswers, PostgresSession.foreignSchema].contains(error.words) {
                    throw refusal("\(error)", PostgresRemedy.of(error))
                }
                // A pooler lets a connection wait for one of the others.
                let advice = error.words == PostgresSession.noAnswer ? PostgresRemedy.moreConnections : nil
                throw refusal(
                    "a start needs \(connections) connections at once, and number \(number) failed: \(error)",
                    PostgresRemedy.of(error) ?? advice)
            }
        }
        guard let first = try missingSteps(connection) else { return [] }
        return first == 0 ? nil : migrator.migrations.dropFirst(first).map(\.name)
    }

    // MARK: - The server

    func connect() throws(DatabaseError) -> PostgresConnection {
        let session = try open()
        try check(session)
        try checkPooler(session)
        do throws(PostgresError) { try session.prepareControls() } catch {
            throw refusal("\(error)", PostgresRemedy.of(error))
        }
        return PostgresConnection(session)
    }

    private func open() throws(DatabaseError) -> PostgresSession {
        do throws(PostgresError) {
            return try PostgresSession.connect(address.parameters, answeringWithin: .seconds(4))
        } catch {
            throw refusal("\(error)", PostgresRemedy.of(error))
        }
    }

    private func check(_ session: PostgresSession) throws(DatabaseError) {
        guard session.serverVersion >= Self.oldestVersion * 10_000 else {
            throw refusal(
                "PostgreSQL \(session.serverVersion / 10_000) is too old",
                "Use PostgreSQL \(Self.oldestVersion) or later")
        }
        // PostgreSQL 17 has renamed the column.
        let locale = session.serverVersion >= 170_000 ? "datlocale" : "daticulocale"
        let facts = try texts(
            session,
            """
            SELECT pg_encoding_to_char(encoding), datlocprovider, datcollate, \(locale), current_schema(), current_user,
                   has_schema_privilege(current_schema(), 'CREATE')
              FROM pg_database WHERE datname = current_database()
            """)
        guard facts.count == 7, let encoding = facts[0], let provider = facts[1] else {
            throw refusal("it does not describe itself", "Check that it is a PostgreSQL server")
        }
        guard encoding == "UTF8" else { throw refusal("its encoding is \(encoding)", Self.recipe) }
        let collation = PostgresCollation(provider: provider, libc: facts[2], other: facts[3])
        guard collation.comparesBytes else {
            throw refusal("its collation is \(collation), which does not sort texts by their bytes", Self.recipe)
        }
        try checkSchema(facts[4], of: facts[5] ?? "")
        guard facts[4] != nil, facts[6] == "t" else {
            throw refusal(
                "the role may create no tables in it",
                "Give it a schema of its own: CREATE SCHEMA AUTHORIZATION, see docs/postgresql.md")
        }
    }

    /// Refuses a schema that is not the one that the address asks for. Poolers drop `options`, and a schema that does not exist is
    /// passed over.
    private func checkSchema(_ used: String?, of user: String) throws(DatabaseError) {
        guard let path = address.parameters["options"].flatMap(PostgresOptions.searchPath) else { return }
        let asked = PostgresOptions.schemas(of: path, user: user)
        guard !asked.isEmpty, !(used.map(asked.contains) ?? false) else { return }
        throw refusal(
            "options asks for search_path=\(path), and the schema in use is \(used ?? "none")",
            "Create that schema, or where a pooler ignores options, ALTER ROLE … SET search_path")
    }

    private static let recipe =
        "Make a new one: CREATE DATABASE idp TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8'"

    /// Refuses a pooler that gives each transaction another connection: prepared statements and settings of a session would be
    /// those of somebody else. It gives one connection to two clients, or two to one client.
    private func checkPooler(_ session: PostgresSession) throws(DatabaseError) {
        let own = try texts(session, "SELECT pg_backend_pid()")
        let other = try open()
        _ = try texts(other, "BEGIN")
        let others = try texts(other, "SELECT pg_backend_pid()")
        let again = try texts(session, "SELECT pg_backend_pid()")
        guard own == again, own != others else {
            throw refusal(
                "a connection pooler in transaction mode is before it", "Set pool_mode = session, or connect directly")
        }
    }

    private func texts(_ session: PostgresSession, _ sql: String) throws(DatabaseError) -> [String?] {
        session.deadline = .now + .seconds(4)
        do throws(PostgresError) { return try session.texts(sql) } catch {
            throw refusal("\(error)", PostgresRemedy.of(error))
        }
    }

    // MARK: - The schema

    /// The applied steps of a database.
    static func applied(_ migrator: Migrator, _ connection: any SQLConnection) throws(DatabaseError) -> [String] {
        // The tables of this engine are none of the steps.
        try migrator.applied(
            connection,
            tables: """
                SELECT relname AS name FROM pg_class
                 WHERE relname NOT IN ('database_timeline', 'node') AND relnamespace = current_schema()::text::regnamespace AND relkind IN ('r', 'p')
                 ORDER BY relname = 'schema_migration' DESC LIMIT 1
                """)
    }

    /// The first step that must be applied, nil when the schema is ours and complete.
    func missingSteps(_ connection: PostgresConnection) throws(DatabaseError) -> Int? {
        connection.session.deadline = .now + .seconds(4)
        let applied: [String]
        do throws(DatabaseError) { applied = try Self.applied(migrator, connection) } catch {
            // A table of our name without our columns is another program's, too.
            let isForeign = connection.failure.map { $0.state == "42703" } ?? true
            throw refusal(
                "\(error)",
                isForeign ? "Name another database or schema" : connection.failure.flatMap(PostgresRemedy.of))
        }
        switch migrator.plan(applied: applied) {
        case .nothing: return nil
        case .apply(let first): return first
        case .newer(let name):
            let (problem, remedy) = try migrator.newer(name, connection)
            throw refusal(problem, remedy)
        case .moved(let target):
            let (problem, remedy) = Migrator.moved(to: target)
            throw .outOfUse(refusal(problem, remedy).description)
        case .older(let name):
            let (problem, remedy) = Migrator.older(name)
            throw .outOfUse(refusal(problem, remedy).description)
        case .foreign(let position, let found):
            throw refusal("its schema is not ours (step \(position) is \(found))", "Name another database or schema")
        }
    }

    /// Applies the missing steps in one transaction.
    ///
    /// - Returns: false when a table is in use. Nothing was changed.
    private func applySteps(_ connection: PostgresConnection) throws(DatabaseError) -> Bool {
        connection.session.deadline = .now + .seconds(3600)
        connection.queue(.beginWrite)
        do throws(DatabaseError) {
            // A step that waits for a lock keeps all others from the table. So it waits for a second, and later again.
            _ = try connection.query(
                "SELECT set_config('lock_timeout', '1s', true) AS lock, set_config('statement_timeout', '0', true) AS statement"
            )
            _ = try connection.query(Self.migrationLock)
            // Another process may have been faster. Writers wait until the steps are applied.
            connection.queue(.lock)
            if let first = try missingSteps(connection) {
                connection.session.deadline = .now + .seconds(3600)
                if first == 0 { try makeDomain(connection) }
                try migrator.apply(from: first, on: .postgres, connection)
            }
            for table in [TimelineTable.schema, NodeTable.schema] { try connection.execute(table) }
        } catch {
            let isInUse = connection.failure?.isLockTimeout == true
            let isFull = connection.failure?.state == "53100"
            try? connection.rollBack()
            if isInUse { return false }
            if error.isRefusal { throw error }
            throw refusal(
                "a step of its schema has failed: \(error)",
                isFull ? PostgresRemedy.fullDisk : "Look at the server's log")
        }
        try commitSteps(connection)
        return true
    }

    private func commitSteps(_ connection: PostgresConnection) throws(DatabaseError) {
        let outcome: PostgresConnection.CommitOutcome
        do throws(PostgresError) { outcome = try connection.commit() } catch {
            throw refusal("the steps of its schema were not committed: \(error)", "Look at the server's log")
        }
        switch outcome {
        case .kept: return
        case .rolledBack:
            throw refusal("the steps of its schema were rolled back", "Look at the server's log")
        case .unknown(let warning):
            throw refusal(
                "whether the steps of its schema are kept is unknown: \(PostgresWriter.words(about: warning))",
                "Look at the server's log and its standby, and start again")
        }
    }

    /// The steps say `BLOB`, as SQLite does.
    func makeDomain(_ connection: PostgresConnection) throws(DatabaseError) {
        let found = try connection.query(
            "SELECT 1 AS n FROM pg_type WHERE typname = 'blob' AND typnamespace = current_schema()::text::regnamespace")
        if found.isEmpty { try connection.execute("CREATE DOMAIN blob AS bytea") }
    }

    /// One line: the place, what is wrong, what to do.
    ///
    /// - Parameter remedy: nil where no advice fits.
    func refusal(_ problem: String, _ remedy: String?) -> DatabaseError {
        let stop = problem.last.map { ".?!".contains($0) } ?? false ? "" : "."
        return .refused("cannot use the database \(address): \(problem)\(stop)\(remedy.map { " \($0)." } ?? "")")
    }
}
