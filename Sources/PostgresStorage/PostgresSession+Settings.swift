import Storage

extension PostgresSession {
    /// Connects and makes the session ready for bodies.
    ///
    /// - Parameter limit: how long the server may take for the set-up.
    static func open(
        _ parameters: [String: String], answeringWithin limit: Duration
    ) throws(PostgresError) -> PostgresSession {
        let session = try connect(parameters, answeringWithin: limit)
        try session.prepareControls()
        return session
    }

    /// Connects and makes the settings, without a prepared statement: a pooler may be on the way that loses those.
    static func connect(
        _ parameters: [String: String], answeringWithin limit: Duration
    ) throws(PostgresError) -> PostgresSession {
        let session = try PostgresSession(parameters, answeringWithin: limit)
        let facts = try session.texts(settings)
        session.timeline = facts.last.flatMap { $0 }.flatMap { Int64($0) } ?? 0
        return session
    }

    /// The settings of each session, and last the timeline of the server. By statement, because PgBouncer refuses most of them at the start of a connection.
    ///
    /// A commit is answered after it is on the disk, and on the synchronous standby where there is one. `remote_apply` is more
    /// than that and stays. The server ends what takes too long, and what nobody waits for any more.
    private static let settings = """
        SELECT set_config('synchronous_commit',
                          CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
               set_config('statement_timeout', '2s', false), set_config('lock_timeout', '2s', false),
               set_config('idle_in_transaction_session_timeout', '5s', false),
               set_config('client_connection_check_interval', '1s', false), set_config('client_encoding', 'UTF8', false),
               set_config('standard_conforming_strings', 'on', false),
               ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
        """
}
