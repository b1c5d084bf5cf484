import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `mail_queue` and `mail_outage`: the durable queue, and the number of emails for an address.
package struct MailQueue: Sendable {
    /// A process that sends an email renews its lease in every round. If the process dies, another one takes the email after
    /// this time. Far longer than the pause between two rounds, so that a slow disk does not cause an email to be sent
    /// twice.
    static let lease: Duration = .seconds(10)

    /// Decoys per round. They take no sending slot.
    static let decoysPerRound = 200
    /// No email with a code stays in the queue for longer: what it carries is valid for ten minutes at most.
    static let longestWait: Duration = .minutes(10)
    /// How long a notice waits for a mail server that is down.
    package static let noticeLifetime: Duration = .days(3)
    /// How many emails leave in a minute that an operator sends to many: a mail server that gets hundreds at once may take the
    /// sender for a spammer, and refuse the codes, too.
    package static let pacedPerMinute = 10
    /// Sending slots that notices leave free, so that slow ones cannot delay a code.
    static let slotsWithoutNotices = 3

    package let database: any Database
    let clock: ServiceClock
    let capacity: MailCapacity
    /// Whether emails are sent. Otherwise none is queued: notices of days would leave at once when a mail server comes.
    package let isOn: Bool

    package init(database: any Database, clock: ServiceClock, capacity: MailCapacity, isOn: Bool = true) {
        (self.database, self.clock, self.capacity, self.isOn) = (database, clock, capacity, isOn)
    }

    /// Puts an email in the queue, in the caller's transaction, that leaves when the budget of its mailbox and requester allows
    /// it: see ``nextAllowed(for:_:now:_:)``. Decoys count in the same way, so that no limit reveals who may sign in.
    ///
    /// - Parameter hasAccount: whether the address has signed in before.
    package func enqueue(
        _ email: QueuedMail, by requester: EmailRequester, hasAccount: Bool, leavesAt due: Timestamp,
        _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO mail_queue (id, address, kind, subject_id, device_id, network, has_account, created_at, due_at,
                                    expires_at)
            VALUES (:id, :address, :kind, :subject, :device, :network, :account, :due, :due, :expires)
            """,
            [
                "id": .text(email.id), "address": .text(email.address), "kind": .text(email.kind),
                "subject": .optional(email.subjectID),
                "device": .optional(requester.browserID), "network": .optional(requester.network),
                "account": .integer(hasAccount ? 1 : 0), "due": .timestamp(due),
                "expires": .timestamp(email.expiresAt),
            ])
    }

    /// When the next email may go to this mailbox, or nil for now.
    package func nextAllowed(for mailbox: String, _ requester: EmailRequester) async throws -> Timestamp? {
        let now = clock.now()
        return try await database.read { connection in
            try nextAllowed(for: mailbox, requester, now: now, connection)
        }
    }

    /// The same, in the caller's transaction.
    package func nextAllowed(
        for mailbox: String, _ requester: EmailRequester, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        try Self.nextAllowed(for: mailbox, requester, now: now, connection)
    }

    static func nextAllowed(
        for mailbox: String, _ requester: EmailRequester, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let earlier = try connection.query(
            """
            SELECT created_at, network FROM mail_queue
             WHERE address = :address AND COALESCE(device_id, '') = :device
               AND created_at > :since AND created_at <= :latest
             ORDER BY created_at DESC LIMIT \(MailRateLimit.depth)
            """,
            [
                "address": .text(mailbox), "device": .text(requester.browserID ?? ""),
                "since": .timestamp(now - MailRateLimit.window),
                // One that is further ahead was queued while the clock was wrong.
                "latest": .timestamp(now + longestWait + ClockSkew.tolerated),
            ])
        let networks = try earlier.map { try $0.optionalBlob("network") }
        return MailRateLimit.nextAllowed(
            after: try earlier.map { try $0.timestamp("created_at") },
            isReturning: requester.browserID == nil && requester.network.map { networks.contains($0) } ?? false,
            now: now)
    }

    /// Puts a notice in the queue, in the caller's transaction: an email that the user did not ask for and must get.
    ///
    /// It counts for no budget and no hourly limit, and neither holds it back: an attacker who asks for many codes must not
    /// be able to suppress it. The code that queues notices limits them.
    ///
    /// - Parameter isPaced: whether it is one of many that an operator sends: at most ``pacedPerMinute`` of them leave in a
    ///   minute.
    package func enqueueNotice(
        _ id: String, kind: String, subjectID: String, isPaced: Bool = false, now: Timestamp,
        _ connection: any SQLConnection
    ) throws {
        guard isOn else { return }
        // The address is read when it is sent. No user has the address "", and none has an email with an end of 0.
        try connection.execute(
            """
            INSERT INTO mail_queue (id, address, kind, subject_id, has_account, created_at, due_at, expires_at,
                                    notice_until, is_paced)
            VALUES (:id, '', :kind, :subject, 1, :now, :now, 0, :until, :paced)
            """,
            [
                "id": .text(id), "kind": .text(kind), "subject": .text(subjectID), "now": .timestamp(now),
                "until": .timestamp(now + Self.noticeLifetime), "paced": .integer(isPaced ? 1 : 0),
            ])
    }

    /// Puts an email in the queue that a mailbox gets at most once in a while, in the caller's transaction: none while an earlier
    /// one waits, or was sent within `span`. A decoy keeps no real email away.
    ///
    /// - Parameter email: its `address` names what is counted, and is no mailbox: it uses up the budget of none.
    package func enqueue(
        _ email: QueuedMail, oncePer span: Duration, hasAccount: Bool, now: Timestamp, _ connection: any SQLConnection
    ) throws {
        let isDecoy: SQLValue = .integer(email.subjectID == nil ? 1 : 0)
        let earlier = try connection.query(
            """
            SELECT 1 FROM mail_queue
             WHERE address = :address AND CASE WHEN subject_id IS NULL THEN 1 ELSE 0 END = :decoy
               AND (sent_at > :since OR (sent_at IS NULL AND expires_at > :now))
             LIMIT 1
            """,
            [
                "address": .text(email.address), "decoy": isDecoy, "since": .timestamp(now - span),
                "now": .timestamp(now),
            ])
        guard earlier.isEmpty else { return }
        try connection.execute(
            """
            INSERT INTO mail_queue (id, address, kind, subject_id, has_account, created_at, due_at, expires_at)
            VALUES (:id, :address, :kind, :subject, :account, :now, :now, :expires)
            """,
            [
                "id": .text(email.id), "address": .text(email.address), "kind": .text(email.kind),
                "subject": .optional(email.subjectID), "account": .integer(hasAccount ? 1 : 0),
                "now": .timestamp(now), "expires": .timestamp(email.expiresAt),
            ])
    }

    /// How many emails to a mailbox unknown browsers have asked for within a day, at most ten.
    package func countOfDay(for mailbox: String, now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        try connection.query(
            """
            SELECT 1 FROM mail_queue WHERE address = :address AND device_id IS NULL AND created_at > :since
             LIMIT \(MailRateLimit.depth)
            """, ["address": .text(mailbox), "since": .timestamp(now - MailRateLimit.window)]
        ).count
    }

    /// Removes emails that no longer count for any limit and no longer wait.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM mail_queue WHERE id IN (
                SELECT id FROM mail_queue
                 WHERE created_at <= :old AND (notice_until IS NULL OR notice_until <= :now OR sent_at IS NOT NULL)
                 LIMIT :limit)
            """, ["old": .timestamp(now - MailRateLimit.window), "now": .timestamp(now)], limit: limit)
    }
}

