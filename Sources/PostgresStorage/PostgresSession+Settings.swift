import Storage

extension PostgresSession {
    /// Connects and makes the session ready for bodies.
    ///
    /// - Parameters:
    ///   - limit: how long the server may take for the set-up.
    ///   - isAdmitted: whether a connection may be used: ``PostgresHosts``.
    static func open(
        _ parameters: [String: String], answeringWithin limit: Duration,
        isAdmitted: (PostgresSession) -> Bool = { _ in true }
    ) throws(PostgresError) -> PostgresSession {
        let session = try connect(parameters, answeringWithin: limit, isAdmitted: isAdmitted)
        try session.prepareControls()
        return session
    }

    /// Connects and makes the settings, without a prepared statement: a pooler may be on the way that loses those.
    ///
    /// The first connection of a process to these servers waits longer for the others than the later ones (``MetTimelines``).
    ///
    /// - Parameter parameters: may name several servers, which are all asked at once.
    static func connect(
        _ parameters: [String: String], answeringWithin limit: Duration,
        isAdmitted: (PostgresSession) -> Bool = { _ in true }
    ) throws(PostgresError) -> PostgresSession {
        let met = MetTimelines.highest(at: parameters)
        let session = try PostgresHosts(parameters).first(
            { (parameters) throws(PostgresError) in try connectAlone(parameters, answeringWithin: limit) },
            within: MetTimelines.grace(at: parameters), isAdmitted: { isAdmitted($0) && $0.timeline >= met })
        guard session.timeline >= met else { throw .older(session.timeline, than: met) }
        MetTimelines.note(session.timeline, at: parameters)
        return session
    }

    private static func connectAlone(
        _ parameters: [String: String], answeringWithin limit: Duration
    ) throws(PostgresError) -> PostgresSession {
        let session = try PostgresSession(parameters, answeringWithin: limit)
        guard try session.texts(standbyQuestion) == ["off"] else { throw .lost(standbyAnswers) }
        let facts = try session.texts(settings)
        guard facts.first == "t" else { throw .lost(foreignSchema) }
        session.timeline = facts.last.flatMap { $0 }.flatMap { Int64($0) } ?? 0
        return session
    }

    static let standbyAnswers = "a standby answers reads, which see too little"
    static let foreignSchema = "the first schema of its search_path belongs to another role"

    /// Whether commits wait for a standby that is not there, on a server that has standbys to wait for: one of our own sessions
    /// has waited for a second, or no standby is connected at all. Then the names, else null.
    static let standbyWait = """
        SELECT CASE WHEN EXISTS (SELECT FROM pg_stat_activity
                                  WHERE wait_event = 'SyncRep' AND query_start < clock_timestamp() - interval '1 second')
                      OR NOT EXISTS (SELECT FROM pg_stat_replication)
                    THEN NULLIF(current_setting('synchronous_standby_names'), '') END AS names
        """

    static func words(aboutWaitFor names: String) -> String {
        "commits wait for the standby of synchronous_standby_names: \(names)"
    }

    /// Alone, and before any other statement: pgpool-II sends what has only stable functions to the server that it reads from,
    /// and everything else to the primary, for which it answers `target_session_attrs`.
    private static let standbyQuestion = "SELECT current_setting('in_hot_standby')"

    /// Whether the schema is the role's own, the settings of each session, and last the timeline of the server. By statement, because PgBouncer refuses most of them at the start of a connection.
    ///
    /// A commit is answered after it is on the disk, and on the synchronous standby where there is one. `remote_apply` is more
    /// than that and stays. The server ends what takes too long, and what nobody waits for any more.
    ///
    /// Who may create schemas could plant one that `"$user"` in `search_path` finds first. So the schema belongs to the role, to the
    /// owner of the database (6171 is `pg_database_owner`) or to a superuser, and a session keeps the one that it has begun with.
    private static let settings = """
        SELECT COALESCE((SELECT pg_has_role(current_user, nspowner, 'USAGE') OR nspowner = 6171 OR rolsuper
                                OR nspowner = (SELECT datdba FROM pg_database WHERE datname = current_database())
                           FROM pg_namespace JOIN pg_roles ON pg_roles.oid = nspowner
                          WHERE nspname = current_schema()), true),
               set_config('search_path', COALESCE(quote_ident(current_schema()), current_setting('search_path')), false),
               set_config('synchronous_commit',
                          CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
               set_config('statement_timeout', '2s', false), set_config('lock_timeout', '2s', false),
               set_config('idle_in_transaction_session_timeout', '5s', false),
               set_config('client_connection_check_interval', '1s', false), set_config('client_encoding', 'UTF8', false),
               set_config('standard_conforming_strings', 'on', false),
               ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
        """
}
