package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `passkey` and `passkey_user`. Every function works in the caller's transaction.
///
/// A passkey is an identity, too: its row of `account_identity` stands and falls with it.
package enum PasskeyStore {
    package static let maximumPerAccount = 20
    /// Bytes of a user handle (WebAuthn Level 3, 5.4.3: at most 64).
    private static let handleBytes = 32

    private static let joined = """
        FROM passkey p JOIN account_identity i
          ON i.kind = 'passkey' AND i.issuer = p.rp_id AND i.subject = p.credential_id AND i.account_id = p.account_id
        """

    // MARK: Reading

    package static func find(_ identity: PasskeyID, _ connection: any SQLConnection) throws -> Passkey? {
        try connection.query(
            "SELECT \(Passkey.columns) \(joined) WHERE p.rp_id = :rp AND p.credential_id = :credential",
            values(identity)
        ).first.map(Passkey.init)
    }

    /// The passkeys of an account, the oldest first.
    package static func all(of accountID: String, _ connection: any SQLConnection) throws -> [Passkey] {
        try connection.query(
            "SELECT \(Passkey.columns) \(joined) WHERE p.account_id = :account ORDER BY i.created_at, p.id",
            ["account": .text(accountID)]
        ).map(Passkey.init)
    }

    package static func has(_ accountID: String, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query(
            "SELECT 1 FROM account_identity WHERE account_id = :account AND kind = 'passkey' LIMIT 1",
            ["account": .text(accountID)]
        ).isEmpty
    }

    /// How many passkeys belong to other relying party IDs than this one, by their ID.
    package static func others(
        than relyingParty: String?, _ connection: any SQLConnection
    ) throws -> [(relyingParty: String, count: Int64)] {
        try connection.query(
            "SELECT rp_id, COUNT(*) AS count FROM passkey WHERE rp_id <> :rp GROUP BY rp_id ORDER BY rp_id",
            ["rp": .text(relyingParty ?? "")]
        ).map { (try $0.text("rp_id"), try $0.integer("count")) }
    }

    // MARK: User handles

    /// The user handle of an account. The first time it is made.
    package static func handle(
        of accountID: String, _ randomness: any Randomness, _ connection: any SQLConnection
    ) throws -> [UInt8] {
        try connection.execute(
            """
            INSERT INTO passkey_user (account_id, handle) VALUES (:account, :handle)
                ON CONFLICT (account_id) DO NOTHING
            """, ["account": .text(accountID), "handle": .blob(try randomness.bytes(handleBytes))])
        guard let handle = try handle(of: accountID, connection) else {
            throw DatabaseError.unavailable("a user handle vanished while it was made")
        }
        return handle
    }

    /// Nil for an account that never asked for a passkey.
    package static func handle(of accountID: String, _ connection: any SQLConnection) throws -> [UInt8]? {
        try connection.query(
            "SELECT handle FROM passkey_user WHERE account_id = :account", ["account": .text(accountID)]
        ).first?.blob("handle")
    }

    // MARK: Changing

    package enum AddOutcome: Sendable, Equatable {
        /// With the new row's id.
        case added(String)
        /// The id of the credential leads to an account already, this one or another.
        case taken
        case full
    }

    package static func add(
        _ new: AddedPasskey, named name: String, to account: Account, _ accounts: AccountStore,
        _ connection: any SQLConnection
    ) throws -> AddOutcome {
        let count = try connection.query(
            "SELECT COUNT(*) AS count FROM account_identity WHERE account_id = :account AND kind = 'passkey'",
            ["account": .text(account.id)]
        ).first?.integer("count")
        guard count ?? 0 < maximumPerAccount else { return .full }
        guard try accounts.add(.passkey(new.identity), to: account, connection) else { return .taken }
        let id = "pky_" + Base64URL.encode(try accounts.randomness.bytes(12))
        try connection.execute(
            """
            INSERT INTO passkey (id, account_id, rp_id, credential_id, public_key, algorithm, sign_count, is_verified,
                                 is_backup_eligible, is_backed_up, transports, aaguid, name)
            VALUES (:id, :account, :rp, :credential, :key, :algorithm, :count, 1, :eligible, :backed, :transports,
                    :aaguid, :name)
            """,
            values(new.identity).merging([
                "id": .text(id), "account": .text(account.id), "key": .blob(new.publicKey),
                "algorithm": .integer(Int64(new.algorithm)), "count": .integer(Int64(new.signCount)),
                "eligible": .integer(new.isBackupEligible ? 1 : 0), "backed": .integer(new.isBackedUp ? 1 : 0),
                "transports": .text(new.transports.joined(separator: " ")), "aaguid": .blob(new.aaguid),
                "name": .text(name),
            ]))
        return .added(id)
    }

    /// Notes what an assertion says, if the passkey still belongs to the account, and its counter has not been passed meanwhile.
    ///
    /// - Returns: whether the sign-in may go on.
    package static func use(
        _ passkey: Passkey, signCount: UInt32, isBackedUp: Bool, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE passkey SET sign_count = :count, is_backed_up = :backed
             WHERE id = :id AND account_id = :account
               AND (sign_count < :count OR sign_count = 0 AND :count = 0 OR is_backup_eligible = 1)
            """,
            [
                "id": .text(passkey.id), "account": .text(passkey.accountID), "count": .integer(Int64(signCount)),
                "backed": .integer(isBackedUp ? 1 : 0),
            ]) == 1
    }

    /// - Returns: whether the account has a passkey of this id.
    package static func rename(
        _ id: String, of accountID: String, to name: String, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE passkey SET name = :name WHERE id = :id AND account_id = :account",
            ["id": .text(id), "account": .text(accountID), "name": .text(name)]) == 1
    }

    package enum Removal: Sendable {
        case removed(Passkey)
        /// The account has no other identity.
        case last
        case unknown
    }

    /// Removes a passkey of an account.
    ///
    /// - Parameter keepingLast: whether the last identity stays. Without it the account is signed in to by email, as before the
    ///   first sign-in.
    package static func remove(
        _ id: String, of accountID: String, keepingLast: Bool = true, _ connection: any SQLConnection
    ) throws -> Removal {
        guard let passkey = try all(of: accountID, connection).first(where: { $0.id.utf8.elementsEqual(id.utf8) })
        else { return .unknown }
        let removed = try connection.execute(
            """
            DELETE FROM account_identity
             WHERE kind = 'passkey' AND issuer = :rp AND subject = :credential AND account_id = :account
               AND (SELECT COUNT(*) FROM account_identity WHERE account_id = :account) > :kept
            """,
            values(passkey.identity).merging(
                ["account": .text(accountID), "kept": .integer(keepingLast ? 1 : 0)]))
        guard removed == 1 else { return .last }
        try connection.execute(
            "DELETE FROM passkey WHERE id = :id AND account_id = :account",
            ["id": .text(id), "account": .text(accountID)])
        return .removed(passkey)
    }

    /// Removes every passkey of an account, whatever else it has.
    ///
    /// - Parameter record: records the end of each.
    package static func removeAll(
        of accountID: String, _ cause: PasskeyEnd, _ connection: any SQLConnection, _ record: (Event) throws -> Void
    ) throws {
        let values: SQLArguments = ["account": .text(accountID)]
        let removed = try connection.query("SELECT id FROM passkey WHERE account_id = :account ORDER BY id", values)
        for row in removed { try record(cause.event(of: try row.text("id"), accountID)) }
        guard !removed.isEmpty else { return }
        try connection.execute(
            "DELETE FROM account_identity WHERE kind = 'passkey' AND account_id = :account", values)
        try connection.execute("DELETE FROM passkey WHERE account_id = :account", values)
    }

    /// Accounts with passkeys.
    package static func owners(atMost limit: Int, _ connection: any SQLConnection) throws -> [Account] {
        try connection.query(
            """
            SELECT \(Account.columns) FROM account
             WHERE id IN (SELECT account_id FROM passkey) ORDER BY id LIMIT :limit
            """, ["limit": .integer(Int64(limit))]
        ).map(Account.init)
    }

    private static func values(_ identity: PasskeyID) -> SQLArguments {
        ["rp": .text(identity.relyingParty), "credential": .text(identity.text)]
    }
}
