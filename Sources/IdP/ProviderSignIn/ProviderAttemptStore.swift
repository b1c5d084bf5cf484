import IdPFlow
import IdPProviders
import SSOShared
import SSOWeb
import Storage

/// Owns the rows of `provider_attempt` and `used_provider_answer`: each attempt takes one answer, and no code or ID token is
/// taken twice.
package struct ProviderAttemptStore: Sendable {
    /// From the button to the answer: as long as a flow waits.
    static let lifetime: Duration = .minutes(10)
    /// How long a code is remembered. RFC 6749 4.1.2 recommends at most ten minutes for its life.
    static let codeMemory: Duration = .hours(1)

    let database: any Database
    let clock: ServiceClock

    /// Begins an attempt, in the caller's transaction.
    func begin(_ attempt: ProviderAttempt, _ connection: any SQLConnection) throws {
        let (now, purpose) = (clock.now(), attempt.purpose)
        try connection.execute(
            """
            INSERT INTO provider_attempt (id, provider, registration, purpose, flow, account_id, created_at, expires_at)
            VALUES (:id, :provider, :registration, :purpose, :flow, :account, :now, :expires)
            """,
            [
                "id": .text(attempt.id), "provider": .text(attempt.provider),
                "registration": .blob(attempt.registration), "purpose": .text(purpose.id),
                "flow": .optional(purpose.flow?.text), "account": .optional(purpose.accountID), "now": .timestamp(now),
                "expires": .timestamp(now + Self.lifetime),
            ])
    }

    /// Deletes an attempt that its browser does not keep any more, in the caller's transaction.
    func forget(_ id: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM provider_attempt WHERE id = :id", ["id": .text(id)])
    }

    /// What is known of an attempt.
    enum State: Sendable {
        case pending(ProviderAttempt)
        /// It has had its answer.
        case used(ProviderAttempt)
        /// It has expired.
        case expired(ProviderAttempt)
    }

    /// Nil for an unknown attempt, and for one of another provider. One of the same provider before a change of its issuer or
    /// client id has expired.
    func state(of id: String, provider: Provider) async throws -> State? {
        let now = clock.now()
        return try await database.read { connection in
            guard
                let row = try connection.query(
                    "SELECT \(Self.columns), used_at, expires_at, created_at FROM provider_attempt WHERE id = :id",
                    ["id": .text(id)]
                ).first
            else { return nil }
            let attempt = try Self.attempt(row)
            guard attempt.provider.utf8.elementsEqual(provider.id.utf8) else { return nil }
            if try row.optionalInteger("used_at") != nil { return .used(attempt) }
            let isAlive =
                try attempt.registration == provider.registration && row.timestamp("expires_at") > now
                && row.timestamp("created_at") <= now + ClockSkew.tolerated
            return isAlive ? .pending(attempt) : .expired(attempt)
        }
    }

    /// Consumes an attempt and remembers the code of its answer, in one transaction. Of any number of callers over any
    /// number of processes one gets the attempt.
    ///
    /// - Parameter code: nil for an answer without one.
    /// - Returns: nil for an attempt that is unknown, used, expired or of another provider.
    func take(_ id: String, provider: Provider, code: String?) async throws -> (ProviderAttempt, isCodeFresh: Bool)? {
        let now = clock.now()
        return try await database.write { connection in
            guard
                let row = try connection.query(
                    """
                    UPDATE provider_attempt SET used_at = :now, answer = NULL
                     WHERE id = :id AND provider = :provider AND registration = :registration
                       AND used_at IS NULL AND expires_at > :now
                       AND created_at <= :skewed
                    RETURNING \(Self.columns)
                    """,
                    [
                        "id": .text(id), "provider": .text(provider.id), "registration": .blob(provider.registration),
                        "now": .timestamp(now),
                        "skewed": .timestamp(now + ClockSkew.tolerated),
                    ]
                ).first
            else { return nil }
            let isFresh =
                try code.map {
                    try remember(
                        SHA256.hash(Array("code\u{0}\(provider.id)\u{0}\($0)".utf8)), until: now + Self.codeMemory,
                        connection)
                } ?? true
            return (try Self.attempt(row), isFresh)
        }
    }

    /// Remembers a used code or ID token, in the caller's transaction.
    ///
    /// - Returns: false if it was used before.
    func remember(_ digest: [UInt8], until expiry: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO used_provider_answer (digest, expires_at) VALUES (:digest, :expires)
                ON CONFLICT (digest) DO NOTHING
            """, ["digest": .blob(digest), "expires": .timestamp(expiry)]) == 1
    }

    // MARK: Answers of form_post

    /// Keeps the answer of a pending attempt, sealed, until its browser comes for it. The first answer stays.
    ///
    /// - Returns: false for an attempt that is unknown, used, expired, of another provider, or has an answer.
    func park(_ sealed: [UInt8], handleDigest: [UInt8], for id: String, provider: String) async throws -> Bool {
        let now = clock.now()
        return try await database.write { connection in
            try connection.execute(
                """
                UPDATE provider_attempt SET answer = :answer, answer_digest = :digest
                 WHERE id = :id AND provider = :provider AND used_at IS NULL AND answer IS NULL AND expires_at > :now
                   AND created_at <= :skewed
                """,
                [
                    "answer": .blob(sealed), "digest": .blob(handleDigest), "id": .text(id),
                    "provider": .text(provider),
                    "now": .timestamp(now), "skewed": .timestamp(now + ClockSkew.tolerated),
                ]) == 1
        }
    }

    /// The parked answer of a handle, and its attempt. It stays until the attempt is taken. The answer is nil once it was.
    func parked(_ handleDigest: [UInt8]) async throws -> (id: String, answer: [UInt8]?)? {
        try await database.read { connection in
            try connection.query(
                "SELECT id, answer FROM provider_attempt WHERE answer_digest = :digest",
                ["digest": .blob(handleDigest)]
            ).first.map { (try $0.text("id"), try $0.optionalBlob("answer")) }
        }
    }

    /// Deletes what no answer can come for any more. An attempt goes an hour later, so that a user who comes back late is told
    /// so; its parked answer goes with the attempt's end.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.write { connection in
            let answers = try connection.execute(
                """
                UPDATE provider_attempt SET answer = NULL WHERE id IN (
                    SELECT id FROM provider_attempt WHERE answer IS NOT NULL AND expires_at <= :now LIMIT :limit)
                """, ["now": .timestamp(now), "limit": .integer(Int64(limit))])
            let values: SQLArguments = [
                "dead": .timestamp(now - .hours(1)), "limit": .integer(Int64(limit)),
            ]
            let attempts = try connection.execute(
                """
                DELETE FROM provider_attempt WHERE id IN (
                    SELECT id FROM provider_attempt WHERE expires_at <= :dead LIMIT :limit)
                """, values)
            let used = try connection.execute(
                """
                DELETE FROM used_provider_answer WHERE digest IN (
                    SELECT digest FROM used_provider_answer WHERE expires_at <= :dead LIMIT :limit)
                """, values)
            return answers + attempts + used
        }
    }

    private static let columns = "id, provider, registration, purpose, flow, account_id"

    private static func attempt(_ row: SQLRow) throws -> ProviderAttempt {
        let purpose = ProviderAttempt.Purpose(
            try row.text("purpose"), flow: try row.optionalText("flow").flatMap(FlowID.init),
            accountID: try row.optionalText("account_id"))
        return ProviderAttempt(
            id: try row.text("id"), provider: try row.text("provider"),
            registration: try row.blob("registration"), purpose: purpose)
    }
}
