import IdPAccounts
import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// The id of a session at a service: what its cookie holds. Only a hash is stored.
enum GateSessionKind: SecretKind { static let prefix = "sgs_" }

typealias GateSessionID = Secret<GateSessionKind>

/// Owns the rows of `gate_session`: a browser that is signed in at a service behind the gate. A row has no life of its own: it holds
/// while the session here holds, and the account, the access and the strength of the sign-in.
struct GateSessionStore: Sendable {
    /// Rows of one session at one client. Tabs that come back at once each get one, and the browser keeps the last.
    private static let kept = 4

    let lifetime: SessionLifetime
    let eligibility: SignInEligibility

    /// A session at a service, and the session that it hangs on.
    struct Found: Sendable {
        let account: Account
        let toldSession, session: String
        let seenAt: Timestamp
        let strength: Strength
    }

    func insert(
        _ id: GateSessionID, client: String, account: String, _ signIn: ClientSignInName, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws {
        let latest = max(lifetime.absolute, lifetime.remembered ?? .zero)
        try connection.execute(
            """
            INSERT INTO gate_session (digest, client_id, account_id, told_session, sign_in_beginnings, created_at, expires_at)
            VALUES (:digest, :client, :account, :told, :beginnings, :now, :expires)
            """,
            [
                "digest": .blob(id.digest), "client": .text(client), "account": .text(account),
                "told": .text(signIn.session), "beginnings": .integer(signIn.beginnings), "now": .timestamp(now),
                "expires": .timestamp(now + latest),
            ])
        // A browser in a loop must not fill the table.
        try connection.execute(
            """
            DELETE FROM gate_session
             WHERE told_session = :told AND client_id = :client AND digest NOT IN (
                   SELECT digest FROM gate_session WHERE told_session = :told AND client_id = :client
                    ORDER BY created_at DESC, digest LIMIT \(Self.kept))
            """, ["told": .text(signIn.session), "client": .text(client)])
    }

    /// The session of an id at a client, if all that it hangs on holds. Access is for the caller.
    ///
    /// - Parameter isLost: whether to find one that has ended with its user's access instead.
    func find(
        _ id: GateSessionID, at client: String, isLost: Bool = false, now: Timestamp, _ connection: any SQLConnection
    ) throws -> Found? {
        var values = SessionHolds.values(at: now, lifetime, further: 2)
        values.append("digest", .blob(id.digest))
        values.append("client", .text(client))
        guard let row = try connection.query(isLost ? Self.lostSQL : Self.heldSQL, values).first else { return nil }
        let account = try Account(row)
        guard let signIn = SessionSlots(stored: try row.text("session_slots"))[CurrentSignIn.self].signIn,
            signIn.accountID == account.id, signIn.accountSignOuts == account.signOuts,
            eligibility.maySignIn(account)
        else { return nil }
        return Found(
            account: account, toldSession: try row.text("told_session"), session: try row.text("session_handle"),
            seenAt: try row.timestamp("session_seen_at"), strength: signIn.proofs.strength)
    }

    private static let heldSQL = findSQL("c.ended_at IS NULL")
    private static let lostSQL = findSQL("c.ended_at IS NOT NULL AND c.reason = 'no_access'")

    private static func findSQL(_ condition: String) -> String {
        """
        SELECT g.told_session, session.handle AS session_handle, session.slots AS session_slots,
               session.seen_at AS session_seen_at, \(Account.columns(of: "a"))
          FROM gate_session g
          JOIN client_sign_in c ON c.told_session = g.told_session AND c.client_id = g.client_id
                               AND c.kind = '\(GateSettings.id)' AND c.account_id = g.account_id
                               AND c.beginnings = g.sign_in_beginnings AND \(condition)
          JOIN session ON session.handle = c.session_handle
          JOIN account a ON a.id = g.account_id
         WHERE g.digest = :digest AND g.client_id = :client AND g.expires_at > :now AND \(SessionHolds.sql)
        """
    }

    /// Ends one.
    ///
    /// - Returns: the session here and the account that it was of; nil if there was none.
    func end(
        _ id: GateSessionID, at client: String, _ connection: any SQLConnection
    ) throws -> (session: String, account: String)? {
        try connection.query(
            "DELETE FROM gate_session WHERE digest = :digest AND client_id = :client RETURNING told_session, account_id",
            ["digest": .blob(id.digest), "client": .text(client)]
        ).first.map { (try $0.text("told_session"), try $0.text("account_id")) }
    }

    /// Deletes rows whose latest end is over.
    static func purge(_ database: any Database, at now: Timestamp, limit: Int) async throws -> Int {
        try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM gate_session WHERE digest IN (
                    SELECT digest FROM gate_session WHERE expires_at <= :now LIMIT :limit)
                """, ["now": .timestamp(now), "limit": .integer(Int64(limit))])
        }
    }
}
