import IdPClients
package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the counting of guesses: the rows of `code_guess` and `guess_alarm`, and `tries` in the rows of `challenge`, which
/// ``ChallengeStore`` owns: counting and looking must be one statement.
package struct GuessStore: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness

    package init(database: any Database, clock: ServiceClock, randomness: any Randomness) {
        (self.database, self.clock, self.randomness) = (database, clock, randomness)
    }

    private var audit: AuditStore { AuditStore(database: database, clock: clock, randomness: randomness) }

    /// What counting a guess led to.
    enum Counted: Sendable {
        /// Counted as wrong until it proves right: compare now.
        case compare(Challenge, guessID: String)
        /// The challenge accepts no code: used, expired, unknown, or five wrong codes.
        case ended
        /// No email with this code can have been sent, so nobody can know it. Not compared, and not counted.
        case notSent
        /// Typing codes is paused for this budget.
        case paused
    }

    /// Counts one guess durably, before it is compared. Of a hundred concurrent guesses no more are compared than the limits
    /// allow, in any number of processes, and a crash in between counts as a wrong guess.
    ///
    /// - Parameter logger: of whose guess it is.
    func count(guessOn challengeID: String, _ logger: Logger) async throws -> Counted {
        let guessID = Base64URL.encode(try randomness.bytes(16))
        let now = clock.now()
        return try await database.write { connection in
            guard let asked = try Self.budget(of: challengeID, now: now, connection) else { return .ended }
            guard asked.isDue else { return .notSent }
            guard try Self.pause(of: asked.budget, now: now, connection) == nil else {
                return asked.budget.isOutage ? .notSent : .paused
            }
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
            guard let challenge = try rows.first.map(Challenge.init) else {
                try ChallengeStore.endExpired(challengeID, at: now, connection)
                return .ended
            }
            try connection.execute(
                "INSERT INTO code_guess (id, address, device_id, guessed_at) VALUES (:id, :address, :device, :now)",
                [
                    "id": .text(guessID), "address": .text(challenge.address),
                    "device": .optional(asked.budget.browserID), "now": .timestamp(now),
                ])
            if try Self.raiseAlarm(now: now, connection) { try audit.record(Self.raised, logger, connection) }
            return .compare(challenge, guessID: guessID)
        }
    }

    /// Removes a counted guess that was not wrong.
    func takeBack(_ guessID: String) async throws {
        try await database.write { connection in
            _ = try connection.execute("DELETE FROM code_guess WHERE id = :id", ["id": .text(guessID)])
        }
    }

    /// Until when no code is accepted for this challenge, for the page.
    func pausedUntil(_ challenge: Challenge) async throws -> Timestamp? {
        let now = clock.now()
        return try await database.read { connection in
            try Self.pause(
                of: Budget(address: challenge.address, browserID: challenge.browserID), now: now, connection)
        }
    }

    /// Ends the alarm after a quiet period. Of several processes exactly one gets true.
    ///
    /// - Returns: whether this call ended it.
    @discardableResult package func endAlarm(_ logger: Logger) async throws -> Bool {
        let now = clock.now()
        return try await database.write { connection in
            let isEnded =
                try connection.execute(
                    "DELETE FROM guess_alarm WHERE last_at <= :quiet", ["quiet": .timestamp(now - GuessAlarm.quiet)])
                > 0
            if isEnded { try audit.record(Event(.guessAlarmEnded), logger, connection) }
            return isEnded
        }
    }

    /// Guesses are spread over many accounts.
    private static let raised = Event(
        .guessAlarmRaised, by: .visitor,
        ["message": "more than \(GuessAlarm.threshold) wrong codes within ten minutes"])

    /// The wrong guesses that count together: those of one known browser, or of all unknown ones, for an address.
    private struct Budget {
        /// Stands for all unknown browsers while the mail server cannot be reached. No id of a known browser has this length.
        static let outage = "outage"

        let address: String
        let browserID: String?
        var isOutage: Bool { browserID == Self.outage }
    }

    /// The budget of a challenge, and whether its email was due. An email that is not due yet, or was left out, cannot have
    /// been sent.
    ///
    /// Guesses at codes whose email was due while the mail server could not be reached have a budget of their own.
    /// Otherwise a visitor could pause an account without a single email.
    ///
    /// Looks at the outage and never at the delivery of this email, which would distinguish a decoy.
    private static func budget(
        of challengeID: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> (budget: Budget, isDue: Bool)? {
        let row = try connection.query(
            """
            SELECT c.address, c.device_id,
                   CASE WHEN l.created_at <= :now THEN 1 ELSE 0 END AS is_due,
                   CASE WHEN EXISTS (SELECT 1 FROM mail_outage o WHERE o.since <= l.created_at) THEN 1 ELSE 0 END
                     AS is_outage
              FROM challenge c LEFT JOIN mail_queue l ON l.id = c.email_id WHERE c.id = :id
            """, ["id": .text(challengeID), "now": .timestamp(now)]
        ).first
        guard let row else { return nil }
        let device = try row.optionalText("device_id") ?? (row.integer("is_outage") == 1 ? Budget.outage : nil)
        return (Budget(address: try row.text("address"), browserID: device), try row.integer("is_due") == 1)
    }

    private static func pause(
        of budget: Budget, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Timestamp? {
        let failures = try connection.query(
            """
            SELECT guessed_at FROM code_guess
             WHERE address = :address AND COALESCE(device_id, '') = :device
               AND guessed_at > :since AND guessed_at <= :skewed
             ORDER BY guessed_at DESC LIMIT \(GuessLimit.maximum)
            """,
            [
                "address": .text(budget.address), "device": .text(budget.browserID ?? ""),
                "since": .timestamp(now - GuessLimit.window), "skewed": .timestamp(now + ClockSkew.tolerated),
            ]
        ).map { try $0.timestamp("guessed_at") }
        let isAlarmed = try isAlarmed(now: now, connection)
        return GuessLimit.pausedUntil(
            failures: failures, isAlarmed: isAlarmed && budget.browserID == nil, now: now)
    }

    /// Whether codes are being guessed on many accounts at once.
    static func isAlarmed(now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query(
            "SELECT 1 FROM guess_alarm WHERE last_at > :quiet AND last_at <= :skewed",
            [
                "quiet": .timestamp(now - GuessAlarm.quiet), "skewed": .timestamp(now + ClockSkew.tolerated),
            ]
        ).isEmpty
    }

    /// Raises the alarm when too many guesses were counted over all accounts.
    ///
    /// - Returns: whether it is new.
    private static func raiseAlarm(now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        let recent = try connection.query(
            """
            SELECT COUNT(*) AS count FROM (
                SELECT 1 FROM code_guess WHERE guessed_at > :since AND guessed_at <= :skewed LIMIT :limit) AS recent
            """,
            [
                "since": .timestamp(now - GuessAlarm.span), "skewed": .timestamp(now + ClockSkew.tolerated),
                "limit": .integer(Int64(GuessAlarm.threshold) + 1),
            ]
        ).first?.integer("count")
        guard recent ?? 0 > GuessAlarm.threshold else { return false }
        let wasAlarmed = try isAlarmed(now: now, connection)
        try connection.execute(
            """
            INSERT INTO guess_alarm (id, last_at) VALUES (1, :now)
                ON CONFLICT (id) DO UPDATE SET last_at = excluded.last_at
            """, ["now": .timestamp(now)])
        return !wasAlarmed
    }

    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM code_guess WHERE id IN (
                SELECT id FROM code_guess WHERE guessed_at <= :old LIMIT :limit)
            """, ["old": .timestamp(now - GuessLimit.window)], limit: limit)
    }
}

/// Owns the rule how many codes may be typed for one account (NIST SP 800-63B-4 3.2.2). Counted by address, so that a
/// new code, browser, network or restart does not reset the count.
///
/// - All unknown browsers together: 20 wrong codes in 24 hours, then a pause of an hour after each further one.
/// - Each known browser: the same, for itself. No other browser can use up its budget.
/// - While codes are guessed on many accounts at once (``GuessAlarm``): 5 in 24 hours for all unknown browsers together.
enum GuessLimit {
    static let maximum = 20
    static let maximumUnderAlarm = 5
    static let window: Duration = .hours(24)
    static let pause: Duration = .hours(1)

    /// Until when no code is accepted; nil when codes are accepted.
    ///
    /// - Parameter failures: the wrong guesses of this budget within the last 24 hours, newest first; 20 are enough.
    static func pausedUntil(failures: [Timestamp], isAlarmed: Bool = false, now: Timestamp) -> Timestamp? {
        let recent = failures.filter { $0 > now - window }.sorted(by: >)
        if isAlarmed, recent.count >= maximumUnderAlarm {
            // Not only a pause of an hour: one guess per hour and account would still add up over many accounts.
            return recent[maximumUnderAlarm - 1] + window
        }
        guard recent.count >= maximum, let last = recent.first, last + pause > now else { return nil }
        return last + pause
    }
}

/// Owns the rule when guessing is spread over many accounts (password spraying): more than 100 wrong codes within ten
/// minutes over all accounts raise the alarm. It ends when an hour has passed without such a ten minutes.
enum GuessAlarm {
    static let threshold = 100
    static let span: Duration = .minutes(10)
    static let quiet: Duration = .hours(1)
}
