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
        case postponed(Timestamp)
    }

    let id: String
    let outcome: Outcome
}

/// Owns the rows of `letter`: the durable queue, and the count of letters for an address.
struct LetterStore: Sendable {
    /// While a process sends a letter, it says so again and again, and the others leave it alone; if the process dies,
    /// they may have it after this. Far above the pause from one round to the next, so that a busy disk takes no letter
    /// away that is on its way.
    static let lease: Duration = .seconds(10)

    let database: any Database
    let clock: ServiceClock
    /// Letters an hour over all addresses (`IDP_MAIL_HOURLY_LIMIT`): a stranger must not turn us into a spammer.
    let hourlyLimit: Int

    /// Puts a letter in the queue, in the caller's transaction, within the limits of its address.
    ///
    /// A letter that repeats a code is left out when its time has not come. One with a new code waits for its time:
    /// nobody else carries that code. If that comes after the code has expired, the letter is left out as well.
    /// Counts a letter that will not be sent just the same, so that no limit tells who may sign in.
    ///
    /// - Parameter isRepeat: whether a letter with this code is in the queue or sent already.
    /// - Returns: when the letter leaves, nil for one that was left out.
    func enqueue(
        _ letter: QueuedLetter, isRepeat: Bool, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let allowed = try nextAllowed(for: letter.address, now: now, connection)
        guard allowed == nil || !isRepeat else { return nil }
        let due = allowed ?? now
        guard due < letter.expiresAt else { return nil }
        let recent = try connection.query(
            """
            SELECT COUNT(*) AS count FROM (
                SELECT 1 FROM letter WHERE created_at > :since AND challenge_id IS NOT NULL LIMIT :limit) AS recent
            """, ["since": .timestamp(now - .hours(1)), "limit": .integer(Int64(hourlyLimit))]
        ).first?.integer("count")
        let mayLeave = recent ?? 0 < Int64(hourlyLimit)
        try connection.execute(
            """
            INSERT INTO letter (id, address, challenge_id, created_at, due_at, expires_at)
            VALUES (:id, :address, :challenge, :due, :due, :expires)
            """,
            [
                "id": .text(letter.id), "address": .text(letter.address),
                "challenge": .optional(mayLeave ? letter.challengeID : nil), "due": .timestamp(due),
                "expires": .timestamp(letter.expiresAt),
            ])
        return due
    }

    /// When the next letter to this address may go, or nil for now.
    func nextAllowed(for address: String) async throws -> Timestamp? {
        let now = clock.now()
        return try await database.read { connection in try nextAllowed(for: address, now: now, connection) }
    }

    private func nextAllowed(
        for address: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let earlier = try connection.query(
            """
            SELECT created_at FROM letter
             WHERE address = :address AND created_at > :since AND created_at <= :latest
             ORDER BY created_at DESC LIMIT \(LetterLimit.depth)
            """,
            [
                "address": .text(address), "since": .timestamp(now - LetterLimit.window),
                // A letter waits ten minutes at most. One further ahead stems from a clock that was wrong.
                "latest": .timestamp(now + Challenge.lifetime + ClockSkew.tolerated),
            ])
        return LetterLimit.nextAllowed(after: try earlier.map { try $0.timestamp("created_at") }, now: now)
    }

    /// Writes what became of letters, holds those that are on their way, and takes others that are due, so that no other
    /// process takes them meanwhile.
    ///
    /// In one transaction, and for letters to nobody just the same: a stranger who measures how long the next write
    /// waits must not see more commits behind one address than behind another.
    func exchange(
        _ settled: [SettledLetter], holding held: [String] = [], forNext count: Int
    ) async throws -> [QueuedLetter] {
        let now = clock.now()
        return try await database.write { connection in
            for letter in settled { try settle(letter, connection) }
            for id in held {
                try connection.execute(
                    "UPDATE letter SET due_at = :lease WHERE id = :id",
                    ["lease": .timestamp(now + Self.lease), "id": .text(id)])
            }
            return try connection.query(
                """
                UPDATE letter SET due_at = :lease, attempts = attempts + 1 WHERE id IN (
                    SELECT id FROM letter
                     WHERE sent_at IS NULL AND due_at <= :now AND expires_at > :now
                     ORDER BY due_at LIMIT :count)
                RETURNING id, address, challenge_id, expires_at, attempts
                """,
                [
                    "lease": .timestamp(now + Self.lease), "now": .timestamp(now), "count": .integer(Int64(count)),
                ]
            ).map { row in
                QueuedLetter(
                    id: try row.text("id"), address: try row.text("address"),
                    challengeID: try row.optionalText("challenge_id"), expiresAt: try row.timestamp("expires_at"),
                    attempts: Int(try row.integer("attempts")))
            }
        }
    }

    private func settle(_ letter: SettledLetter, _ connection: any SQLConnection) throws {
        switch letter.outcome {
        case .sent(let moment):
            try connection.execute(
                "UPDATE letter SET sent_at = :moment WHERE id = :id",
                ["moment": .timestamp(moment), "id": .text(letter.id)])
        case .postponed(let moment):
            try connection.execute(
                "UPDATE letter SET due_at = :moment WHERE id = :id",
                ["moment": .timestamp(moment), "id": .text(letter.id)])
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