/// Who asks for an email, as far as budgets count it.
package struct EmailRequester: Sendable {
    /// The known browser that asks, whose budget the queue counts; nil for an unknown one: these share a budget.
    package let browserID: String?
    /// A keyed hash of the network that asks; nil where networks cannot be told apart.
    let network: [UInt8]?

    package init(browserID: String?, network: [UInt8]?) {
        (self.browserID, self.network) = (browserID, network)
    }
}

/// Owns the rule how many emails one mailbox gets: one per minute, 5 per hour, 10 per day for all unknown browsers
/// together, and the same again for each known browser. It protects the owner of the mailbox from a visitor who keeps
/// asking (ASVS 2.4.1), and counts the same for addresses that may not sign in.
///
/// A network that has asked for this mailbox within the day gets no more than 3 per hour and 6 per day of the unknown
/// browsers' budget. The rest is kept for networks that have not, so that one network cannot use it up.
enum MailRateLimit {
    private struct Rule {
        let count: Int
        let span: Duration
    }

    private static let rules = [
        Rule(count: 1, span: .minutes(1)), Rule(count: 5, span: .hours(1)), Rule(count: 10, span: .days(1)),
    ]
    private static let returningRules = [
        Rule(count: 1, span: .minutes(1)), Rule(count: 3, span: .hours(1)), Rule(count: 6, span: .days(1)),
    ]
    /// How far back emails count.
    static let window: Duration = .days(1)
    /// How many of the newest emails a decision needs.
    static let depth = 10

    /// When the next email may go, or nil for now.
    ///
    /// - Parameters:
    ///   - earlier: when emails of this budget were put in the queue, in any order.
    ///   - isReturning: whether the network that asks has asked for this mailbox within the day.
    static func nextAllowed(after earlier: [Timestamp], isReturning: Bool = false, now: Timestamp) -> Timestamp? {
        let newestFirst = earlier.sorted(by: >)
        let ends = (isReturning ? returningRules : rules).compactMap { rule -> Timestamp? in
            guard newestFirst.count >= rule.count else { return nil }
            // The email that must be older than the span before another one fits in.
            let end = newestFirst[rule.count - 1] + rule.span
            return end > now ? end : nil
        }
        return ends.max()
    }
}
