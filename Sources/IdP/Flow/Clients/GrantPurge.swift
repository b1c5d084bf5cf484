package import SSOWeb
package import Storage
import Synchronization

/// Deletes rows of `sso_token` that are no longer needed.
package struct GrantPurge: Sendable {
    let database: any Database
    let clock: ServiceClock
    private let swept = Progress()

    package init(database: any Database, clock: ServiceClock) { (self.database, self.clock) = (database, clock) }

    /// Deletes tokens that cannot be redeemed any more: unused ones some time after they expire, used ones after the audit
    /// period. A used row outlives its token, so purging never makes a used token valid again.
    ///
    /// The used tokens of a month lie between the two. A reader searches them once, so the writer only touches rows that
    /// are deleted.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        let dead = now - ClockSkew.tolerated
        // A clock that was set back issues tokens that expire before the moment reached so far.
        let from = swept.moment <= dead ? swept.moment : Timestamp(milliseconds: 0)
        let unused = try await database.read { connection in
            try connection.query(
                """
                SELECT digest, expires_at FROM sso_token
                 WHERE expires_at > :from AND expires_at <= :dead AND used_at IS NULL ORDER BY expires_at LIMIT :limit
                """, ["from": .timestamp(from), "dead": .timestamp(dead), "limit": .integer(Int64(limit))]
            ).map { (digest: try $0.blob("digest"), expiresAt: try $0.timestamp("expires_at")) }
        }
        let audited = now - GrantStore.auditPeriod
        let gone = try await database.write { connection in
            var gone = try connection.execute(
                """
                DELETE FROM sso_token WHERE digest IN (
                    SELECT digest FROM sso_token WHERE expires_at <= :audited LIMIT :limit)
                """, ["audited": .timestamp(audited), "limit": .integer(Int64(limit))])
            for token in unused {
                gone += try connection.execute(
                    "DELETE FROM sso_token WHERE digest = :digest AND used_at IS NULL AND expires_at <= :dead",
                    ["digest": .blob(token.digest), "dead": .timestamp(dead)])
            }
            return gone
        }
        // Others may expire in the same millisecond as the last one of a full batch.
        swept.moment = unused.count < limit ? dead : (unused.last.map { $0.expiresAt - .milliseconds(1) } ?? dead)
        return gone
    }

    /// The moment up to which unused tokens have been purged. A restart forgets it, which costs one search of the index.
    private final class Progress: Sendable {
        private let stored = Mutex(Timestamp(milliseconds: 0))

        var moment: Timestamp {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }
}
