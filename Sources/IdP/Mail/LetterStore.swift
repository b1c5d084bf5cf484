import SSOShared
import SSOWeb

/// A letter in the queue. It holds no code and no link: what is written is made when it goes.
struct QueuedLetter: Sendable {
    let id: String
    let address: String
    /// Nil for a letter that goes the way of all others and reaches nobody: its address may not sign in.
    let challengeID: String?
    let expiresAt: Timestamp
    var attempts = 0
}

/// What became of a letter that was taken from the queue.
struct SettledLetter: Sendable {
    enum Outcome: Sendable {
        case sent(Timestamp)
        /// To be tried again, from this moment.
        ///
        /// - Parameter isOutage: whether the mail server takes no email at all.
        case postponed(Timestamp, isOutage: Bool = false)
    }

    let id: String
    let outcome: Outcome
    /// Whether it was a real email: a decoy knows nothing of the mail server.
    var isReal = true
}

/// Owns the rows of `letter`: the durable queue, and the count of letters for an address.
struct LetterStore: Sendable {
    /// While a process sends a letter, it says so again and again, and the others leave it alone; if the process dies,
    /// they may have it after this. Far above the pause from one round to the next, so that a busy disk takes no letter
    /// away that is on its way.
    static let lease: Duration = .seconds(10)

    /// Decoys that one round passes on. They take no place of a real email, and only wait behind each other.
    static let decoysPerRound = 200

    let database: any Database
    let clock: ServiceClock
    let capacity: MailCapacity

    /// Puts an email in the queue, in the caller's transaction, within the budget of its mailbox and requester.
    ///
    /// An email that repeats a code is left out when its time has not come. One with a new code waits for its time:
    /// no other email carries that code. If that comes after the code has expired, the email is left out as well.
    /// Counts a decoy just the same, so that no limit tells who may sign in.
    ///
    /// - Parameters:
    ///   - hasAccount: whether the address has signed in before.
    ///   - isRepeat: whether an email with this code is in the queue or sent already.
    /// - Returns: when the email leaves, nil for one that was left out.
    func enqueue(
        _ letter: QueuedLetter, by requester: EmailRequester, hasAccount: Bool, isRepeat: Bool, now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let allowed = try nextAllowed(for: letter.address, requester, now: now, connection)
        guard allowed == nil || !isRepeat else { return nil }
        let due = allowed ?? now
        guard due < letter.expiresAt else { return nil }
        try connection.execute(
            """
            INSERT INTO letter (id, address, challenge_id, device_id, network, has_account, created_at, due_at, expires_at)
            VALUES (:id, :address, :challenge, :device, :network, :account, :due, :due, :expires)
            """,
            [
                "id": .text(letter.id), "address": .text(letter.address), "challenge": .optional(letter.challengeID),
                "device": .optional(requester.deviceID), "network": .optional(requester.network),
                "account": .integer(hasAccount ? 1 : 0), "due": .timestamp(due),
                "expires": .timestamp(letter.expiresAt),
            ])
        return due
    }

    /// When the next email may go to this mailbox, or nil for now.
    func nextAllowed(for mailbox: String, _ requester: EmailRequester) async throws -> Timestamp? {
        let now = clock.now()
        return try await database.read { connection in
            try nextAllowed(for: mailbox, requester, now: now, connection)
        }
    }

    private func nextAllowed(
        for mailbox: String, _ requester: EmailRequester, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let earlier = try connection.query(
            """
            SELECT created_at, network FROM letter
             WHERE address = :address AND COALESCE(device_id, '') = :device
               AND created_at > :since AND created_at <= :latest
             ORDER BY created_at DESC LIMIT \(LetterLimit.depth)
            """,
            [
                "address": .text(mailbox), "device": .text(requester.deviceID ?? ""),
                "since": .timestamp(now - LetterLimit.window),
                // An email waits ten minutes at most. One further ahead stems from a clock that was wrong.
                "latest": .timestamp(now + Challenge.lifetime + ClockSkew.tolerated),
            ])
        let networks = try earlier.map { try $0.optionalBlob("network") }
        return LetterLimit.nextAllowed(
            after: try earlier.map { try $0.timestamp("created_at") },
            isReturning: requester.deviceID == nil && requester.network.map { networks.contains($0) } ?? false,
            now: now)
    }

    /// How many emails went to a mailbox within the day at the wish of unknown browsers.
    func countOfDay(for mailbox: String) async throws -> Int {
        let now = clock.now()
        return try await database.read { connection in
            try connection.query(
                """
                SELECT 1 FROM letter WHERE address = :address AND device_id IS NULL AND created_at > :since
                 LIMIT \(LetterLimit.depth)
                """, ["address": .text(mailbox), "since": .timestamp(now - LetterLimit.window)]
            ).count
        }
    }

