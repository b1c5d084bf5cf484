package import SSOShared
package import SSOWeb
package import Storage

/// A client that has redeemed a grant of a session: the user may be signed in there.
package struct ClientSignIn: Sendable {
    package let clientID: String
    /// The protocol of the grant (``GrantKind``).
    package let kind: String
    /// The ``Session/handle`` of the session that it belongs to now.
    package let session: String
    /// The session as the client was told it first. A new sign-in of the same user in the same browser does not change it.
    package let toldSession: String
    package let accountID: String
    package let firstUsedAt: Timestamp
    /// Of the latest grant.
    package let lastUsedAt: Timestamp
    /// When it ended before its time, or was found to be over.
    package let endedAt: Timestamp?
    /// Why; nil while it goes on.
    package let reason: SessionEndReason?
}

/// A client's sign-in, for what hangs on it: tokens that end with it.
package struct ClientSignInName: Sendable {
    /// ``ClientSignIn/toldSession``.
    package let session: String
    /// Another number each time that the sign-in begins again after its end. What hung on it before stays ended.
    package let beginnings: Int64

    package init(session: String, beginnings: Int64) { (self.session, self.beginnings) = (session, beginnings) }

    /// - Parameters:
    ///   - row: has the columns ``ClientSignIns/noted(_:)``.
    ///   - session: the session of the grant.
    package init(noted row: SQLRow, of session: String) throws(DatabaseError) {
        self.session = try row.optionalText("told_session") ?? session
        beginnings = try row.optionalInteger("beginnings") ?? 0
    }
}

