import Foundation

/// Inserts used tokens and live sessions into the database of an IdP that is not running, through the program `sqlite3`.
///
/// The only place of the bench that knows the IdP's tables.
enum SeedRows {
    static func insert(into path: String, tokens: Int, sessions: Int) throws {
        let (now, hour) = (Int(Date().timeIntervalSince1970 * 1_000), 3_600_000)
        // The tokens were used within the last days: the audit period keeps them, and a purge is another measurement.
        let sql = """
            BEGIN;
            INSERT INTO account (id, email, name, disabled, created_at)
            VALUES ('seed', 'seed@example.com', 'seed', 0, \(now));
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(sessions))
            INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
            SELECT randomblob(32), 'seed-' || i, hex(randomblob(16)), '{}', \(now), \(now), \(now + 11 * hour) FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(tokens))
            INSERT INTO sso_token (digest, client_id, redirect_uri, code_challenge, state_digest, account_id,
                session_handle, authenticated_at, methods, created_at, expires_at, used_at)
            SELECT randomblob(32), 'bench', 'http://127.0.0.1:9/auth/sso/callback', '', randomblob(32), 'seed',
                'seed-' || (i % \(max(sessions, 1))), \(now) - i, 'email_code', \(now) - i, \(now) + 300000 - i, \(now) - i
            FROM n;
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = ["-bail", path, sql]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("sqlite3 could not insert the rows") }
    }
}
