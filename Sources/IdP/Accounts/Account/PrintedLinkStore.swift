package import SSOShared
package import SSOWeb
package import Storage

/// The kind of ``PrintedLinkKey``.
package enum PrintedLinkKeyKind: SecretKind {
    package static let prefix = "sil_"
}

/// The key in a sign-in link that an operator prints.
package typealias PrintedLinkKey = Secret<PrintedLinkKeyKind>

/// Owns the rows of `sign_in_link`: sign-in links that an operator prints for an account that nobody has signed in to. Every
/// function works in the caller's transaction.
package enum PrintedLinkStore {
    package static let lifetime: Duration = .minutes(10)

    package enum State: Sendable {
        case open(Account)
        /// Unknown, or its account is gone.
        case unknown
        case used, expired, withdrawn
    }

    /// What a key opens.
    package static func state(
        of key: PrintedLinkKey, at now: Timestamp, _ eligibility: SignInEligibility, _ connection: any SQLConnection
    ) throws -> State {
        let row = try connection.query(
            "SELECT * FROM sign_in_link WHERE digest = :digest", ["digest": .blob(key.digest)]
        ).first
        guard let row, let account = try AccountStore.find(try row.text("account_id"), connection) else {
            return .unknown
        }
        if try row.optionalInteger("used_at") != nil { return .used }
        guard try row.optionalInteger("withdrawn_at") == nil, eligibility.maySignIn(account),
            try !AccountStore.hasBegun(account, connection)
        else { return .withdrawn }
        let createdAt = try row.timestamp("created_at")
        guard try row.timestamp("expires_at") > now, createdAt <= now + ClockSkew.tolerated else { return .expired }
        return .open(account)
    }

    /// Uses a link up. Of any number of attempts one succeeds, and only while nobody has signed in to the account.
    package static func use(
        _ key: PrintedLinkKey, of account: Account, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        guard try !AccountStore.hasBegun(account, connection) else { return false }
        let isUsed =
            try connection.execute(
                """
                UPDATE sign_in_link SET used_at = :now
                 WHERE digest = :digest AND account_id = :account AND used_at IS NULL AND withdrawn_at IS NULL
                   AND expires_at > :now
                """, ["digest": .blob(key.digest), "account": .text(account.id), "now": .timestamp(now)]) == 1
        if isUsed { try AccountStore.noteBegun(account, at: now, connection) }
        return isUsed
    }

    /// Whether an account began by an operator's word.
    package static func hasUsed(_ accountID: String, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query(
            "SELECT 1 FROM sign_in_link WHERE account_id = :account AND used_at IS NOT NULL LIMIT 1",
            ["account": .text(accountID)]
        ).isEmpty
    }

    /// Makes a link. Those of before end.
    package static func insert(
        _ key: PrintedLinkKey, for account: Account, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try withdraw(of: account.id, at: now, connection)
        try connection.execute(
            """
            INSERT INTO sign_in_link (digest, account_id, created_at, expires_at)
            VALUES (:digest, :account, :now, :expires)
            """,
            [
                "digest": .blob(key.digest), "account": .text(account.id), "now": .timestamp(now),
                "expires": .timestamp(now + lifetime),
            ])
    }

    /// - Returns: whether one has ended.
    @discardableResult
    package static func withdraw(
        of accountID: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE sign_in_link SET withdrawn_at = :now
             WHERE account_id = :account AND used_at IS NULL AND withdrawn_at IS NULL AND expires_at > :now
            """, ["account": .text(accountID), "now": .timestamp(now)]) > 0
    }

    /// Removes links that were never used, of accounts that were signed in to. Those of others say why the account is there.
    package static func purge(limit: Int, at now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            DELETE FROM sign_in_link WHERE digest IN (
                SELECT digest FROM sign_in_link l JOIN account a ON a.id = l.account_id
                 WHERE l.used_at IS NULL AND l.expires_at <= :old AND a.begun_at IS NOT NULL LIMIT :limit)
            """, ["old": .timestamp(now - .days(1)), "limit": .integer(Int64(limit))])
    }
}
