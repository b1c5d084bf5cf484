import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `invitation`.
package struct InvitationStore: Sendable {
    package let database: any Database
    private let clock: ServiceClock
    private let eligibility: SignInEligibility

    package init(database: any Database, clock: ServiceClock, eligibility: SignInEligibility) {
        (self.database, self.clock, self.eligibility) = (database, clock, eligibility)
    }

    // MARK: For its user

    package enum State: Sendable {
        case open(Invitation.Opened)
        /// The account is nil for an unknown invitation.
        case ended(Invitation.Ending, Account?)
    }

    /// What a key opens. Changes nothing.
    package func state(of key: InvitationKey) async throws -> State {
        try await database.read { connection in
            let rows = try connection.query(
                "SELECT * FROM invitation WHERE key_digest = :digest", ["digest": .blob(key.digest)])
            return try state(of: try rows.first.map(Invitation.init), connection)
        }
    }

    /// The same for the id of an invitation.
    package func state(ofID id: String) async throws -> State {
        try await database.read { connection in
            let rows = try connection.query("SELECT * FROM invitation WHERE id = :id", ["id": .text(id)])
            return try state(of: try rows.first.map(Invitation.init), connection)
        }
    }

    private func state(of invitation: Invitation?, _ connection: any SQLConnection) throws -> State {
        guard let invitation, let account = try AccountStore.find(invitation.accountID, connection),
            let address = try? EmailAddress(account.email)
        else { return .ended(.unknown, nil) }
        if invitation.withdrawnAt != nil { return .ended(.withdrawn, account) }
        if try AccountStore.hasBegun(account, connection) { return .ended(.used, account) }
        guard invitation.expiresAt > clock.now() else { return .ended(.expired, account) }
        // Disabled, or its end date is over.
        guard eligibility.maySignIn(account) else { return .ended(.withdrawn, account) }
        return .open(Invitation.Opened(invitation: invitation, address: address))
    }

    /// Removes rows that say nothing any more but that an invitation is over.
    package func purge(limit: Int) async throws -> Int {
        let old = clock.now() - Invitation.lifetime - .days(30)
        return try await database.purge(
            """
            DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE created_at <= :old LIMIT :limit)
            """, ["old": .timestamp(old)], limit: limit)
    }

    // MARK: For operators

    /// The newest invitation of an account.
    package static func latest(of accountID: String, _ connection: any SQLConnection) throws -> Invitation? {
        try connection.query(
            "SELECT * FROM invitation WHERE account_id = :account ORDER BY created_at DESC, id LIMIT 1",
            ["account": .text(accountID)]
        ).first.map(Invitation.init)
    }

    /// How many more invitations may be made today.
    package static func remaining(at now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        let made = try connection.query(
            "SELECT 1 FROM invitation WHERE created_at > :since AND created_at <= :latest LIMIT :maximum",
            [
                "since": .timestamp(now - .days(1)), "maximum": .integer(Int64(Invitation.maximumPerDay)),
                // One that is further ahead was made while the clock was wrong.
                "latest": .timestamp(now + ClockSkew.tolerated),
            ]
        ).count
        return Invitation.maximumPerDay - made
    }

    package static func insert(
        _ id: String, _ key: InvitationKey, for account: Account, client: String?, from inviter: String?,
        language: Language, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO invitation (id, account_id, key_digest, client_id, inviter, language, created_at, expires_at)
            VALUES (:id, :account, :digest, :client, :inviter, :language, :now, :expires)
            """,
            [
                "id": .text(id), "account": .text(account.id), "digest": .blob(key.digest), "client": .optional(client),
                "inviter": .optional(inviter), "language": .text(language.rawValue), "now": .timestamp(now),
                "expires": .timestamp(now + Invitation.lifetime),
            ])
    }

    /// - Returns: how many ended.
    @discardableResult
    package static func withdraw(of accountID: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Int
    {
        try connection.execute(
            """
            UPDATE invitation SET withdrawn_at = :now
             WHERE account_id = :account AND withdrawn_at IS NULL AND expires_at > :now
            """, ["account": .text(accountID), "now": .timestamp(now)])
    }
}
