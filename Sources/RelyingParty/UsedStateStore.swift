import SSOClient
import SSOShared
import SSOWeb
import Storage

/// The table `used_state`: a state works once, in any process on the database.
struct UsedStateStore: UsedStates {
    let database: any Database
    let clock: ServiceClock

    /// The table, for the migrations.
    static let schema = [
        """
        CREATE TABLE used_state (
            digest BLOB PRIMARY KEY NOT NULL,
            answer_digest BLOB NOT NULL,
            failed INTEGER NOT NULL DEFAULT 0,
            used_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX used_state_expires_at ON used_state (expires_at)",
    ]

    /// Longer than a cookie with the state is accepted, by either of two clocks.
    private static let lifetime = PendingSignIns.lifetime + ClockSkew.tolerated * 4

    func use(_ state: String, callback: [UInt8]) async throws -> StateUse {
        let now = clock.now()
        let digest = Self.digest(state)
        return try await database.write { connection in
            let rows = try connection.execute(
                """
                INSERT INTO used_state (digest, answer_digest, used_at, expires_at)
                VALUES (:digest, :answer, :now, :expires) ON CONFLICT (digest) DO NOTHING
                """,
                [
                    "digest": .blob(digest), "answer": .blob(callback), "now": .timestamp(now),
                    "expires": .timestamp(now + Self.lifetime),
                ])
            if rows == 1 { return .first }
            let found = try connection.query(
                "SELECT answer_digest, failed, used_at FROM used_state WHERE digest = :digest",
                ["digest": .blob(digest)])
            guard let row = found.first else { return .again(repeats: false, recently: false, failed: true) }
            let isRecent = now - (try row.timestamp("used_at")) < SignInOnce<Void>.grace
            let isSame = ConstantTime.equal(try row.blob("answer_digest"), callback)
            return .again(repeats: isSame, recently: isRecent, failed: try row.integer("failed") != 0)
        }
    }

    func noteFailure(_ state: String) async throws {
        let digest = Self.digest(state)
        try await database.write { connection in
            try connection.execute(
                "UPDATE used_state SET failed = 1 WHERE digest = :digest", ["digest": .blob(digest)])
            return
        }
    }

    /// Removes at most `limit` rows whose cookies are no longer accepted. Returns the number of rows removed.
    func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM used_state WHERE digest IN
                (SELECT digest FROM used_state WHERE expires_at <= :now LIMIT :limit)
            """, ["now": .timestamp(now)], limit: limit)
    }

    private static func digest(_ state: String) -> [UInt8] { SHA256.hash(Array(state.utf8)) }
}
