import SSOShared
import SSOWeb

/// Owns the counting of guesses: rows of `code_guess`, and `tries` of `challenge`.
struct EmailCodeStore: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness

    /// What counting a guess led to.
    enum Counted: Sendable {
        /// Counted as wrong until it proves right: compare now.
        case compare(Challenge, guessID: String)
        /// The challenge takes no more: used, expired, unknown, or five wrong codes.
        case dead
        /// The account pauses.
        case paused
    }

    /// Counts one guess before anybody compares it, durably: of a hundred at the same instant no more are compared
    /// than the limits allow, in however many processes, and a crash in between counts as wrong.
    func count(guessOn challengeID: String) async throws -> Counted {
        let guessID = Base64URL.encode(try randomness.bytes(16))
        let now = clock.now()
        return try await database.write { connection in
            guard
                let address = try connection.query(
                    "SELECT address FROM challenge WHERE id = :id", ["id": .text(challengeID)]
                ).first?.text("address")
            else { return .dead }
            guard try Self.pause(of: address, now: now, connection) == nil else { return .paused }
            let rows = try connection.query(
                """
                UPDATE challenge SET tries = tries + 1
                 WHERE id = :id AND tries < :maximum AND used_at IS NULL AND expires_at > :now
                RETURNING *
                """,
                [
                    "id": .text(challengeID), "maximum": .integer(Int64(Challenge.maximumTries)),
                    "now": .timestamp(now),
                ])
            guard let challenge = try rows.first.map(Challenge.init) else { return .dead }
            try connection.execute(
                "INSERT INTO code_guess (id, address, guessed_at) VALUES (:id, :address, :now)",
                ["id": .text(guessID), "address": .text(address), "now": .timestamp(now)])
            return .compare(challenge, guessID: guessID)
        }
    }

    /// Counts a guess no longer as wrong.
    func takeBack(_ guessID: String) async throws {
        try await database.write { connection in
            _ = try connection.execute("DELETE FROM code_guess WHERE id = :id", ["id": .text(guessID)])
        }
    }

    /// Until when the address pauses, for the page.
    func pausedUntil(_ address: String) async throws -> Timestamp? {
        let now = clock.now()
        return try await database.read { connection in try Self.pause(of: address, now: now, connection) }
    }

    private static func pause(
        of address: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let failures = try connection.query(
            """
            SELECT guessed_at FROM code_guess WHERE address = :address AND guessed_at > :since AND guessed_at <= :skewed
             ORDER BY guessed_at DESC LIMIT \(GuessLimit.maximum)
            """,
            [
                "address": .text(address), "since": .timestamp(now - GuessLimit.window),
                "skewed": .timestamp(now + ClockSkew.tolerated),
            ]
        ).map { try $0.timestamp("guessed_at") }
        return GuessLimit.pausedUntil(failures: failures, now: now)
    }

    func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM code_guess WHERE id IN (
                    SELECT id FROM code_guess WHERE guessed_at <= :old LIMIT :limit)
                """, ["old": .timestamp(now - GuessLimit.window), "limit": .integer(Int64(limit))])
        }
    }
}
