import Foundation

/// Rows of a deployment that has been in use for long: used tokens, live sessions, accounts with a group each, rows of the audit
/// log, sign-out messages that wait for a client that is down. They are inserted into the database of an IdP that is not running,
/// through the program `sqlite3`.
///
/// The only place of the bench that knows the IdP's tables.
struct SeedRows {
    static let deadClient = "dead"

    var tokens = 0
    var sessions = 0
    var accounts = 0
    var auditRows = 0
    /// Over how many days those are; 0 for some hours of yesterday, all of redemptions.
    var auditDays = 0
    var messages = 0
    /// At services behind the gate, each on a session of its own: not more than ``sessions``.
    var gateSessions = 0

    var isEmpty: Bool { tokens + sessions + accounts + auditRows + messages + gateSessions == 0 }

    func insert(into path: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = ["-bail", path, sql]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("sqlite3 could not insert the rows") }
    }

    private var sql: String {
        let (now, hour) = (Int(Date().timeIntervalSince1970 * 1_000), 3_600_000)
        // The tokens were used within the last days: the audit period keeps them, and a purge is another measurement.
        return """
            BEGIN;
            INSERT INTO account (id, email, name, disabled, created_at)
            VALUES ('seed', 'seed@example.com', 'seed', 0, \(now));
            \(Self.numbers(accounts)) INSERT INTO account (id, email, name, disabled, created_at)
            SELECT 'seed-' || i, 'seed-' || i || '@example.com', 'seed', 0, \(now) FROM n;
            INSERT INTO user_group (id, created_at) VALUES ('seed', \(now));
            \(Self.numbers(accounts)) INSERT INTO group_member (account_id, group_id, joined_at)
            SELECT 'seed-' || i, 'seed', \(now) FROM n;
            \(Self.numbers(sessions)) INSERT INTO session
                (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at)
            SELECT randomblob(32), 'seed-' || i, hex(randomblob(16)), '{}', \(now), \(now), \(now + 11 * hour) FROM n;
            \(Self.numbers(gateSessions)) INSERT INTO client_sign_in
                (session_handle, client_id, kind, told_session, account_id, first_used_at, last_used_at, beginnings)
            SELECT 'seed-' || i, 'wiki', 'gate', 'seed-' || i, 'seed', \(now), \(now), 1 FROM n;
            \(Self.numbers(gateSessions)) INSERT INTO gate_session
                (digest, client_id, account_id, told_session, sign_in_beginnings, created_at, expires_at)
            SELECT randomblob(32), 'wiki', 'seed', 'seed-' || i, 1, \(now), \(now + 11 * hour) FROM n;
            \(Self.numbers(tokens)) INSERT INTO sso_token
                (digest, client_id, redirect_uri, code_challenge, state_digest, account_id, session_handle,
                 authenticated_at, methods, created_at, expires_at, used_at)
            SELECT randomblob(32), 'bench', 'http://127.0.0.1:9/auth/sso/callback', '', randomblob(32), 'seed',
                'seed-' || (i % \(max(sessions, 1))), \(now) - i, 'email_code', \(now) - i, \(now) + 300000 - i, \(now) - i
            FROM n;
            \(auditDays == 0 ? auditSQL(auditRows, at: now - 24 * hour) : auditSQLOfDays(until: now))
            \(Self.numbers(messages)) INSERT INTO sign_out_message
                (id, kind, client_id, account_id, told_session, created_at, tries, next_try_at)
            SELECT 'evt_' || i, 'sso', '\(Self.deadClient)', 'seed', 'seed-' || i, \(now) - i, 0, \(now) - i FROM n;
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);
            """
    }

    /// Rows of the audit log from a moment on. Their ids begin with their time, 48 bits of milliseconds, here to some hours.
    private func auditSQL(_ count: Int, at moment: Int, event: String = "'token_redeemed', 'client:bench'") -> String {
        let hours = String(moment >> 24, radix: 16)
        let prefix = String(repeating: "0", count: 6 - hours.count) + hours
        return """
            \(Self.numbers(count)) INSERT INTO audit_event
                (id, created_at, event, actor, account_id, client_id, session_handle, flow, network)
            SELECT CAST(X'\(prefix)' || randomblob(13) AS BLOB), \(moment) + i, \(event),
                'seed-' || (i % \(max(accounts, 1))), 'bench', 'seed-' || (i % \(max(sessions, 1))), 'flow', '127.0.0.0/24'
            FROM n;
            """
    }

    /// Of ten rows two are of sign-ins and two of refusals. None is of a backup.
    private func auditSQLOfDays(until now: Int) -> String {
        let event = """
            CASE i % 10 WHEN 0 THEN 'signed_in' WHEN 1 THEN 'signed_in' WHEN 2 THEN 'authorize_refused'
                        WHEN 3 THEN 'verify_refused' WHEN 4 THEN 'token_issued' ELSE 'token_redeemed' END, 'visitor'
            """
        return (0..<auditDays).map { day in
            auditSQL(auditRows / auditDays, at: now - (day + 1) * 86_400_000 + 43_200_000, event: event)
        }.joined(separator: "\n")
    }

    /// A table `n` of the numbers from 1 on.
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 WHERE \(count) > 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }
}
