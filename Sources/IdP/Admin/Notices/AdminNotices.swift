import IdPAccounts
import IdPClients
package import IdPFlow
import IdPMail
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// Tells all admins by email what somebody who has taken over one of them could do unseen: a changed role, client, secret, a removed
/// passkey, an admin who is kept out, and an export. Who is no admin any more is told, too.
///
/// Owns the rows of `admin_notice`: the rows of the audit log that were told, up to when they were looked for (`mark`), and from
/// when on (`start`). The audit log is written in the transaction of the change, by pages and commands alike, so nothing is told that did not happen, and
/// nothing that happened is left out. The first email leaves at once, and further changes are collected for five minutes.
package struct AdminNotices: Sendable {
    /// The table, for the migrations. `batch` is empty in the rows `mark` and `start`.
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
    /// The clock of a command may be so far behind that of the program, which is not set back.
    private static let slowest: Duration = .days(1)
    private static let kept: Duration = .days(8)
    /// Of one email. What is beyond follows with the next.
    static let rows = 200
    private static let (mark, start) = ("mark", "start")
    /// At the end of the subject id of an email with the rows about its account alone.
    static let own = "own"

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
        let (isDue, isOld) = try await database.read { connection in
            guard let looked = try Looked(connection) else { return (false, true) }
            guard try !isCollecting(at: now, connection) else { return (false, false) }
            let (isOld, since) = (looked.isOld(at: now), looked.since(now))
            return (try !untold(since: since, limit: 1, connection).isEmpty, isOld)
        }
        guard isDue || isOld else { return 0 }
        return try await database.write { connection in
            guard isDue else {
                try note(mark: now, connection)
                return 0
            }
            return try tell(at: now, connection)
        }
    }

    private func tell(at now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        guard let looked = try Looked(connection), try !isCollecting(at: now, connection) else { return 0 }
        let untold = try untold(since: looked.earliest(now), limit: Self.rows, connection)
        let batch = "adn_" + Base64URL.encode(try randomness.bytes(16))
        for row in untold { try note(Base64URL.encode(row.id), batch, at: now, connection) }
        // With as many as one email takes, there may be more.
        try note(mark: untold.count < Self.rows ? now : min(now, untold.last?.at ?? now), connection)
        let told = try RoleStore.admins(named: admins, eligibility, connection).map(\.id)
        // Who is no admin any more is told of that alone.
        let others = AdminNews.keptOut(by: untold).subtracting(told).sorted().map { "\(batch) \($0) \(Self.own)" }
        for subject in told.map({ "\(batch) \($0)" }) + others where !untold.isEmpty {
            let id = "adm_" + Base64URL.encode(try randomness.bytes(16))
            try mail.enqueueNotice(id, kind: AdminNoticeMail.kind, subjectID: subject, now: now, connection)
        }
        return untold.count
    }

    /// Up to when rows were looked for. Missing before the first round, which tells nothing of the past.
    private struct Looked {
        let start, mark: Timestamp

        init?(_ connection: any SQLConnection) throws {
            func moment(_ id: String) throws -> Timestamp? {
                try connection.query("SELECT created_at FROM admin_notice WHERE id = :id", ["id": .text(id)])
                    .first?.timestamp("created_at")
            }
            guard let mark = try moment(AdminNotices.mark) else { return nil }
            self.mark = mark
            start = try moment(AdminNotices.start) ?? mark - AdminNotices.overlap
        }

        /// One from the future was written while the clock was wrong.
        func isOld(at now: Timestamp) -> Bool { mark > now || now - mark > .minutes(1) }

        /// Where a round looks from: once in a minute from the earliest moment, which would cost too much each time.
        func since(_ now: Timestamp) -> Timestamp {
            isOld(at: now) ? earliest(now) : max(earliest(now), mark - AdminNotices.overlap)
        }

        func earliest(_ now: Timestamp) -> Timestamp {
            let slow = min(mark, now) - AdminNotices.slowest
            return start <= now ? max(start, slow) : slow
        }
    }

    /// Whether an email was queued within the last five minutes.
    private func isCollecting(at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        let last = try connection.query("SELECT MAX(created_at) AS last FROM admin_notice WHERE batch <> ''")
            .first?.optionalTimestamp("last")
        // One from the future was written while the clock was wrong.
        return last.map { $0 <= now && now - $0 < Self.interval } ?? false
    }

    /// The start is that of the first round.
    private func note(mark moment: Timestamp, _ connection: any SQLConnection) throws {
        try note(Self.mark, "", at: moment, connection)
        try connection.execute(
            "INSERT INTO admin_notice (id, batch, created_at) VALUES (:id, '', :start) ON CONFLICT (id) DO NOTHING",
            ["id": .text(Self.start), "start": .timestamp(moment - Self.overlap)])
    }

    private func note(_ id: String, _ batch: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO admin_notice (id, batch, created_at) VALUES (:id, :batch, :now)
                ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at
            """, ["id": .text(id), "batch": .text(batch), "now": .timestamp(now)])
    }

    private func untold(since: Timestamp, limit: Int, _ connection: any SQLConnection) throws -> [AuditEntry] {
        try AdminNews.rows(since: since, limit: limit, named: admins, connection) { row in
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
        return try await database.purge(
            """
            DELETE FROM admin_notice WHERE id IN (
                SELECT id FROM admin_notice WHERE created_at <= :old AND batch <> '' LIMIT :limit)
            """, ["old": .timestamp(old)], limit: limit)
    }
}