/// Owns the rows of `client_sign_in`: which client was told which session of which user. They outlive the grants, so that a
/// sign-out reaches a client whatever became of its grant.
package struct ClientSignIns: Sendable {
    /// How long an ended row answers questions.
    package static let kept: Duration = .days(90)

    package init() {}

    /// The condition that a row was not ended: a session at the client may last longer than the one here, which has expired.
    package static let isOpen = "(ended_at IS NULL OR reason = 'expired')"

    /// Notes that a client has redeemed a grant, in the transaction of the redemption.
    package func note(
        _ session: String, kind: String, client: String, account: String, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws {
        try connection.send(Self.noteSQL, Self.values(session, kind, client, account, now))
    }

    /// The same for a client that is answered without a grant.
    ///
    /// - Returns: the session as the client was told it first.
    package func enter(
        _ session: String, kind: String, client: String, account: String, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> String {
        try connection.query("\(Self.noteSQL) RETURNING told_session", Self.values(session, kind, client, account, now))
            .first?.text("told_session") ?? session
    }

    private static func values(
        _ session: String, _ kind: String, _ client: String, _ account: String, _ now: Timestamp
    ) -> SQLArguments {
        [
            "session": .text(session), "kind": .text(kind), "client": .text(client), "account": .text(account),
            "now": .timestamp(now),
        ]
    }

    /// What ``note(_:kind:client:account:at:_:)`` will leave, as columns of the statement that reads the grant. NULL for a first
    /// sign-in.
    ///
    /// - Parameter grant: the name of the table with the grant in the statement.
    package static func noted(_ grant: String) -> String {
        "\(told(grant)) AS told_session, \(beginnings(grant)) AS beginnings"
    }

    /// The condition that it will be the sign-in that was read, with its ``ClientSignInName`` as `:told` and `:beginnings`.
    package static func isNoted(_ grant: String) -> String {
        """
        COALESCE(\(told(grant)), \(grant).session_handle) = :told AND COALESCE(\(beginnings(grant)), 0) = :beginnings
        """
    }

    private static func told(_ grant: String) -> String { "(SELECT c.told_session \(row(of: grant)))" }

    private static func beginnings(_ grant: String) -> String { "(SELECT \(nextBeginnings("c")) \(row(of: grant)))" }

    private static func row(of grant: String) -> String {
        """
        FROM client_sign_in c WHERE c.session_handle = \(grant).session_handle AND c.client_id = \(grant).client_id
         AND c.kind = \(grant).kind
        """
    }

    /// A row that was ended while its session went on, because the user had lost access, begins again.
    private static func nextBeginnings(_ row: String) -> String {
        "\(row).beginnings + CASE WHEN \(row).ended_at IS NULL THEN 0 ELSE 1 END"
    }

    private static let noteSQL = """
        INSERT INTO client_sign_in (session_handle, client_id, kind, told_session, account_id, first_used_at, last_used_at)
        VALUES (:session, :client, :kind, :session, :account, :now, :now)
            ON CONFLICT (session_handle, client_id, kind) DO UPDATE SET
               last_used_at = excluded.last_used_at, ended_at = NULL, reason = NULL,
               beginnings = \(nextBeginnings("client_sign_in")),
               first_used_at = CASE WHEN client_sign_in.ended_at IS NULL
                                    THEN client_sign_in.first_used_at ELSE excluded.first_used_at END
        """

    /// The condition that the sign-in goes on which a row hangs on, with `client_id`, `account_id`, `told_session` and
    /// `sign_in_beginnings`. The end of a session by time does not end it.
    ///
    /// - Parameters:
    ///   - row: the name of the table in the statement.
    ///   - kind: the id of the ``GrantKind``, a constant.
    package static func holds(_ row: String, kind: String) -> String {
        """
        EXISTS (SELECT 1 FROM client_sign_in c WHERE c.told_session = \(row).told_session AND c.kind = '\(kind)'
                   AND c.client_id = \(row).client_id AND c.account_id = \(row).account_id
                   AND c.beginnings = \(row).sign_in_beginnings AND \(isOpen))
        """
    }

    /// Takes the rows of a session to the one that replaces it in the same browser, if the account is the same.
    package func follow(_ old: String, to next: String, account: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE client_sign_in SET session_handle = :next
             WHERE session_handle = :old AND account_id = :account AND ended_at IS NULL
            """, ["next": .text(next), "old": .text(old), "account": .text(account)])
    }

    /// Ends rows, in the caller's transaction.
    ///
    /// Those whose session has expired are among those of an account.
    ///
    /// - Returns: what has ended.
    func end(
        _ what: EndedSessions, _ reason: SessionEndReason, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> [ClientSignIn] {
        let (condition, values): (String, SQLArguments) =
            switch what {
            case .one(let session):
                ("session_handle = :session AND ended_at IS NULL", ["session": .text(session)])
            case .all(let account): ("account_id = :account AND \(Self.isOpen)", ["account": .text(account)])
            case .others(let account, let kept):
                (
                    "account_id = :account AND session_handle <> :kept AND \(Self.isOpen)",
                    ["account": .text(account), "kept": .text(kept ?? "")]
                )
            case .atClient(let client, let account):
                (
                    "account_id = :account AND client_id = :client AND \(Self.isOpen)",
                    ["account": .text(account), "client": .text(client)]
                )
            }
        return try connection.query(
            "UPDATE client_sign_in SET ended_at = :now, reason = :reason WHERE \(condition) RETURNING *",
            values.merging(["now": .timestamp(now), "reason": .text(reason.rawValue)])
        ).map(ClientSignIn.init)
    }

    /// Where a session's user has signed in, the latest sign-in first.
    package func all(of session: String, _ connection: any SQLConnection) throws -> [ClientSignIn] {
        try connection.query(
            "SELECT * FROM client_sign_in WHERE session_handle = :session ORDER BY last_used_at DESC, client_id",
            ["session": .text(session)]
        ).map(ClientSignIn.init)
    }

    /// The sign-ins of an account at clients: those that go on, and those that ended since a moment. The latest first.
    package func all(
        of account: String, endedSince: Timestamp, _ connection: any SQLConnection
    ) throws -> [ClientSignIn] {
        try connection.query(
            """
            SELECT * FROM client_sign_in
             WHERE account_id = :account AND (ended_at IS NULL OR ended_at > :since)
             ORDER BY last_used_at DESC, client_id LIMIT 1000
            """, ["account": .text(account), "since": .timestamp(endedSince)]
        ).map(ClientSignIn.init)
    }

    /// What a client was told; nil if it has redeemed no grant of that session of that user.
    package func told(
        session: String, client: String, account: String, kind: String, _ connection: any SQLConnection
    ) throws -> ClientSignIn? {
        try connection.query(
            """
            SELECT * FROM client_sign_in
             WHERE told_session = :session AND client_id = :client AND account_id = :account AND kind = :kind
            """,
            [
                "session": .text(session), "client": .text(client), "account": .text(account), "kind": .text(kind),
            ]
        ).first.map(ClientSignIn.init)
    }

    /// The sign-ins of an account at clients that were not ended.
    package func open(of account: String, _ connection: any SQLConnection) throws -> [ClientSignIn] {
        try connection.query(
            "SELECT * FROM client_sign_in WHERE account_id = :account AND \(Self.isOpen)", ["account": .text(account)]
        ).map(ClientSignIn.init)
    }

    /// Takes over a row of another database that was not ended there, unless it is here already.
    package func adopt(_ signIn: ClientSignIn, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO client_sign_in (session_handle, client_id, kind, told_session, account_id, first_used_at, last_used_at)
            VALUES (:session, :client, :kind, :told, :account, :first, :last)
                ON CONFLICT (session_handle, client_id, kind) DO NOTHING
            """,
            [
                "session": .text(signIn.session), "client": .text(signIn.clientID), "kind": .text(signIn.kind),
                "told": .text(signIn.toldSession), "account": .text(signIn.accountID),
                "first": .timestamp(signIn.firstUsedAt), "last": .timestamp(signIn.lastUsedAt),
            ])
    }

    /// The accounts with sign-ins at clients that were not ended, in the order of their ids.
    package func accounts(after: String, limit: Int, _ connection: any SQLConnection) throws -> [String] {
        try connection.query(
            """
            SELECT DISTINCT account_id FROM client_sign_in
             WHERE account_id > :after AND \(Self.isOpen) ORDER BY account_id LIMIT :limit
            """, ["after": .text(after), "limit": .integer(Int64(limit))]
        ).map { try $0.text("account_id") }
    }
}

extension ClientSignIn {
    init(_ row: SQLRow) throws {
        clientID = try row.text("client_id")
        kind = try row.text("kind")
        session = try row.text("session_handle")
        toldSession = try row.text("told_session")
        accountID = try row.text("account_id")
        firstUsedAt = try row.timestamp("first_used_at")
        lastUsedAt = try row.timestamp("last_used_at")
        endedAt = try row.optionalInteger("ended_at").map { Timestamp(milliseconds: $0) }
        reason = try row.optionalText("reason").map { SessionEndReason(rawValue: $0) }
    }
}
