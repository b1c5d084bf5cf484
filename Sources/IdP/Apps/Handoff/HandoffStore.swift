package import IdPAccounts
import IdPFlow
import SSOShared
package import SSOWeb
package import Storage

/// One sign-in for an app, from its start to the end of its code.
struct Handoff: Sendable {
    let id: FlowID
    /// The ``NativeStart/name`` that it began with.
    let method: String
    let redirectURI: String
}

/// Owns the rows of `handoff`: begins and ends handoffs, issues and consumes their codes. Only hashes of codes are stored.
package struct HandoffStore: Sendable {
    /// As long as the email's code works.
    static let lifetime: Duration = .minutes(10)
    /// From the page that names the code to the web view of the app: both are on one device.
    static let codeLifetime: Duration = .seconds(60)
    /// How long the row of a used code stays for the audit.
    static let auditPeriod: Duration = .days(1)
    /// Rows of codes of one account. More push out the oldest, so that no user fills the table.
    static let maximumPerAccount = 50

    let database: any Database
    let clock: ServiceClock
    let sessions: SessionStore
    let eligibility: SignInEligibility

    package init(database: any Database, clock: ServiceClock, sessions: SessionStore, eligibility: SignInEligibility) {
        (self.database, self.clock, self.sessions, self.eligibility) = (database, clock, sessions, eligibility)
    }

    /// Begins a handoff, in the caller's transaction.
    func begin(_ handoff: Handoff, codeChallenge: String, _ connection: any SQLConnection) throws {
        let now = clock.now()
        try connection.execute(
            """
            INSERT INTO handoff (id, method, code_challenge, redirect_uri, created_at, expires_at)
            VALUES (:id, :method, :challenge, :redirect, :now, :expires)
            """,
            [
                "id": .text(handoff.id.text), "method": .text(handoff.method), "challenge": .text(codeChallenge),
                "redirect": .text(handoff.redirectURI), "now": .timestamp(now),
                "expires": .timestamp(now + Self.lifetime),
            ])
    }

    /// The handoff of this id; nil for an unknown one, and for one that has ended.
    func pending(_ id: FlowID, _ connection: any SQLConnection) throws -> Handoff? {
        let now = clock.now()
        let row = try connection.query(
            """
            SELECT method, redirect_uri FROM handoff
             WHERE id = :id AND ended_at IS NULL AND expires_at > :now AND created_at <= :skewed
            """,
            ["id": .text(id.text), "now": .timestamp(now), "skewed": .timestamp(now + ClockSkew.tolerated)]
        ).first
        return try row.map {
            Handoff(id: id, method: try $0.text("method"), redirectURI: try $0.text("redirect_uri"))
        }
    }

    /// Stores a code for the user of a pending handoff, in the caller's transaction. A code of the same handoff that was
    /// issued before is void: at most one is valid. Beyond ``maximumPerAccount`` the oldest rows of the account go.
    func issue(
        _ code: HandoffCode, for handoff: Handoff, to user: SignedInUser, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE handoff SET code_digest = :digest, code_expires_at = :expires, account_id = :account,
                   account_sign_outs = :signouts, session_handle = :session, authenticated_at = :authenticated,
                   is_proven = :proven, methods = :methods, strength = :strength
             WHERE id = :id AND ended_at IS NULL
            """,
            [
                "id": .text(handoff.id.text), "digest": .blob(code.digest),
                "expires": .timestamp(clock.now() + Self.codeLifetime), "account": .text(user.account.id),
                "signouts": .integer(user.signIn.accountSignOuts), "session": .text(user.session.handle),
                "authenticated": .timestamp(user.signIn.authenticatedAt),
                "proven": .integer(user.signIn.provenAt == nil ? 0 : 1),
                "methods": .text(user.signIn.proofs.text),
                "strength": .text(user.signIn.proofs.strength.rawValue),
            ])
        try connection.execute(
            """
            DELETE FROM handoff WHERE account_id = :account AND id <> :id AND id NOT IN (
                SELECT id FROM handoff WHERE account_id = :account AND id <> :id
                 ORDER BY created_at DESC, id LIMIT :others)
            """,
            [
                "account": .text(user.account.id), "id": .text(handoff.id.text),
                "others": .integer(Int64(Self.maximumPerAccount - 1)),
            ])
    }

    /// Ends a handoff that its browser has given up or does not keep any more, in the caller's transaction. Its row goes at
    /// once, and with it a code that was not used, so that no browser fills the table. The row of a used code stays.
    func forget(_ id: FlowID, _ connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM handoff WHERE id = :id AND ended_at IS NULL", ["id": .text(id.text)])
    }

    /// Deletes rows that no code can come from any more, and those of used codes after the audit period. A reader passes the used
    /// codes of a day to find them, and the writer touches only rows that are deleted.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        let dead: SQLArguments = ["dead": .timestamp(now - ClockSkew.tolerated)]
        let gone = try await database.read { connection in
            try connection.query(
                """
                SELECT id FROM handoff
                 WHERE expires_at <= :dead AND (code_expires_at IS NULL OR code_expires_at <= :dead)
                   AND (ended_at IS NULL OR expires_at <= :audited) LIMIT :limit
                """,
                dead.merging([
                    "audited": .timestamp(now - Self.auditPeriod), "limit": .integer(Int64(limit)),
                ])
            ).map { try $0.text("id") }
        }
        guard !gone.isEmpty else { return 0 }
        return try await database.write { connection in
            try gone.reduce(0) { count, id in
                count
                    + (try connection.execute(
                        """
                        DELETE FROM handoff
                         WHERE id = :id AND expires_at <= :dead AND (code_expires_at IS NULL OR code_expires_at <= :dead)
                        """, dead.merging(["id": .text(id)])))
            }
        }
    }
}
