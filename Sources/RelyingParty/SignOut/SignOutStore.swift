import SSOClient
import SSOShared
import SSOWeb
import Storage

/// The table `seen_sign_out`, and two columns of `session`: which session and user of the identity provider a session here stands
/// for. A sign-out message counts once, in any process on the database.
struct SignOutStore: Sendable {
    let database: any Database
    let clock: ServiceClock

    /// The columns of `session`, NULL in the sessions of visitors who have not signed in.
    static let sessionColumns = ["idp_session TEXT", "idp_user TEXT"]

    /// The table and the indexes of ``sessionColumns``, for the migrations.
    static let schema = [
        "CREATE INDEX session_idp_user ON session (idp_user)",
        // No statement needs it any more.
        "CREATE INDEX session_without_idp_user ON session (handle) WHERE idp_user IS NULL",
        """
        CREATE TABLE seen_sign_out (
            id TEXT PRIMARY KEY NOT NULL,
            idp_session TEXT,
            idp_user TEXT NOT NULL,
            received_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX seen_sign_out_idp_user ON seen_sign_out (idp_user)",
        "CREATE INDEX seen_sign_out_expires_at ON seen_sign_out (expires_at)",
    ]

    // Other tables' owners do not know the identity provider: the statements on `session` below touch only the columns above,
    // or delete whole rows.

    /// Ends the sessions that a message names, and remembers it, in one durable step.
    ///
    /// - Returns: how many sessions have ended; nil when the message was seen before: nothing has ended then.
    func end(_ message: SignOutMessage) async throws -> Int? {
        let now = clock.now()
        return try await database.write { connection in
            let values: SQLArguments = [
                "id": .text(message.id), "session": .optional(message.session), "user": .text(message.user),
                "now": .timestamp(now), "expires": .timestamp(now + SignOutReceiver.memory),
            ]
            let isNew = try connection.execute(
                """
                INSERT INTO seen_sign_out (id, idp_session, idp_user, received_at, expires_at)
                VALUES (:id, :session, :user, :now, :expires) ON CONFLICT (id) DO NOTHING
                """, values)
            guard isNew == 1 else { return nil }
            if let session = message.session {
                return try connection.execute(
                    "DELETE FROM session WHERE idp_user = :user AND idp_session = :session",
                    ["user": .text(message.user), "session": .text(session)])
            }
            return try connection.execute(
                "DELETE FROM session WHERE idp_user = :user AND created_at < :end",
                ["user": .text(message.user), "end": .timestamp(Self.end(of: message.issuedAt))])
        }
    }

    /// Sessions that began before this moment end: `issued_at` names a whole second, which counts as over.
    private static func end(of second: Int) -> Timestamp { Timestamp(milliseconds: Int64(second) * 1000 + 1000) }

    /// Names the session and the user of the identity provider in the row of a new session, in the transaction that makes it.
    ///
    /// - Parameter began: before the token was redeemed.
    /// - Throws: ``SignInError`` when a sign-out message has come since then: it found no session to end.
    func name(
        _ session: Session, _ user: SignedInUser, since began: Timestamp, returnTo: String,
        _ connection: any SQLConnection
    ) throws {
        let signOuts = try connection.query(
            """
            SELECT id FROM seen_sign_out
             WHERE idp_user = :user AND (idp_session = :session OR (idp_session IS NULL AND received_at >= :began))
            """,
            ["user": .text(user.id), "session": .optional(user.sessionID), "began": .timestamp(began)])
        guard signOuts.isEmpty else { throw SignInError.signedOutMeanwhile(returnTo: returnTo) }
        try connection.execute(
            "UPDATE session SET idp_session = :session, idp_user = :user WHERE handle = :handle",
            ["session": .optional(user.sessionID), "user": .text(user.id), "handle": .text(session.handle)])
    }

    /// Removes at most `limit` messages that no longer arrive. Returns the number of rows removed.
    func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM seen_sign_out WHERE id IN
                (SELECT id FROM seen_sign_out WHERE expires_at <= :now LIMIT :limit)
            """, ["now": .timestamp(now)], limit: limit)
    }
}
