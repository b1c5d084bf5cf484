import IdPAccounts
import IdPClients
package import IdPFlow
import IdPMail
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// Tells all admins by email what somebody who has taken over one of them could do unseen: a changed role, client, secret, a removed
/// passkey and an export.
///
/// Owns the rows of `admin_notice`: the rows of the audit log that were told, and up to when they were looked for (`mark`). The
/// audit log is written in the transaction of the change, by pages and commands alike, so nothing is told that did not happen, and
/// nothing that happened is left out. The first email leaves at once, and further changes are collected for five minutes.
package struct AdminNotices: Sendable {
    /// The table, for the migrations. `batch` is empty in the row `mark`.
    package static let schema = [
        """
        CREATE TABLE admin_notice (
            id TEXT PRIMARY KEY NOT NULL,
            batch TEXT NOT NULL,
            created_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX admin_notice_batch ON admin_notice (batch)",
    ]

    static let interval: Duration = .minutes(5)
    /// Rows of two nodes may be committed in another order than that of their ids.
    private static let overlap: Duration = .minutes(2)
    private static let kept: Duration = .days(8)
    /// Of one email. What is beyond follows with the next.
    static let rows = 200
    private static let mark = "mark"

    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let admins: AdminAddresses
    let eligibility: SignInEligibility
    let mail: MailQueue

    package init(_ parts: SharedParts) {
        (database, clock, randomness) = (parts.database, parts.clock, parts.randomness)
        (admins, eligibility, mail) = (parts.admins, parts.eligibility, parts.mail)
    }

    /// Queues an email about everything that was not told yet, unless one was queued within the last five minutes.
    ///
    /// - Returns: how many changes were told.
    @discardableResult package func round() async throws -> Int {
        let now = clock.now()
        // Most rounds find nothing, and cost no write.
        let (isDue, isMarkOld) = try await database.read { connection in
            let since = try since(connection)
            return (
                try !untold(since: since ?? now, limit: 1, connection).isEmpty,
                since.map { now - $0 > Self.overlap + .minutes(1) } ?? true
            )
        }
        guard isDue || isMarkOld else { return 0 }
        return try await database.write { connection in try tell(at: now, connection) }
    }

    private func tell(at now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        let since = try since(connection) ?? now
        let untold = try untold(since: since, limit: Self.rows, connection)
        guard !untold.isEmpty else {
            try note(Self.mark, "", at: now, connection)
            return 0
        }
        let last = try connection.query("SELECT MAX(created_at) AS last FROM admin_notice WHERE batch <> ''")
            .first?.optionalTimestamp("last")
        // One from the future was written while the clock was wrong.
        if let last, last <= now, now - last < Self.interval { return 0 }
        let batch = "adn_" + Base64URL.encode(try randomness.bytes(16))
        for row in untold { try note(Base64URL.encode(row.id), batch, at: now, connection) }
        // With as many as one email takes, there may be more.
        let told = untold.count < Self.rows ? now : max(since + Self.overlap, untold.last?.at ?? now)
        try note(Self.mark, "", at: told, connection)
        for account in try RoleStore.admins(named: admins, eligibility, connection) {
            let id = "adm_" + Base64URL.encode(try randomness.bytes(16))
            try mail.enqueueNotice(
                id, kind: AdminNoticeMail.kind, subjectID: "\(batch) \(account.id)", now: now, connection)
        }
        return untold.count
    }

    /// From when on rows may not have been told; nil before the first round, which tells nothing of the past.
    private func since(_ connection: any SQLConnection) throws -> Timestamp? {
        try connection.query("SELECT created_at FROM admin_notice WHERE id = :id", ["id": .text(Self.mark)])
            .first.map { try $0.timestamp("created_at") - Self.overlap }
    }

    private func note(_ id: String, _ batch: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO admin_notice (id, batch, created_at) VALUES (:id, :batch, :now)
                ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at
            """, ["id": .text(id), "batch": .text(batch), "now": .timestamp(now)])
    }

    private func untold(since: Timestamp, limit: Int, _ connection: any SQLConnection) throws -> [AuditEntry] {
        try AdminNews.rows(since: since, limit: limit, connection) { row in
            try !connection.query(
                "SELECT 1 AS one FROM admin_notice WHERE id = :id", ["id": .text(Base64URL.encode(row.id))]
            ).isEmpty
        }
    }

    /// The ids of the audit rows of an email.
    static func rows(of batch: String, _ connection: any SQLConnection) throws -> [[UInt8]] {
        try connection.query(
            "SELECT id FROM admin_notice WHERE batch = :batch", ["batch": .text(batch)]
        ).compactMap { Base64URL.decode(try $0.text("id")) }
    }

    /// Removes rows whose emails have left, or cannot leave any more.
    package func purge(limit: Int) async throws -> Int {
        let old = clock.now() - Self.kept
        return try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM admin_notice WHERE id IN (
                    SELECT id FROM admin_notice WHERE created_at <= :old AND batch <> '' LIMIT :limit)
                """, ["old": .timestamp(old), "limit": .integer(Int64(limit))])
        }
    }
}
