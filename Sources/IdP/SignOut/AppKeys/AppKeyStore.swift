import IdPClients
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `app_key`. Only hashes of keys are stored.
package enum AppKeyStore {
    private static let columns =
        "id, client_id, account_id, name, group_ids, strength, created_at, expires_at, used_at, used_network"

    /// Whose a new key is.
    package enum Owner: Sendable {
        case account(String, strength: Strength)
        case machine(groups: [String])
    }

    /// Stores a key.
    ///
    /// - Returns: false, and nothing is stored, where the owner has ``AppKey/maximum`` at this service.
    package static func insert(
        _ key: Secret<AppKeyKind>, id: String, client: String, _ owner: Owner, name: String, at now: Timestamp,
        expiresAt: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        let (account, strength, groups): (String?, Strength, [String]) =
            switch owner {
            case .account(let account, let strength): (account, strength, [])
            case .machine(let groups): (nil, .any, groups)
            }
        let number = try keys(of: account, at: client, now: now, connection).count
        guard number < AppKey.maximum else { return false }
        try connection.execute(
            """
            INSERT INTO app_key (id, digest, client_id, account_id, name, group_ids, strength, created_at, expires_at)
            VALUES (:id, :digest, :client, :account, :name, :groups, :strength, :now, :expires)
            """,
            [
                "id": .text(id), "digest": .blob(key.digest), "client": .text(client), "account": .optional(account),
                "name": .text(name), "groups": .text(groups.sorted().joined(separator: " ")),
                "strength": .text(strength.rawValue), "now": .timestamp(now), "expires": .timestamp(expiresAt),
            ])
        return true
    }

    /// An id for a new key.
    package static func newID(_ randomness: any Randomness) throws -> String {
        "key_" + Base64URL.encode(try randomness.bytes(12))
    }

    /// The key of a hash at a client, unless it has expired. By one index, and without a write.
    package static func find(
        _ digest: [UInt8], at client: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> AppKey? {
        try connection.query(
            """
            SELECT \(columns) FROM app_key WHERE digest = :digest AND client_id = :client AND expires_at > :now
            """, ["digest": .blob(digest), "client": .text(client), "now": .timestamp(now)]
        ).first.map(AppKey.init)
    }

    /// The keys of a user, of all services, the newest first.
    package static func keys(
        of account: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> [AppKey] {
        try connection.query(
            """
            SELECT \(columns) FROM app_key WHERE account_id = :account AND expires_at > :now
             ORDER BY created_at DESC, id LIMIT 1000
            """, ["account": .text(account), "now": .timestamp(now)]
        ).map(AppKey.init)
    }

    /// The keys of one service, those of machines included, the newest first.
    package static func keys(
        at client: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> [AppKey] {
        try connection.query(
            """
            SELECT \(columns) FROM app_key WHERE client_id = :client AND expires_at > :now
             ORDER BY created_at DESC, id LIMIT 10000
            """, ["client": .text(client), "now": .timestamp(now)]
        ).map(AppKey.init)
    }

    private static func keys(
        of account: String?, at client: String, now: Timestamp, _ connection: any SQLConnection
    ) throws -> [AppKey] {
        try connection.query(
            """
            SELECT \(columns) FROM app_key
             WHERE client_id = :client AND COALESCE(account_id, '') = :account AND expires_at > :now
            """, ["client": .text(client), "account": .text(account ?? ""), "now": .timestamp(now)]
        ).map(AppKey.init)
    }

    /// Notes a use, at most once per minute.
    package static func noteUse(
        of id: String, network: String?, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE app_key SET used_at = :now, used_network = :network WHERE id = :id AND COALESCE(used_at, 0) < :before",
            [
                "id": .text(id), "network": .optional(network), "now": .timestamp(now),
                "before": .timestamp(now - .seconds(59)),
            ])
    }

    /// Which keys end.
    package enum Ended: Sendable {
        case ofAccount(String, id: String)
        case ofClient(String, id: String)
        case allOfAccount(String)
        case allOfClient(String)
    }

    /// Ends keys, in the caller's transaction.
    ///
    /// - Returns: what has ended.
    @discardableResult
    package static func end(_ what: Ended, _ connection: any SQLConnection) throws -> [AppKey] {
        let (condition, values): (String, SQLArguments) =
            switch what {
            case .ofAccount(let account, let id):
                ("account_id = :account AND id = :id", ["account": .text(account), "id": .text(id)])
            case .ofClient(let client, let id):
                ("client_id = :client AND id = :id", ["client": .text(client), "id": .text(id)])
            case .allOfAccount(let account): ("account_id = :account", ["account": .text(account)])
            case .allOfClient(let client): ("client_id = :client", ["client": .text(client)])
            }
        return try connection.query("DELETE FROM app_key WHERE \(condition) RETURNING \(columns)", values)
            .map(AppKey.init)
    }

    /// Ends the keys of a client that is registered nowhere any more, in the caller's transaction.
    ///
    /// - Returns: what to record.
    package static func end(ofRemoved client: String, _ connection: any SQLConnection) throws -> [Event] {
        try end(.allOfClient(client), connection).map {
            $0.event(.appKeyEnded, by: .program, cause: "client_removed")
        }
    }

    /// Deletes expired keys.
    package static func purge(_ database: any Database, at now: Timestamp, limit: Int) async throws -> Int {
        try await database.write { connection in
            try connection.execute(
                "DELETE FROM app_key WHERE id IN (SELECT id FROM app_key WHERE expires_at <= :now LIMIT :limit)",
                ["now": .timestamp(now), "limit": .integer(Int64(limit))])
        }
    }
}
