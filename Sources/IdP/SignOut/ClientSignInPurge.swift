import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// Deletes rows of `client_sign_in` 90 days after their end, and notes that a row has ended whose session is gone by time.
///
/// Walks over all rows once in an hour, on a reader. The writer only touches rows that change.
package struct ClientSignInPurge: Sendable {
    private static let pause: Duration = .hours(1)

    let database: any Database
    let clock: ServiceClock
    private let walk = Walk()

    package init(database: any Database, clock: ServiceClock) { (self.database, self.clock) = (database, clock) }

    private struct Key: Sendable {
        let session, client, kind: String
        static let start = Key(session: "", client: "", kind: "")
    }

    /// Rows that the walk has looked at, and those of them to change.
    private struct Page: Sendable {
        var count = 0
        var last: Key?
        /// Those that ended long ago.
        var old: [Key] = []
        /// Those whose session is gone.
        var expired: [Key] = []
    }

    /// - Returns: how many rows were looked at: the walk goes on at once until all were.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        guard let place = walk.place(at: now) else { return 0 }
        let page = try await database.read { connection in
            try Self.page(after: place, limit: limit, endedBy: now - ClientSignIns.kept, connection)
        }
        if !page.old.isEmpty || !page.expired.isEmpty {
            try await database.write { connection in try Self.change(page, at: now, connection) }
        }
        walk.advance(to: page.count < limit ? nil : page.last, at: now)
        return page.count
    }

    private static func page(
        after place: Key, limit: Int, endedBy old: Timestamp, _ connection: any SQLConnection
    ) throws -> Page {
        let rows = try connection.query(
            """
            SELECT session_handle, client_id, kind, ended_at,
                   CASE WHEN EXISTS (SELECT 1 FROM session WHERE session.handle = client_sign_in.session_handle)
                        THEN 1 ELSE 0 END AS has_session
              FROM client_sign_in
             WHERE session_handle > :session
                OR (session_handle = :session AND (client_id > :client OR (client_id = :client AND kind > :kind)))
             ORDER BY session_handle, client_id, kind LIMIT :limit
            """, values(place).merging(["limit": .integer(Int64(limit))]))
        var page = Page(count: rows.count)
        for row in rows {
            let key = Key(
                session: try row.text("session_handle"), client: try row.text("client_id"),
                kind: try row.text("kind"))
            page.last = key
            if let ended = try row.optionalInteger("ended_at") {
                if ended <= old.milliseconds { page.old.append(key) }
            } else if try row.integer("has_session") == 0 {
                page.expired.append(key)
            }
        }
        return page
    }

    private static func change(_ page: Page, at now: Timestamp, _ connection: any SQLConnection) throws {
        for key in page.old {
            try connection.execute(
                "DELETE FROM client_sign_in WHERE \(isRow) AND ended_at <= :old",
                values(key).merging(["old": .timestamp(now - ClientSignIns.kept)]))
        }
        for key in page.expired {
            try connection.execute(
                """
                UPDATE client_sign_in SET ended_at = :now, reason = 'expired'
                 WHERE \(isRow) AND ended_at IS NULL
                   AND NOT EXISTS (SELECT 1 FROM session WHERE session.handle = client_sign_in.session_handle)
                """, values(key).merging(["now": .timestamp(now)]))
        }
    }

    private static let isRow = "session_handle = :session AND client_id = :client AND kind = :kind"
    private static func values(_ key: Key) -> SQLArguments {
        ["session": .text(key.session), "client": .text(key.client), "kind": .text(key.kind)]
    }

    /// How far the walk is. A restart begins it again.
    private final class Walk: Sendable {
        private let state = Mutex((place: Key.start, restsUntil: Timestamp(milliseconds: 0)))

        /// Nil while it rests.
        func place(at now: Timestamp) -> Key? { state.withLock { now < $0.restsUntil ? nil : $0.place } }

        /// - Parameter last: nil at the end.
        func advance(to last: Key?, at now: Timestamp) {
            state.withLock {
                $0.place = last ?? Key.start
                if last == nil { $0.restsUntil = now + ClientSignInPurge.pause }
            }
        }
    }
}
