import Logging
import SSOShared
package import SSOWeb
package import Storage

/// What the sender does with the queue.
extension MailQueue {
    /// What one round of the queue takes.
    struct Round: Sendable {
        var emails: [QueuedMail] = []
        var level = MailCapacity.Level.all
        /// Emails that count towards the limit.
        var sent = 0
        var at = Timestamp(milliseconds: 0)
        /// Whether it has left no email that is due.
        var isDrained = true
        /// When the first email was due that found the mail server down. Nil while it works.
        var outageSince: Timestamp?
    }

    /// Says that something happens in a transaction: its row is written now, and its line follows the commit.
    package typealias Record = @Sendable (Event, any SQLConnection) throws -> Void

    /// Writes the results of deliveries, renews the leases of emails that are being sent, and takes emails that are due, so
    /// that no other process takes them.
    ///
    /// One transaction for real emails and decoys: a visitor who measures how long the next write takes must not see more
    /// commits for one address than for another. Decoys take no sending slot, so a flood of unknown addresses cannot delay
    /// real mail.
    ///
    /// - Parameters:
    ///   - count: how many real emails there are sending slots for.
    ///   - decoys: how many decoys may be taken.
    ///   - underWay: how many real emails are being sent: they count as sent.
    ///   - record: for what became of the emails.
    func exchange(
        _ settled: [DeliveryResult], holding held: [String] = [], forNext count: Int, decoys: Int = 0,
        underWay: Int = 0, record: @escaping Record
    ) async throws -> Round {
        let now = clock.now()
        return try await database.write { connection in
            for result in settled { try settle(result, now, connection) }
            for id in held {
                try connection.execute(
                    "UPDATE mail_queue SET due_at = :lease WHERE id = :id",
                    ["lease": .timestamp(now + Self.lease), "id": .text(id)])
            }
            var sent = try sentWithinTheHour(now, connection) + underWay
            var round = Round(level: capacity.level(sent: sent), sent: sent, at: now)
            let dropped = try dropExpired(now, connection)
            let real = "subject_id IS NOT NULL AND"
            round.emails = try take("\(real) device_id IS NOT NULL", count, now, connection)
            for (condition, limit) in [
                ("\(real) device_id IS NULL AND has_account = 1", capacity.limit),
                ("\(real) device_id IS NULL AND has_account = 0", capacity.shareOfNewAddresses),
            ] {
                let taken = try take(condition, min(count - round.emails.count, limit - sent), now, connection)
                round.emails += taken
                sent += taken.count
            }
            round.isDrained = round.emails.count < count && sent < capacity.shareOfNewAddresses
            let free = count - Self.slotsWithoutNotices
            round.emails += try takeNotices(free - round.emails.count, now, connection)
            round.emails += try takePaced(free - round.emails.count, now, connection)
            // Held back like emails to addresses without an account.
            if round.level == .all {
                let taken = try take("subject_id IS NULL", decoys, now, connection)
                round.isDrained = round.isDrained && taken.count < decoys
                round.emails += taken
            }
            round.outageSince = try connection.query("SELECT since FROM mail_outage").first?.timestamp("since")
            try say(settled, dropped: dropped, record, connection)
            return round
        }
    }

    /// Records what became of emails. After everything else, and of each event at once: these rows count what visitors cause, and
    /// two processes that counted in another order would wait for each other.
    ///
    /// - Parameter dropped: how many emails have expired while they waited.
    private func say(
        _ settled: [DeliveryResult], dropped: Int, _ record: Record, _ connection: any SQLConnection
    ) throws {
        var events = settled.compactMap { $0.event?.only(in: .row) }
        let expired = dropped + settled.count(where: \.hasExpired)
        if expired > 0 {
            // Those that expire after a try have rows of their own.
            let event = Event(.mailNotSent, cause: "expired", detail: "\(dropped)", ["emails": .number(expired)])
            events.append(dropped > 0 ? event : event.only(in: .log))
        }
        for event in events.sorted(by: { $0.kind.countedAs < $1.kind.countedAs }) { try record(event, connection) }
    }

    /// Takes emails out of the search whose code has ended while they waited: ``take(_:_:_:_:)`` passes over them. The same for
    /// decoys, which count for nothing.
    ///
    /// - Returns: how many real emails nobody has named as expired. The last try of an email names it.
    private func dropExpired(_ now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        try ["subject_id IS NOT NULL", "subject_id IS NULL"].reduce(0) { count, kind in
            let expired = """
                FROM mail_queue
                 WHERE sent_at IS NULL AND \(kind) AND due_at > 0 AND due_at <= :now AND expires_at <= :now
                   AND notice_until IS NULL
                 ORDER BY due_at, id LIMIT \(Self.decoysPerRound)
                """
            let rows = try connection.query(
                "SELECT subject_id, due_at, expires_at \(expired)", ["now": .timestamp(now)])
            guard !rows.isEmpty else { return count }
            try connection.execute(
                "UPDATE mail_queue SET due_at = 0 WHERE id IN (SELECT id \(expired))", ["now": .timestamp(now)])
            return try count
                + rows.count {
                    try $0.optionalText("subject_id") != nil && $0.timestamp("due_at") < $0.timestamp("expires_at")
                }
        }
    }

    private func sentWithinTheHour(_ now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        let rows = try connection.query(
            """
            SELECT COUNT(*) AS count FROM (
                SELECT 1 FROM mail_queue
                 WHERE created_at > :since AND subject_id IS NOT NULL AND sent_at IS NOT NULL AND device_id IS NULL
                   AND notice_until IS NULL
                 LIMIT :limit) AS sent
            """, ["since": .timestamp(now - .hours(1)), "limit": .integer(Int64(capacity.limit))])
        return Int(try rows.first?.integer("count") ?? 0)
    }

