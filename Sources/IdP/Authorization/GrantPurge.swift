import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// Deletes rows of `sso_token` that are no longer needed.
package struct GrantPurge: Sendable {
    let database: any Database
    let clock: ServiceClock
    /// How many rows one search passes: PostgreSQL gives a statement two seconds.
    private let stride: Int
    private let swept = Progress()

    package init(database: any Database, clock: ServiceClock) {
        self.init(database: database, clock: clock, stride: 10_000)
    }

    init(database: any Database, clock: ServiceClock, stride: Int) {
        (self.database, self.clock, self.stride) = (database, clock, stride)
    }

    /// Deletes tokens that cannot be redeemed any more: unused ones some time after they expire, used ones after the audit
    /// period. A used row outlives its token, so purging never makes a used token valid again.
    ///
    /// The used tokens of a month lie between the two. Readers pass them once, a part at a time, so the writer only touches rows
    /// that are deleted.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        let audited = now - GrantStore.auditPeriod
        var gone = try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM sso_token WHERE digest IN (
                    SELECT digest FROM sso_token WHERE expires_at <= :audited LIMIT :limit)
                """, ["audited": .timestamp(audited), "limit": .integer(Int64(limit))])
        }
        let dead = now - ClockSkew.tolerated
        // A clock that was set back issues tokens that expire before the moment reached so far.
        if swept.moment > dead { swept.moment = Timestamp(milliseconds: 0) }
        while gone < limit, swept.moment < dead, !Task.isCancelled {
            gone += try await sweep(to: dead, limit: limit - gone)
        }
        return gone
    }

    /// Deletes unused tokens of the next part.
    private func sweep(to dead: Timestamp, limit: Int) async throws -> Int {
        let (from, stride) = (swept.moment, Int64(stride))
        let (end, unused) = try await database.read { connection in
            let next = try connection.query(
                """
                SELECT expires_at FROM sso_token
                 WHERE expires_at > :from AND expires_at <= :dead ORDER BY expires_at LIMIT 1 OFFSET :stride
                """, ["from": .timestamp(from), "dead": .timestamp(dead), "stride": .integer(stride)])
            let end = try next.first?.timestamp("expires_at") ?? dead
            let unused = try connection.query(
                """
                SELECT digest, expires_at FROM sso_token
                 WHERE expires_at > :from AND expires_at <= :end AND used_at IS NULL ORDER BY expires_at LIMIT :limit
                """, ["from": .timestamp(from), "end": .timestamp(end), "limit": .integer(Int64(limit))]
            ).map { (digest: try $0.blob("digest"), expiresAt: try $0.timestamp("expires_at")) }
            return (end, unused)
        }
        var gone = 0
        if !unused.isEmpty {
            gone = try await database.write { connection in
                try unused.reduce(0) { gone, token in
                    gone
                        + (try connection.execute(
                            "DELETE FROM sso_token WHERE digest = :digest AND used_at IS NULL AND expires_at <= :dead",
                            ["digest": .blob(token.digest), "dead": .timestamp(dead)]))
                }
            }
        }
        // Others may expire in the same millisecond as the last one of a full batch.
        swept.moment = unused.count < limit ? end : (unused.last.map { $0.expiresAt - .milliseconds(1) } ?? end)
        return gone
    }

    /// The moment up to which unused tokens have been purged. A restart forgets it, which costs one walk over the index.
    private final class Progress: Sendable {
        private let stored = Mutex(Timestamp(milliseconds: 0))

        var moment: Timestamp {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }
}