    /// What one round of the queue takes.
    struct Round: Sendable {
        var letters: [QueuedLetter] = []
        var level = MailCapacity.Level.all
        /// Emails that count towards the limit.
        var sent = 0
    }

    /// Writes what became of emails, holds those that are on their way, and takes others that are due, so that no other
    /// process takes them meanwhile.
    ///
    /// In one transaction, and for decoys just the same: a visitor who measures how long the next write waits must not
    /// see more commits behind one address than behind another. Decoys are taken beside the real emails, never in their
    /// places, so a flood of unknown addresses delays no real email.
    ///
    /// - Parameters:
    ///   - count: how many real emails there is a place for.
    ///   - decoys: how many decoys may be taken.
    ///   - underWay: how many real emails are on their way: they count as sent.
    func exchange(
        _ settled: [SettledLetter], holding held: [String] = [], forNext count: Int, decoys: Int = 0, underWay: Int = 0
    ) async throws -> Round {
        let now = clock.now()
        return try await database.write { connection in
            for letter in settled { try settle(letter, now, connection) }
            for id in held {
                try connection.execute(
                    "UPDATE letter SET due_at = :lease WHERE id = :id",
                    ["lease": .timestamp(now + Self.lease), "id": .text(id)])
            }
            var sent = try sentWithinTheHour(now, connection) + underWay
            var round = Round(level: capacity.level(sent: sent), sent: sent)
            let real = "challenge_id IS NOT NULL AND"
            round.letters = try take("\(real) device_id IS NOT NULL", count, now, connection)
            for (condition, limit) in [
                ("\(real) device_id IS NULL AND has_account = 1", capacity.limit),
                ("\(real) device_id IS NULL AND has_account = 0", capacity.shareOfNewAddresses),
            ] {
                let taken = try take(condition, min(count - round.letters.count, limit - sent), now, connection)
                round.letters += taken
                sent += taken.count
            }
            // Held back like emails to addresses without an account.
            if round.level == .all { round.letters += try take("challenge_id IS NULL", decoys, now, connection) }
            return round
        }
    }

    private func sentWithinTheHour(_ now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        let rows = try connection.query(
            """
            SELECT COUNT(*) AS count FROM (
                SELECT 1 FROM letter
                 WHERE created_at > :since AND challenge_id IS NOT NULL AND sent_at IS NOT NULL AND device_id IS NULL
                 LIMIT :limit) AS sent
            """, ["since": .timestamp(now - .hours(1)), "limit": .integer(Int64(capacity.limit))])
        return Int(try rows.first?.integer("count") ?? 0)
    }

    private func take(
        _ condition: String, _ count: Int, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> [QueuedLetter] {
        guard count > 0 else { return [] }
        return try connection.query(
            """
            UPDATE letter SET due_at = :lease, attempts = attempts + 1 WHERE id IN (
                SELECT id FROM letter
                 WHERE sent_at IS NULL AND due_at > :oldest AND due_at <= :now AND expires_at > :now AND \(condition)
                 ORDER BY due_at LIMIT :count)
            RETURNING id, address, challenge_id, expires_at, attempts
            """,
            [
                "lease": .timestamp(now + Self.lease), "now": .timestamp(now), "count": .integer(Int64(count)),
                // Whatever was due earlier has expired: the search passes over it.
                "oldest": .timestamp(now - Challenge.lifetime),
            ]
        ).map { row in
            QueuedLetter(
                id: try row.text("id"), address: try row.text("address"),
                challengeID: try row.optionalText("challenge_id"), expiresAt: try row.timestamp("expires_at"),
                attempts: Int(try row.integer("attempts")))
        }
    }

    private func settle(_ letter: SettledLetter, _ now: Timestamp, _ connection: any SQLConnection) throws {
        switch letter.outcome {
        case .sent(let moment):
            try connection.execute(
                "UPDATE letter SET sent_at = :moment WHERE id = :id",
                ["moment": .timestamp(moment), "id": .text(letter.id)])
            if letter.isReal { try connection.execute("DELETE FROM mail_outage") }
        case .postponed(let moment, let isOutage):
            try connection.execute(
                "UPDATE letter SET due_at = :moment WHERE id = :id",
                ["moment": .timestamp(moment), "id": .text(letter.id)])
            guard letter.isReal, isOutage else { return }
            try connection.execute(
                """
                INSERT INTO mail_outage (id, since)
                SELECT 1, created_at FROM letter WHERE id = :id ON CONFLICT (id) DO NOTHING
                """, ["id": .text(letter.id)])
        }
    }

    /// Removes letters that count for no limit any more.
    func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM letter WHERE id IN (SELECT id FROM letter WHERE created_at <= :old LIMIT :limit)
                """, ["old": .timestamp(now - LetterLimit.window), "limit": .integer(Int64(limit))])
        }
    }
}