    private func take(
        _ condition: String, _ count: Int, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> [QueuedMail] {
        guard count > 0 else { return [] }
        return try connection.query(
            """
            UPDATE mail_queue SET due_at = :lease, attempts = attempts + 1 WHERE id IN (
                SELECT id FROM mail_queue
                 WHERE sent_at IS NULL AND due_at > :oldest AND due_at <= :now AND expires_at > :now AND \(condition)
                 ORDER BY due_at LIMIT :count)
            RETURNING id, address, kind, subject_id, expires_at, attempts
            """,
            [
                "lease": .timestamp(now + Self.lease), "now": .timestamp(now), "count": .integer(Int64(count)),
                // What was due earlier has expired. The search skips it.
                "oldest": .timestamp(now - Self.longestWait),
            ]
        ).map { try QueuedMail($0, expiresAt: $0.timestamp("expires_at")) }
    }

    /// However long ago a notice was due: a program that was down must not lose it.
    private func takeNotices(
        _ count: Int, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> [QueuedMail] {
        guard count > 0 else { return [] }
        return try connection.query(
            """
            UPDATE mail_queue SET due_at = :lease, attempts = attempts + 1 WHERE id IN (
                SELECT id FROM mail_queue
                 WHERE sent_at IS NULL AND notice_until > :now AND due_at <= :now AND is_paced = 0
                 ORDER BY due_at LIMIT :count)
            RETURNING id, address, kind, subject_id, notice_until, attempts
            """,
            [
                "lease": .timestamp(now + Self.lease), "now": .timestamp(now), "count": .integer(Int64(count)),
            ]
        ).map { try QueuedMail($0, expiresAt: $0.timestamp("notice_until"), isNotice: true) }
    }

    /// As ``takeNotices(_:_:_:)``, for what leaves at a pace. Each try counts: a server that refuses some must not be asked
    /// more often.
    private func takePaced(
        _ count: Int, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> [QueuedMail] {
        guard count > 0 else { return [] }
        let due = try connection.query(
            """
            SELECT id FROM mail_queue
             WHERE sent_at IS NULL AND notice_until > :now AND due_at <= :now AND is_paced = 1
             ORDER BY due_at, created_at, id LIMIT :count
            """, ["now": .timestamp(now), "count": .integer(Int64(min(count, Self.pacedPerMinute)))])
        guard !due.isEmpty else { return [] }
        let taken = try connection.query(
            "SELECT 1 FROM mail_queue WHERE taken_at > :since AND taken_at <= :now LIMIT :limit",
            [
                "since": .timestamp(now - .minutes(1)), "now": .timestamp(now),
                "limit": .integer(Int64(Self.pacedPerMinute)),
            ]
        ).count
        return try due.prefix(max(0, Self.pacedPerMinute - taken)).flatMap { row in
            try connection.query(
                """
                UPDATE mail_queue SET due_at = :lease, attempts = attempts + 1, taken_at = :now WHERE id = :id
                RETURNING id, address, kind, subject_id, notice_until, attempts
                """,
                ["lease": .timestamp(now + Self.lease), "now": .timestamp(now), "id": .text(try row.text("id"))])
        }.map { try QueuedMail($0, expiresAt: $0.timestamp("notice_until"), isNotice: true) }
    }

    private func settle(_ result: DeliveryResult, _ now: Timestamp, _ connection: any SQLConnection) throws {
        switch result.outcome {
        case .sent(let moment):
            try connection.execute(
                "UPDATE mail_queue SET sent_at = :moment WHERE id = :id",
                ["moment": .timestamp(moment), "id": .text(result.id)])
            if result.isContact { try connection.execute("DELETE FROM mail_outage") }
        case .postponed(let moment, let isOutage):
            try connection.execute(
                "UPDATE mail_queue SET due_at = :moment WHERE id = :id",
                ["moment": .timestamp(moment), "id": .text(result.id)])
            guard result.isContact, isOutage else { return }
            try connection.execute(
                """
                INSERT INTO mail_outage (id, since)
                SELECT 1, created_at FROM mail_queue WHERE id = :id AND notice_until IS NULL
                    ON CONFLICT (id) DO UPDATE SET since = excluded.since
                     WHERE excluded.since < mail_outage.since
                       AND (SELECT attempts FROM mail_queue WHERE id = :id) <= 1
                """,
                // Of several that failed at once, an older one may end later.
                ["id": .text(result.id)])
        }
    }
}

/// Owns the rule how many emails leave in an hour over all addresses (`IDP_MAIL_HOURLY_LIMIT`), so that visitors
/// cannot use the IdP to send spam. Only emails that were handed to the mail server count.
///
/// The last three of ten places are kept for addresses that have an account, so that invented addresses cannot use up all
/// of them. Emails that known browsers ask for are not held back: each has a small budget of its own.
package struct MailCapacity: Sendable, Equatable {
    /// Which emails may leave.
    enum Level: Int64, Sendable, CaseIterable {
        case knownBrowsersOnly, accountsOnly, all
    }

    package static let hourlyLimit = Setting(
        "IDP_MAIL_HOURLY_LIMIT", default: 1000, in: 1...1_000_000, example: "5000",
        "Emails per hour across all addresses. Further emails wait. A share is kept for accounts.")

    let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    /// How many emails addresses without an account can use.
    var shareOfNewAddresses: Int { (limit * 7 + 9) / 10 }

    /// - Parameter sent: emails handed over within the last hour.
    func level(sent: Int) -> Level {
        sent >= limit ? .knownBrowsersOnly : sent >= shareOfNewAddresses ? .accountsOnly : .all
    }
}
