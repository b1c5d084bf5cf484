import Foundation

/// The only place that knows the IdP's tables: rows to prefill them with, and the two statements of a login.
enum TokenRows {
    private static let now = Int(Date().timeIntervalSince1970 * 1_000)
    private static let hour = 3_600_000
    private static let columns = """
        digest, client_id, redirect_uri, code_challenge, state_digest, account_id, session_handle, authenticated_at, methods,
        created_at, expires_at
        """

    /// Somebody to sign in.
    static let person = """
        INSERT INTO account (id, email, name, disabled, created_at) VALUES ('seed', 'seed@example.com', 'seed', 0, \(now));
        INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
        VALUES (randomblob(32), 'seed-0', 'seed', '{}', \(now), \(now), \(now + 11 * hour));
        """

    static let issue = """
        INSERT INTO sso_token (\(columns))
        VALUES (?1, 'bench', 'http://127.0.0.1:9/auth/sso/callback', '', randomblob(32), 'seed', 'seed-0', \(now),
                'email_code', \(now), \(now + 300_000 + hour))
        """

    static let consume = """
        UPDATE sso_token SET used_at = \(now)
         WHERE digest = ?1 AND client_id = 'bench' AND used_at IS NULL AND voided_at IS NULL AND expires_at > \(now)
           AND EXISTS (SELECT 1 FROM session s WHERE s.handle = sso_token.session_handle AND s.expires_at > \(now))
           AND EXISTS (SELECT 1 FROM account a WHERE a.id = sso_token.account_id AND a.disabled = 0)
        RETURNING account_id, session_handle, authenticated_at, methods
        """

    /// Lays used tokens and living sessions into the database of an IdP that is not running.
    static func seed(_ path: String, tokens: Int, sessions: Int) throws {
        let file = try SQLiteFile(path)
        try file.run("BEGIN")
        try file.run(person)
        try file.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(sessions))
            INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
            SELECT randomblob(32), 'seed-' || i, hex(randomblob(16)), '{}', \(now), \(now), \(now + 11 * hour) FROM n
            """)
        // Used within the last days, so that the audit period keeps them: a purge of them is another measurement.
        try file.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(tokens))
            INSERT INTO sso_token (\(columns), used_at)
            SELECT randomblob(32), 'bench', 'http://127.0.0.1:9/auth/sso/callback', '', randomblob(32), 'seed',
                   'seed-' || (i % \(max(sessions, 1))), \(now) - i, 'email_code', \(now) - i, \(now) + 300000 - i, \(now) - i
              FROM n
            """)
        try file.run("COMMIT")
        try file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The statements that make these tables, read from the IdP's own database.
    static func schema(of path: String) throws -> [String] {
        try SQLiteFile(path).texts(
            """
            SELECT sql FROM sqlite_master WHERE tbl_name IN ('account', 'session', 'sso_token') AND sql IS NOT NULL
            ORDER BY type DESC
            """)
    }
}
