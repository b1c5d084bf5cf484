package import SSOWeb
import Storage

extension StoredRows {
    /// Adds as many rows as a large service has to a file: tokens that were used, and sessions of the one account.
    package func addMany(tokens: Int, sessions: Int, now: Timestamp, until end: Timestamp) async throws {
        let part = 10_000
        for first in stride(from: 0, to: tokens, by: part) {
            let numbers =
                "WITH RECURSIVE n(i) AS (SELECT \(first + 1) UNION ALL SELECT i + 1 FROM n WHERE i < \(min(first + part, tokens)))"
            let (now, end) = (now.milliseconds, end.milliseconds)
            try await change([
                """
                \(numbers)
                INSERT INTO sso_token
                    (digest, client_id, redirect_uri, code_challenge, state_digest, account_id, session_handle,
                     authenticated_at, methods, created_at, expires_at, used_at)
                SELECT randomblob(32), 'partner', 'http://127.0.0.1:9/auth/sso/callback', '', randomblob(32),
                       (SELECT MIN(id) FROM account), 'seed-' || (i % \(sessions)), \(now), 'email_code', \(now), \(end),
                       \(now)
                  FROM n
                """,
                """
                \(numbers)
                INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
                SELECT randomblob(32), 'seed-' || i, hex(randomblob(16)), '{}', \(now), \(now), \(end) FROM n
                 WHERE i <= \(sessions)
                """,
            ])
        }
    }
}
