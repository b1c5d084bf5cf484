package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `access_token`: issue, find, prolong and end. Only hashes of tokens are stored.
///
/// A token holds as a session does: while its account may sign in and its sign-ins were not ended all at once.
package struct AccessTokenStore: Sendable {
    /// From each use on.
    package static let lifetime: Duration = .days(90)

    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let eligibility: SignInEligibility

    package init(
        database: any Database, clock: ServiceClock, randomness: any Randomness, eligibility: SignInEligibility
    ) {
        (self.database, self.clock, self.randomness, self.eligibility) = (database, clock, randomness, eligibility)
    }

    /// A row.
    package struct Entry: Sendable {
        package let id: String
        let accountID: String
        let accountSignOuts: Int64
        /// The name of the device.
        let device: String
        /// The ``Session/handle`` of the app's web view. The session may have ended.
        package let sessionHandle: String
        /// When the user was authenticated; nil for a moment that is not proven (``ProvenMoment``).
        package let provenAt: Timestamp?
        package let proofs: SignInProofs
        let createdAt: Timestamp
        let usedAt: Timestamp
        package var expiresAt: Timestamp
    }

    /// Stores a token for the sign-in of a session, in the caller's transaction.
    package func issue(
        _ new: NewAccessToken, for signIn: CurrentSignIn.SignIn, in session: Session, _ connection: any SQLConnection
    ) throws {
        let now = clock.now()
        try connection.execute(
            """
            INSERT INTO access_token (id, digest, account_id, account_sign_outs, device, session_handle,
                                      authenticated_at, is_proven, methods, strength, created_at, used_at, expires_at)
            VALUES (:id, :digest, :account, :signouts, :device, :session, :authenticated, :proven, :methods, :strength,
                    :now, :now, :expires)
            """,
            [
                "id": .text("dev_" + Base64URL.encode(try randomness.bytes(16))), "digest": .blob(new.token.digest),
                "account": .text(signIn.accountID), "signouts": .integer(signIn.accountSignOuts),
                "device": .text(new.device), "session": .text(session.handle),
                "authenticated": .timestamp(signIn.authenticatedAt),
                "proven": .integer(signIn.provenAt == nil ? 0 : 1),
                "methods": .text(signIn.proofs.text), "strength": .text(signIn.proofs.strength.rawValue),
                "now": .timestamp(now),
                "expires": .timestamp(now + Self.lifetime),
            ])
    }

    /// Who holds a token; nil for one that is unknown, expired or ended, or whose account may not sign in.
    package func user(of token: AccessToken) async throws -> TokenUser? {
        let now = clock.now()
        return try await database.read { [eligibility] connection in
            let rows = try connection.query(
                "SELECT * FROM access_token WHERE digest = :digest AND \(Self.isAlive)",
                Self.values(at: now).merging(["digest": .blob(token.digest)]))
            guard let entry = try rows.first.map(Entry.init),
                let account = try eligibility.signIn.account(
                    entry.accountID, signOuts: entry.accountSignOuts, connection)
            else { return nil }
            return TokenUser(account: account, entry: entry)
        }
    }

    /// Notes that a token is in use: it lasts 90 days from now. Writes at most once per minute.
    ///
    /// - Returns: when the token expires.
    package func touch(_ entry: Entry) async throws -> Timestamp {
        let now = clock.now()
        guard now - entry.usedAt >= .minutes(1) else { return entry.expiresAt }
        let expires = now + Self.lifetime
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE access_token SET used_at = :now, expires_at = :expires WHERE id = :id AND used_at < :now",
                ["now": .timestamp(now), "expires": .timestamp(expires), "id": .text(entry.id)])
        }
        return expires
    }

    /// The tokens of an account that hold.
    func entries(of account: Account, _ connection: any SQLConnection) throws -> [Entry] {
        try connection.query(
            """
            SELECT * FROM access_token
             WHERE account_id = :account AND \(SignInHolds.sql("access_token")) AND \(Self.isAlive)
            """,
            Self.values(at: clock.now()).merging(["account": .text(account.id)])
        ).map(Entry.init)
    }

    /// The account of a token that holds; nil for any other.
    package func account(_ accountID: String, ofToken id: String, _ connection: any SQLConnection) throws -> Account? {
        try connection.query(
            "SELECT account_sign_outs FROM access_token WHERE id = :id AND account_id = :account AND \(Self.isAlive)",
            Self.values(at: clock.now()).merging(["id": .text(id), "account": .text(accountID)])
        ).first.flatMap {
            try eligibility.signIn.account(accountID, signOuts: try $0.integer("account_sign_outs"), connection)
        }
    }

    /// Ends one token.
    package func end(id: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM access_token WHERE id = :id", ["id": .text(id)])
    }

    /// Ends the token of an app whose web view has this session.
    package func end(session handle: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM access_token WHERE session_handle = :handle", ["handle": .text(handle)])
    }

    /// Keeps a token with its app after a sign-in has replaced the session of the web view. The token of another account
    /// ends: one app shows one user.
    package func follow(_ old: Session, to next: Session, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE access_token SET session_handle = :next WHERE session_handle = :old AND account_id = :account",
            [
                "next": .text(next.handle), "old": .text(old.handle),
                "account": .text(next[CurrentSignIn.self].signIn?.accountID ?? ""),
            ])
        try end(session: old.handle, connection)
    }

    /// Keeps the token of one session when all other sign-ins of its account have ended, in the caller's transaction.
    package func keep(session handle: String, of account: Account, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE access_token SET account_sign_outs = :signouts
             WHERE session_handle = :handle AND account_id = :account AND account_sign_outs = :before
            """,
            [
                "signouts": .integer(account.signOuts), "before": .integer(account.signOuts - 1),
                "handle": .text(handle), "account": .text(account.id),
            ])
    }

    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM access_token WHERE id IN (
                SELECT id FROM access_token WHERE expires_at <= :now LIMIT :limit)
            """, ["now": .timestamp(now)], limit: limit)
    }

    /// A row from the future was made while the clock was wrong: it does not count until that time is there.
    /// One that was used in such a time does not count either: it would last longer than it may.
    private static let isAlive = "expires_at > :now AND created_at <= :skewed AND expires_at <= :latest"

    private static func values(at now: Timestamp) -> SQLArguments {
        [
            "now": .timestamp(now), "skewed": .timestamp(now + ClockSkew.tolerated),
            "latest": .timestamp(now + lifetime + ClockSkew.tolerated),
        ]
    }
}

/// The user whom a request names by an access token. The account is not optional: holding this value is the proof.
package struct TokenUser: Sendable {
    package let account: Account
    package let entry: AccessTokenStore.Entry

    package init(account: Account, entry: AccessTokenStore.Entry) {
        (self.account, self.entry) = (account, entry)
    }
}

extension AccessTokenStore.Entry {
    fileprivate init(_ row: SQLRow) throws {
        id = try row.text("id")
        accountID = try row.text("account_id")
        accountSignOuts = try row.integer("account_sign_outs")
        device = try row.text("device")
        sessionHandle = try row.text("session_handle")
        provenAt = try row.provenMoment()
        proofs = try row.signInProofs()
        createdAt = try row.timestamp("created_at")
        usedAt = try row.timestamp("used_at")
        expiresAt = try row.timestamp("expires_at")
    }
}
